"""What is put aside comes back, from memory or from a file that nobody else sees."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memidx.errors import FileError
from memidx.files import spooling
from memidx.files.spooling import Scratch


@pytest.mark.parametrize("named", [False, True])
@given(pieces=st.lists(st.binary(max_size=9), max_size=20), limit=st.integers(0, 30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_is_put_aside_comes_back(
    tmp_path: Path, named: bool, pieces: list[bytes], limit: int
) -> None:
    """Each piece and all of them, whatever part is in the file, and no file is seen."""
    whole = b"".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spooling, "_PIECE_BYTES", 7)
        if named:  # as on a system whose files all have names
            patch.setattr(spooling, "_UNNAMED", None)
        spools = [Scratch(str(tmp_path)).spool(limit), Scratch().spool(limit)]
        for spool in spools:
            places = []
            for number, piece in enumerate(pieces):
                places.append(spool.append(piece))
                # What was put aside is read while more comes.
                assert spool.read(places[number // 2], 5) == whole_from(
                    pieces[: number + 1], places[number // 2], 5
                )
            assert spool.size == len(whole)
            assert b"".join(spool.pieces()) == whole
            for place, piece in zip(places, pieces, strict=True):
                assert spool.read(place, len(piece)) == piece
        assert list(tmp_path.iterdir()) == []


def whole_from(pieces: list[bytes], place: int, size: int) -> bytes:
    """So many bytes of the pieces together."""
    return b"".join(pieces)[place : place + size]


def test_its_file_goes_with_it(tmp_path: Path) -> None:
    """The system gets the disk back as soon as nobody has the spool any more."""
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    spool = Scratch(str(tmp_path)).spool(0)
    spool.append(b"x")
    del spool
    after = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    assert len(after) == len(before)


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what could not be done, where, and what helps."""

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    spool = Scratch(str(tmp_path)).spool(0)
    with pytest.raises(FileError, match="put something aside") as error:
        spool.append(b"x")
    assert error.value.path == str(tmp_path)
    assert "free some space" in str(error.value.hint)


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    """Nothing is kept in memory in place of what was to be in a file."""
    spool = Scratch(str(tmp_path / "gone")).spool(0)
    with pytest.raises(FileError, match="put something aside"):
        spool.append(b"x")
