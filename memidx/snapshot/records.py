"""Which look is recorded in a cache folder?

A whole one, and beside it what was edited since. A process asks more than once, and what nobody
recorded anew is not read again.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import FileError
from memidx.indexing.state import SUMMARY_BYTES, State, read_state, read_summary
from memidx.light import suppress
from memidx.values import NamedTuple

STATE_NAME = "state.json"
EDIT_NAME = "state-edit.json"


class Record(NamedTuple):
    """A record as it was read.

    Attributes:
        signatures: Of the whole record's file, and of the edit's.
        whole: The whole record; None where it is damaged, or not all of it was read.
        state: The look it makes together with the edit.
    """

    signatures: tuple[files.Signature | None, files.Signature | None]
    whole: State | None
    state: State | None


class Records:
    """What was read last in each folder."""

    def __init__(self) -> None:
        self._read: dict[str, Record] = {}

    def read(self, folder: str, *, whole: bool) -> Record | None:
        """The record in a folder; None where there is none.

        Args:
            whole: False is content with what `memidx.indexing.state.read_summary` gives.
        """
        path, edit_path = os.path.join(folder, STATE_NAME), os.path.join(folder, EDIT_NAME)
        edit = None
        try:
            # Each record is a new file: another one has another signature.
            signatures = files.signature(path), files.signature(edit_path)
            last = self._read.get(folder)
            if last is not None and last.signatures == signatures:
                return last
            if signatures[1] is not None:
                with suppress(FileError):
                    edit = files.read_bytes(edit_path)
            if not whole:
                summary = _edited(read_summary(files.read_bytes(path, SUMMARY_BYTES)), edit)
                if summary is not None:
                    return Record(signatures, None, summary)
            data = files.read_bytes(path)
        except FileError:
            return None
        record = self._read[folder] = Record(signatures, *recorded(data, edit))
        return record


def recorded(data: bytes, edit: bytes | None) -> tuple[State | None, State | None]:
    """A whole record, and the look it makes together with what was edited since."""
    whole = read_state(data)
    return whole, _edited(whole, edit) or whole


def _edited(state: State | None, edit: bytes | None) -> State | None:
    """The look that an edit makes; None where the edit is of another one, or damaged."""
    if state is None or edit is None:
        return state
    from memidx.indexing.state_edit import apply_edit  # late: there are edits seldom

    return apply_edit(state, edit)
