"""What is put aside comes back, from memory or from a file that nobody else sees."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memidx.errors import FileError
from memidx.files import signature, spooling
from memidx.files.spooling import OpenFile, Scratch


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


def test_a_disk_that_gets_full_leaves_the_rest_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of a piece was written before it: all come back all the same."""
    monkeypatch.setattr(spooling, "_PIECE_BYTES", 4)
    spool = Scratch(str(tmp_path)).spool(4)
    spool.append(b"on the disk")
    real, room = os.write, [3]

    def nearly_full(descriptor: int, data: memoryview) -> int:
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data[: room.pop()])

    monkeypatch.setattr(os, "write", nearly_full)
    for piece in (b", in memory", b" and", b" so on"):
        spool.append(piece)
    assert room == []
    assert b"".join(spool.pieces()) == b"on the disk, in memory and so on"
    assert spool.read(7, 9) == b"disk, in "


def test_without_a_folder_all_is_in_memory(tmp_path: Path) -> None:
    """A folder that went, or never was, costs nothing but memory."""
    spool = Scratch(str(tmp_path / "gone")).spool(0)
    spool.append(b"x")
    assert (spool.read(0, 1), spool.is_on_disk) == (b"x", False)


def test_what_the_disk_does_not_give_back_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what could not be done, and where."""
    spool = Scratch(str(tmp_path)).spool(0)
    spool.append(b"x")

    def broken(descriptor: int, size: int) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "read", broken)
    with pytest.raises(FileError, match="what was put aside") as error:
        spool.read(0, 1)
    assert error.value.path == str(tmp_path)


def test_an_open_file_stays_the_same(tmp_path: Path) -> None:
    """Parts of it are read when it was replaced, or is gone."""
    path = tmp_path / "file"
    path.write_bytes(b"old bytes")
    opened = OpenFile(str(path))
    assert opened.signature == signature(str(path))
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "new").replace(path)
    assert (opened.read(4, 3), opened.read(8, 5)) == (b"byt", b"s")
    with pytest.raises(FileError, match="cannot read"):
        OpenFile(str(tmp_path / "none"))
