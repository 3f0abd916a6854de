"""Which look is recorded in a cache folder?

A whole one, and beside it what was edited since. A process asks more than once, and what nobody
recorded anew is not read again.
"""

from __future__ import annotations

import os.path
from contextlib import suppress
from typing import NamedTuple

from memidx import files
from memidx.errors import FileError
from memidx.indexing.state import State, read_state
from memidx.indexing.state_edit import apply_edit

STATE_NAME = "state.json"
EDIT_NAME = "state-edit.json"


class Record(NamedTuple):
    """A record as it was read.

    Attributes:
        signatures: Of the whole record's file, and of the edit's.
        whole: The whole record; None where it is damaged.
        state: The look it makes together with the edit.
    """

    signatures: tuple[files.Signature | None, files.Signature | None]
    whole: State | None
    state: State | None


class Records:
    """What was read last in each folder."""

    def __init__(self) -> None:
        self._read: dict[str, Record] = {}

    def read(self, folder: str) -> Record | None:
        """The record in a folder; None where there is none."""
        path, edit_path = os.path.join(folder, STATE_NAME), os.path.join(folder, EDIT_NAME)
        try:
            # Each record is a new file: another one has another signature.
            signatures = files.signature(path), files.signature(edit_path)
            last = self._read.get(folder)
            if last is not None and last.signatures == signatures:
                return last
            data = files.read_bytes(path)
        except FileError:
            return None
        edit = None
        with suppress(FileError):
            edit = files.read_bytes(edit_path)
        record = self._read[folder] = Record(signatures, *recorded(data, edit))
        return record


def recorded(data: bytes, edit: bytes | None) -> tuple[State | None, State | None]:
    """A whole record, and the look it makes together with what was edited since."""
    whole = read_state(data)
    if whole is None or edit is None:
        return whole, whole
    return whole, apply_edit(whole, edit) or whole
