"""What does a build report?"""

from __future__ import annotations

import os.path
from collections import Counter
from typing import TYPE_CHECKING

from memidx.crew import crew_of
from memidx.files import is_file
from memidx.garbage import collector_paused
from memidx.opening import Opened, analyzer_maker
from memidx.results import BuildReport, PatchReport
from memidx.store import MANIFEST_NAME

if TYPE_CHECKING:
    from memidx.crew import Crew
    from memidx.snapshot.look import Look
    from memidx.snapshot.publish import Built
    from memidx.store.patch import Decline, Patch

# What who helps with a build needs: loaded there while files are listed here.
_HELPFUL = (
    "memidx.indexing.reading",
    "memidx.snapshot.observing",
    "memidx.analysis.default",
    "memidx.analysis.bulk",
    "memidx.analysis.spreading",
    "memidx.text.glance",
)


def run_build(
    opened: Opened, *, full: bool, check: bool, shard: bool | None, jobs: int, now_ns: int
) -> BuildReport:
    """Build, or with `check` only compare, and say what happened.

    Args:
        opened: What `memidx.opening_builds.open_for_build` resolved.
        jobs: Processes that analyse documents.
        now_ns: The clock, nanoseconds since the epoch.
    """
    with collector_paused(), crew_of(jobs, _HELPFUL) as crew:
        report = _report(opened, _build(opened, crew, full, check, shard, jobs, now_ns))
        # Nobody goes on from this look, and the collector would go through all of it.
        opened.cache.whole = None
    return report


def _build(
    opened: Opened,
    crew: Crew | None,
    full: bool,
    check: bool,
    shard: bool | None,
    jobs: int,
    now_ns: int,
) -> Built:
    workspace = opened.workspace
    if crew is not None and not check and (full or _is_first(workspace.store)):
        # There will be much to read, or hardly anything: one helper gets ready meanwhile.
        crew.start(1)
    # Loaded behind the start, for a helper takes as long to load the same.
    from memidx.opening_builds import manifest_of
    from memidx.snapshot.publish import build_store, check_store

    root = workspace.root or opened.home
    manifest = manifest_of(opened)
    if check:
        return check_store(workspace, root, opened.cache, manifest)
    return build_store(
        workspace,
        root,
        analyzer_maker(opened),
        opened.cache,
        manifest,
        jobs=jobs,
        full=full,
        shard=shard,
        now_ns=now_ns,
        patch=opened.config.incremental_sed,
    )


def _is_first(store: str) -> bool:
    """Whether there is no store yet."""
    return not is_file(os.path.join(store, MANIFEST_NAME))


def _report(opened: Opened, built: Built) -> BuildReport:
    from memidx.search.answer import failed_sources, problems  # see `_build`
    from memidx.sources.base import Skip

    look, written = built.look, built.written
    scan, plan = look.scan, look.plan
    counts = _counts(look)
    names = [source.name for source in opened.workspace.sources]
    return BuildReport(
        store=opened.workspace.store,
        root=opened.workspace.root or opened.home,
        n_docs=len(look.lines),
        n_added=len(plan.added),
        n_changed=len(plan.changed),
        n_removed=len(plan.removed),
        n_unchanged=max(0, len(look.lines) - len(plan.added) - len(plan.changed)),
        n_read=scan.n_read if scan else 0,
        n_shards=len(written.shards) if written else 0,
        shards_written=written.shards_written if written else 0,
        lines_written=written.lines_changed if written else 0,
        bytes_written=written.bytes_written if written else 0,
        behind=built.behind,
        manifest_differs=built.manifest_differs,
        added=plan.added,
        changed=plan.changed,
        removed=plan.removed,
        pending=built.pending,
        n_analysed=built.n_analysed,
        patch=_patch_report(built.patch),
        skips=problems(scan.skips if scan else ()),
        unsupported=dict(scan.listing.survey.others) if scan else {},
        sources={name: counts[name] for name in dict.fromkeys([*names, *sorted(counts)])},
        sources_failed=failed_sources(sorted(scan.failed.items()) if scan else ()),
        damage=problems(Skip(found.path, found.reason, found.line) for found in look.damage),
        elapsed_ms=0.0,
        notes=_notes(opened, built),
    )


def _patch_report(patch: Patch | Decline | None) -> PatchReport | None:
    if patch is None:
        return None
    from memidx.store.patch import Decline  # see `_build`

    if isinstance(patch, Decline):
        return PatchReport(applied=False, declined=patch.reason, detail=patch.detail)
    return PatchReport(applied=True, doc_id=patch.doc_id, shard=patch.shard, line=patch.number)


def _notes(opened: Opened, built: Built) -> tuple[str, ...]:
    notes = [opened.cache.note] if opened.cache.note else []
    if built.pending:
        notes.append(
            "what is only newer than the store does not count as behind: searches find it all the "
            f"same ({len(built.pending):,} added)"
        )
    return tuple(notes)


def _counts(look: Look) -> Counter[str]:
    """Documents of each source; those of a failed source are known from their lines alone."""
    from memidx.store.line import decode_line  # see `_build`

    counts: Counter[str] = Counter()
    for known in look.scan.files.values() if look.scan else ():
        counts[known.source] += len(known.docs)
    for doc_id in look.lines:
        if doc_id not in look.begins:
            counts[decode_line(look.lines[doc_id]).source] += 1
    return counts
