"""Are the sources as a recorded look saw them?

Every search asks, so the answer costs a survey and hardly more: an index that is kept open compares
each survey with the one before it, folder by folder, and a process that has just begun compares all
signatures with the recorded ones as one array. Which files changed is then known, and only they are
looked at further.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import FileError
from memidx.files import Signature
from memidx.hashing import blake2b
from memidx.indexing.amended import changed_since
from memidx.indexing.signatures import are_signatures
from memidx.indexing.state import State
from memidx.light import TYPE_CHECKING
from memidx.snapshot import Workspace
from memidx.sources.feeding import feed_tokens
from memidx.sources.listing import survey_arguments
from memidx.sources.survey import IGNORE_FILE, Survey, survey
from memidx.values import NamedTuple, replace

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from memidx.sources.watch import Watch


class Edited(NamedTuple):
    """What a survey shows of a state's files, when these are the same ones.

    Attributes:
        state: The last look.
        survey: What is there now.
        changed: Files with another signature than at the last look.
        racy: Files whose signature does not prove that they are as they were.
    """

    state: State
    survey: Survey
    changed: Mapping[str, Signature]
    racy: Collection[str]


class _Seen(NamedTuple):
    """The last survey.

    Attributes:
        state: The state whose files are those of the survey, each with its signature; None where
            no state's are known to be.
        racy: That state's racy files.
    """

    state: State | None
    survey: Survey
    racy: Collection[str]


class WatchedSources:
    """The sources of a workspace, looked at again and again.

    Attributes:
        edited: What the last comparison showed; None where the set of files, a feed or a folder is
            another one.
    """

    def __init__(self, workspace: Workspace, *, watch: bool = False) -> None:
        self._workspace = workspace
        self._seen: _Seen | None = None
        self._is_watch_wanted = watch
        self._watch: Watch | None = None
        self.edited: Edited | None = None

    @property
    def note(self) -> str | None:
        """What a person should know of how the sources are looked at."""
        refusal = self._watch.refusal if self._watch else None
        return f"sources are not watched, each search looks at all: {refusal}" if refusal else None

    def are_as_in(self, state: State, now_ns: int) -> bool:
        """Whether nothing is other than in a recorded look, racy files compared by their bytes.

        Args:
            now_ns: The clock, nanoseconds since the epoch.
        """
        root, sources = self._workspace.root, self._workspace.sources
        self.edited = None
        if root is None or state.root != root or feed_tokens(root, sources) != state.tokens:
            return False
        # A watch says what changed since it was asked last, even where that was in vain.
        last, self._seen = self._seen, None
        now = self._survey(root, now_ns, last.survey if last else None)
        if last is not None and last.state is state:
            racy = last.racy
            changed = now.changed if now.failed == last.survey.failed else None
        else:
            racy, changed = state.racy(), _changed(state, now)
        is_same = changed is not None and not changed
        self._seen = _Seen(state if is_same else None, now, racy)
        if changed is not None:
            self.edited = Edited(state, now, changed, racy)
        return is_same and all(_has_same_bytes(root, state, path) for path in racy)

    def settled(self, state: State, now_ns: int) -> tuple[State, bool]:
        """The state when its racy files were proved to be as they were by now.

        Returns:
            The state, and whether it proves more than it did and is worth recording.
        """
        seen = self._seen
        if seen is None or not seen.racy:
            return state, False
        later = replace(state, recorded_ns=now_ns)
        racy = _racy_later(state, later, seen.racy)
        self._seen = _Seen(later, seen.survey, racy)
        return later, len(racy) < len(seen.racy)

    def took_in(self, edited: Edited, later: State) -> None:
        """Go on from the look that an edit led to."""
        racy = _racy_later(edited.state, later, {*edited.racy, *edited.changed})
        self._seen = _Seen(later, edited.survey, racy)

    def forget(self) -> None:
        """Let go of the surveys."""
        self._seen = self.edited = None
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _survey(self, root: str, now_ns: int, before: Survey | None) -> Survey:
        if self._watch is not None:
            return self._watch.survey(now_ns)
        bases, suffixes = survey_arguments(self._workspace.sources)
        if not self._is_watch_wanted:
            return survey(root, bases, suffixes, self._workspace.own, before)
        from memidx.sources.watch import Watch  # who asks once does not watch

        self._watch = Watch(root, bases, suffixes, self._workspace.own)
        return self._watch.survey(now_ns)


def _changed(state: State, now: Survey) -> Mapping[str, Signature] | None:
    """Files with another signature than in a state; None where more is other than that."""
    if state.bases_failed == now.failed:
        if are_signatures(state.watched, now.files):
            return {}
        changed = changed_since(state.watched, now.files)
        if changed is not None:
            return changed
    from memidx.indexing.veil import as_recorded  # nearly always all is as it was

    told = as_recorded(now, state.watched, state.bases_failed)
    return changed_since(state.watched, told.files) if told.failed == state.bases_failed else None


def _racy_later(before: State, later: State, suspects: Collection[str]) -> Collection[str]:
    """Racy files of a later state, which are some of the suspects unless the clock was set back."""
    return later.racy(suspects if later.recorded_ns >= before.recorded_ns else None)


def _has_same_bytes(root: str, state: State, path: str) -> bool:
    known = state.known_at(path)
    if known is None:
        # A watched file that no source took decides nothing, unless it is a list of ignores.
        return os.path.basename(path) != IGNORE_FILE
    try:
        data = files.read_bytes(os.path.join(root, path))
    except FileError:
        return False
    return blake2b(data, digest_size=16).hexdigest() == known[1].digest
