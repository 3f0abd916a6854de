"""How does what changed come into the snapshot and its cache?

Either all of a look, compared with the store, or only the edits of files the last look knows. The
segment that is missing is derived from the last snapshot where there is one, and made whole where
there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from memidx.analysis.base import Analyzer
from memidx.errors import FileError
from memidx.files.spooling import IN_MEMORY, Scratch
from memidx.indexing.amended import amended
from memidx.indexing.scan import Scanner
from memidx.indexing.state import State
from memidx.snapshot import Workspace
from memidx.snapshot.cache import Cache
from memidx.snapshot.derive import Delta, Derived, contents, derive, facts_of
from memidx.snapshot.following import delta_of, edits_in, unlike_after
from memidx.snapshot.held import Held
from memidx.snapshot.look import Look
from memidx.snapshot.observing import Observations
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot
from memidx.snapshot.watching import Edited
from memidx.snapshot.workers import MakeAnalyzer
from memidx.values import replace

# When more than this share of the documents is other than before, all are analysed: on several
# processors, where a build asks for them.
_WHOLE_SHARE = 0.5


class Taken(NamedTuple):
    """What taking in edits gave; counts as in `memidx.snapshot.refresh.Ready`.

    Attributes:
        held: What the snapshot holds, for the next edit.
    """

    snapshot: Snapshot
    state: State
    n_added: int
    n_changed: int
    n_removed: int
    n_read: int
    n_parsed: int
    n_analysed: int
    held: Held


def take_in(
    workspace: Workspace,
    edited: Edited,
    before: Snapshot,
    analyzer: Analyzer,
    cache: Cache,
    now_ns: int,
    *,
    held: Held | None = None,
) -> Taken | None:
    """Take in the edits a survey shows of files the last look knows.

    Args:
        edited: The last look, and what the survey shows.
        before: The last look's snapshot.
        now_ns: The clock, before the survey.
        held: What the last snapshot holds, where that is known.

    Returns:
        None where more than the bytes of known files changed.
    """
    state, seen = edited.state, edited.survey
    edits = edits_in(state, {*edited.changed, *edited.racy})
    if edits is None or workspace.root is None:
        return None
    scanner = Scanner(
        workspace.root,
        workspace.sources,
        max_bytes=workspace.max_bytes,
        own=workspace.own,
        env=workspace.env,
    )
    scan = scanner.scan_edits(state, seen, edits)
    if scan.vanished or scan.unread or scan.unreadable or scan.failed:
        return None
    delta = delta_of(state, scan)
    if delta.size > max(1, before.n_docs) * _WHOLE_SHARE:
        return None
    held = Held.of(before) if held is None else held
    unlike = unlike_after(state.unlike, held, delta)
    later = replace(
        state,
        recorded_ns=now_ns,
        watched=amended(state.watched, edited.changed),
        files=amended(state.files, scan.files),
        unsupported=dict(seen.others),
        unlike=unlike,
    )
    snapshot, after, n_analysed = before, held, 0
    if delta.size:
        after = held.after(delta)
        build_id = after.build_id()
        key = after.key(build_id, analyzer)
        later = replace(later, snapshot=key)
        snapshot, n_analysed = _derived(
            cache, key, (state.snapshot, before), delta, analyzer, build_id
        )
    counts = _counts(unlike, after)
    return Taken(
        snapshot,
        later,
        counts["added"],
        counts["changed"],
        counts["removed"],
        scan.n_read,
        scan.n_parsed,
        n_analysed,
        after,
    )


def derive_look(
    look: Look,
    key: str,
    analyzer: Analyzer,
    cache: Cache,
    before: tuple[str, Snapshot] | None,
    *,
    jobs: int = 1,
    make_analyzer: MakeAnalyzer | None = None,
    observed: Observations | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> tuple[Snapshot, int]:
    """The snapshot of a look, and how many documents were analysed for it.

    Args:
        key: The look's.
        before: Key and snapshot of an earlier look under the same analyzer, if there is one.
        jobs: Processes that analyse, where everything is.
        make_analyzer: Makes the analyzer in another process.
        observed: What was counted of the documents while they were read; it is used up.
        meanwhile: What may be done while the disk takes a snapshot of everything.
    """
    snapshot = cache.open_snapshot(key)
    if snapshot is not None:
        return snapshot, 0
    if before is not None:
        delta = look.delta(contents(before[1]))
        if 0 < delta.size <= len(look.lines) * _WHOLE_SHARE:
            return _derived(cache, key, before, delta, analyzer, look.build_id)

    def pieces(scratch: Scratch, observed: Observations | None) -> Iterator[bytes]:
        return look.snapshot(
            analyzer, scratch, jobs=jobs, make_analyzer=make_analyzer, observed=observed
        )

    try:
        cache.writer.write_snapshot(key, pieces(cache.writer.scratch(), observed), meanwhile)
    except FileError as error:
        # A full disk must not cost the answer.
        cache.writer.keep_in_memory(key, pieces(IN_MEMORY, None), error.what)
    return _opened(cache, key), len(look.lines)


def _derived(
    cache: Cache,
    key: str,
    before: tuple[str, Snapshot],
    delta: Delta,
    analyzer: Analyzer,
    build_id: str,
) -> tuple[Snapshot, int]:
    """The snapshot with this key, from the one before it."""
    # The base is open, and stays the same as long as nothing is folded.
    opened = before[1].base_of(before[0])
    known = cache.open_snapshot(key, opened)
    if known is not None:
        return known, 0
    facts = facts_of(build_id, analyzer)

    def derived(scratch: Scratch) -> Derived:
        has = cache.writer.has_segment
        return derive(before[1], before[0], delta, analyzer, facts, has=has, scratch=scratch)

    try:
        made = derived(cache.writer.scratch())
        cache.writer.write_snapshot(key, made.pieces)
    except FileError as error:
        made = derived(IN_MEMORY)
        cache.writer.keep_in_memory(key, made.pieces, error.what)
    return _opened(cache, key, opened), made.n_analysed


def _opened(cache: Cache, key: str, opened: Mapping[str, Segment] | None = None) -> Snapshot:
    snapshot = cache.open_snapshot(key, opened)
    if snapshot is None:
        raise FileError("the snapshot that was just written cannot be read", path=key)
    return snapshot


def _counts(unlike: Mapping[str, str | None], after: Held) -> Counter[str]:
    """How many documents the store lacks, holds in an old version, or holds too many."""
    return Counter(
        "added" if stored is None else "changed" if doc_id in after else "removed"
        for doc_id, stored in unlike.items()
    )
