"""What changed since a look was recorded whole?

A look over thousands of files is large, and an edit changes one of them: so beside the whole record
lies a small one, which says only what became of the files that were edited since.
"""

from __future__ import annotations

import zlib

from memidx.files import Signature
from memidx.light import TYPE_CHECKING, parse_json
from memidx.values import replace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memidx.indexing.state import State

# With more edited files than this the whole look is recorded.
MAX_EDITED = 200


def aligned(whole: State, state: State) -> State | None:
    """A look told by what is other in it than in one that is recorded whole.

    Returns:
        An equal state, which is cheap to encode as an edit of `whole`; None where it cannot be one.
    """
    from memidx.indexing.amended import amended, changed_since, shares  # see `encode_edit`

    if shares(whole.watched, state.watched) and shares(whole.files, state.files):
        return state
    watched = changed_since(whole.watched, state.watched)
    files = changed_since(whole.files, state.files)
    if watched is None or files is None or len(watched) + len(files) > MAX_EDITED:
        return None
    return replace(
        state, watched=amended(whole.watched, watched), files=amended(whole.files, files)
    )


def encode_edit(whole: State, state: State) -> bytes | None:
    """The small record that makes `whole` into `state`; None when they differ in more.

    Args:
        whole: A look that is recorded whole.
        state: A later one.
    """
    from memidx.indexing.amended import changed_since  # only who looks at the sources writes
    from memidx.indexing.packing import file_row

    if _rest(whole) != _rest(state):
        return None
    watched = changed_since(whole.watched, state.watched)
    files = changed_since(whole.files, state.files)
    if watched is None or files is None or len(watched) + len(files) > MAX_EDITED:
        return None
    return _sealed(
        {
            "of": _mark(whole),
            "recorded_ns": state.recorded_ns,
            "snapshot": state.snapshot,
            "unlike": state.unlike,
            "unsupported": state.unsupported,
            "store": state.store,
            "watched": watched,
            "files": {path: file_row(known) for path, known in files.items()},
        }
    )


def apply_edit(whole: State, data: bytes) -> State | None:
    """The look a small record makes of a whole one; None when it is not of this one, or damaged.

    None too where the summary of a look (`memidx.indexing.state.read_summary`) does not do, because
    something of the edited files was skipped.
    """
    try:
        document = _unsealed(data)
        if document is None or document["of"] != _mark(whole):
            return None
        later = replace(
            whole,
            recorded_ns=document["recorded_ns"],
            snapshot=document["snapshot"],
            unlike=document["unlike"],
            unsupported=document["unsupported"],
            store={name: Signature(*row) for name, row in document["store"].items()},
        )
        if not whole.is_whole:
            return None if any(row[-1] for row in document["files"].values()) else later
        from memidx.indexing.amended import amended  # a summary does without
        from memidx.indexing.packing import file_of

        watched = {path: Signature(*row) for path, row in document["watched"].items()}
        files = {path: file_of(row) for path, row in document["files"].items()}
        return replace(
            later,
            watched=amended(whole.watched, watched),
            files=amended(whole.files, files),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _sealed(document: Mapping[str, Any]) -> bytes:
    from memidx.indexing.compact import to_json  # see `encode_edit`

    body = to_json(document)
    return body + b"\n%08x" % zlib.crc32(body)


def _unsealed(data: bytes) -> Any:
    """What was sealed; None when its checksum is another one."""
    body, _, found = data.rpartition(b"\n")
    return parse_json(body) if found == b"%08x" % zlib.crc32(body) else None


def _mark(whole: State) -> list[Any]:
    """Names a whole record: no two are of the same moment and the same content."""
    return [whole.recorded_ns, whole.snapshot, whole.root, whole.settings]


def _rest(state: State) -> State:
    """What a small record does not tell."""
    told = ("unlike", "unsupported", "store", "watched", "files")
    nothing: dict[str, Any] = {name: {} for name in told}
    return replace(state, recorded_ns=0, snapshot="", **nothing)
