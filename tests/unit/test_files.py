"""Files are read, looked at and replaced; the system's refusals become FileError."""

from __future__ import annotations

import errno
import os
import socket
import stat
import threading
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from memidx import files
from memidx.errors import FileError


def _scratch(tmp_path: Path) -> str:
    return str(tmp_path / "cache" / "tmp")


def test_bytes_are_read_whole_or_up_to_a_limit(tmp_path: Path) -> None:
    """A limit beyond the end is no error; the empty file is empty."""
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * 5000)
    assert files.read_bytes(str(path)) == path.read_bytes()
    assert files.read_bytes(str(path), 10) == bytes(range(10))
    assert files.read_bytes(str(path), 0) == b""
    assert files.read_bytes(str(path), 10**7) == path.read_bytes()
    path.write_bytes(b"")
    assert files.read_bytes(str(path)) == b""


def test_a_signature_comes_with_the_bytes(tmp_path: Path) -> None:
    """Size, times and inode of the file that was opened."""
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    data, signature = files.read_signed(str(path))
    status = path.stat()
    assert data == b"abc"
    assert signature == (3, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    assert files.signature(str(path)) == signature
    (entry,) = files.scan_dir(str(tmp_path))
    assert files.entry_signature(entry) == signature


def test_a_system_file_without_a_size_is_read_to_its_end() -> None:
    """What `stat` says of the size is not believed."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("no /proc here")
    assert b"Pid:" in files.read_bytes("/proc/self/status")


@pytest.mark.parametrize(
    "act",
    [
        files.read_bytes,
        files.map_file,
        files.scan_dir,
        files.list_dir,
        lambda path: list(files.read_lines(path)),
    ],
)
def test_what_is_not_there_is_a_file_error(tmp_path: Path, act: Callable[[str], Any]) -> None:
    """With the path and the system's reason, and told apart from other refusals."""
    with pytest.raises(FileError, match="No such file or directory") as caught:
        act(str(tmp_path / "nothing"))
    assert caught.value.path == str(tmp_path / "nothing")
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    assert files.is_missing(caught.value)


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_an_impossible_path_is_a_file_error(path: str) -> None:
    """NUL and characters no file system has are refused, not raised as ValueError."""
    for act in (files.read_bytes, files.signature, files.scan_dir, files.remove, files.make_dir):
        with pytest.raises(FileError, match="not a possible path"):
            act(path)
    assert not files.exists(path)
    assert not files.is_dir(path)
    assert not files.is_file(path)
    assert not files.is_writable_dir(path)


def test_reading_never_waits_on_a_pipe_or_takes_a_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no regular file is refused at once."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        # The address of a socket is short; the folder of a test is not.
        monkeypatch.chdir(tmp_path)
        # The address of a socket is short; the folder of a test is not.
        monkeypatch.chdir(tmp_path)
        server.bind("s")
    for path in (str(tmp_path / "pipe"), os.devnull, str(tmp_path), str(tmp_path / "s")):
        with pytest.raises(FileError):
            files.read_bytes(path)


def test_signature_of_nothing_is_none(tmp_path: Path) -> None:
    """Absent, dangling, below a file: None; a loop of links is an error."""
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("nothing", "dangling", "file/below"):
        assert files.signature(str(tmp_path / name)) is None
    with pytest.raises(FileError):
        files.signature(str(tmp_path / "loop"))


def test_entries_are_sorted_and_links_are_told(tmp_path: Path) -> None:
    """A link is never a folder of its own; its signature is that of where it leads."""
    (tmp_path / "b").mkdir()
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "c").symlink_to("b")
    (tmp_path / "d").symlink_to("d")
    assert files.list_dir(str(tmp_path)) == [
        ("a", False, False),
        ("b", True, False),
        ("c", False, True),
        ("d", False, True),
    ]
    a, b, c, d = sorted(files.scan_dir(str(tmp_path)), key=attrgetter("name"))
    assert files.entry_signatures([a, b, c]) == [*map(files.entry_signature, (a, b, c))]
    assert {type(signature) for signature in files.entry_signatures([a])} == {files.Signature}
    with pytest.raises(FileError, match="cannot look at"):
        files.entry_signatures([a, d])
    assert files.entry_signature(c) == files.entry_signature(b)
    assert files.entry_signature(a).size == 0
    with pytest.raises(FileError):
        files.entry_signature(d)


def test_names_that_are_not_utf8_are_listed(tmp_path: Path) -> None:
    """They come with surrogates, and can be opened by that name."""
    try:
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md"))).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (entry,) = files.list_dir(str(tmp_path))
    assert entry.name == "\udcff.md"
    assert files.read_bytes(str(tmp_path / entry.name)) == b"x"


def test_lines_are_split_at_lf_only(tmp_path: Path) -> None:
    """Other line ends belong to the line."""
    (tmp_path / "a").write_bytes(b"a\r\n\xe2\x80\xa8b\x85\x0b\rc\nlast")
    assert list(files.read_lines(str(tmp_path / "a"))) == [
        b"a\r\n",
        b"\xe2\x80\xa8b\x85\x0b\rc\n",
        b"last",
    ]


def test_a_mapped_file_keeps_its_bytes(tmp_path: Path) -> None:
    """The view is read-only and outlives the file's replacement."""
    path = str(tmp_path / "a")
    files.write_atomic(path, b"old", scratch_dir=_scratch(tmp_path))
    view = files.map_file(path)
    files.write_atomic(path, b"new!", scratch_dir=_scratch(tmp_path))
    files.remove(path)
    assert (bytes(view), view.readonly) == (b"old", True)
    (tmp_path / "empty").write_bytes(b"")
    assert len(files.map_file(str(tmp_path / "empty"))) == 0


def test_a_write_replaces_the_whole_file(tmp_path: Path) -> None:
    """From bytes and from pieces; the count is returned; nothing is left beside."""
    path = tmp_path / "a"
    assert files.write_atomic(str(path), b"abc", scratch_dir=_scratch(tmp_path)) == 3
    pieces = (b"x" * 100_000 for _ in range(25))
    assert files.write_atomic(str(path), pieces, scratch_dir=_scratch(tmp_path)) == 2_500_000
    assert path.read_bytes() == b"x" * 2_500_000
    assert files.write_atomic(str(path), [], scratch_dir=_scratch(tmp_path)) == 0
    assert path.read_bytes() == b""
    assert os.listdir(_scratch(tmp_path)) == []


def test_a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    """Neither 0600 of a temporary file nor more rights than before."""
    before = os.umask(0o027)
    try:
        files.write_atomic(str(tmp_path / "a"), b"1", scratch_dir=_scratch(tmp_path))
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
        for mode in (0o600, 0o666, 0o444, 0o755):
            (tmp_path / "a").chmod(mode)
            files.write_atomic(str(tmp_path / "a"), b"2", scratch_dir=_scratch(tmp_path))
            assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode
    finally:
        os.umask(before)


def test_a_write_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    """The file behind it is replaced."""
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    files.write_atomic(str(tmp_path / "link"), b"new", scratch_dir=_scratch(tmp_path))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.parametrize("call", ["_open_new", "_write", "_fsync", "_rename"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EXDEV])
@pytest.mark.parametrize("meanwhile", [None, list])
def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    number: int,
    meanwhile: Callable[[], object] | None,
) -> None:
    """Whichever system call fails, and why."""
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def refuse(*arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files, call, refuse)
    with pytest.raises(FileError) as caught:
        files.write_atomic(str(path), b"new", scratch_dir=_scratch(tmp_path), meanwhile=meanwhile)
    monkeypatch.undo()
    assert os.strerror(number) in caught.value.message
    assert path.read_bytes() == b"old"
    left = os.listdir(_scratch(tmp_path)) if os.path.isdir(_scratch(tmp_path)) else []
    assert left == []


def test_an_error_in_the_pieces_leaves_the_old_file(tmp_path: Path) -> None:
    """An exception of the caller's generator comes through as it is."""

    def pieces() -> Any:
        yield b"x"
        raise ZeroDivisionError

    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        files.write_atomic(str(tmp_path / "a"), pieces(), scratch_dir=_scratch(tmp_path))
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(_scratch(tmp_path)) == []


def test_what_is_done_meanwhile_is_done_before_the_file_is_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the disk takes all of it; where nobody waits for the disk, nothing is done."""
    waiting, done = threading.Event(), threading.Event()
    path, seen = tmp_path / "a", []

    def fsync(descriptor: int) -> None:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            waiting.set()
            assert done.wait(9)

    def meanwhile() -> None:
        assert waiting.wait(9)
        (temporary,) = Path(_scratch(tmp_path)).iterdir()
        seen.append((temporary.read_bytes(), path.exists()))
        done.set()

    monkeypatch.setattr(files, "_fsync", fsync)
    for is_durable in (True, False):
        files.write_atomic(
            str(path),
            b"0123",
            scratch_dir=_scratch(tmp_path),
            durable=is_durable,
            meanwhile=meanwhile,
        )
    assert seen == [(b"0123", False)]
    assert path.read_bytes() == b"0123"


def test_an_error_meanwhile_leaves_the_old_file(tmp_path: Path) -> None:
    """It comes through as it is, after the disk has taken the bytes."""
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        files.write_atomic(
            str(tmp_path / "a"), b"new", scratch_dir=_scratch(tmp_path), meanwhile=lambda: 1 // 0
        )
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(_scratch(tmp_path)) == []


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may take fewer bytes than it was given."""
    monkeypatch.setattr(files, "_write", lambda fd, data: os.write(fd, data[:3]))
    files.write_atomic(str(tmp_path / "a"), b"0123456789", scratch_dir=_scratch(tmp_path))
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_a_folder_that_cannot_be_synced_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network file systems refuse to sync folders; files must still be synced."""

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(files, "_fsync", fsync)
    files.write_atomic(str(tmp_path / "a"), b"x", scratch_dir=_scratch(tmp_path))
    assert (tmp_path / "a").read_bytes() == b"x"


def test_threads_write_the_same_file_one_whole_version_at_a_time(tmp_path: Path) -> None:
    """Their temporary files have different names."""
    path = str(tmp_path / "a")
    versions = [bytes([65 + n]) * 100_000 for n in range(4)]

    def write(data: bytes) -> None:
        for _ in range(5):
            files.write_atomic(path, data, scratch_dir=_scratch(tmp_path))

    threads = [threading.Thread(target=write, args=(data,)) for data in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert files.read_bytes(path) in versions
    assert os.listdir(_scratch(tmp_path)) == []


def test_a_name_of_255_bytes_is_written(tmp_path: Path) -> None:
    """The temporary file's name is shorter than its target's."""
    path = str(tmp_path / ("x" * 255))
    files.write_atomic(path, b"x", scratch_dir=_scratch(tmp_path))
    assert files.read_bytes(path) == b"x"


def test_temporary_files_of_killed_writes_are_removed_by_target(tmp_path: Path) -> None:
    """Only those the caller asks for."""
    for name in ("docs.jsonl.12-1.tmp", "other.bin.12-2.tmp", "docs.jsonl", "x"):
        (tmp_path / name).write_bytes(b"")
    assert files.remove_temporaries(str(tmp_path), {"docs.jsonl"}.__contains__) == 1
    assert sorted(os.listdir(tmp_path)) == ["docs.jsonl", "other.bin.12-2.tmp", "x"]
    assert files.remove_temporaries(str(tmp_path / "nothing"), bool) == 0


def test_folders_are_made_with_their_parents(tmp_path: Path) -> None:
    """Again is fine; a file in the way is an error."""
    files.make_dir(str(tmp_path / "a" / "b" / "c") + "/")
    files.make_dir(str(tmp_path / "a" / "b"))
    assert files.is_dir(str(tmp_path / "a" / "b" / "c"))
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(FileError):
            files.make_dir(str(path))


def test_removing_what_is_not_there_is_fine(tmp_path: Path) -> None:
    """A folder is not removed by `remove`."""
    files.remove(str(tmp_path / "nothing"))
    with pytest.raises(FileError):
        files.remove(str(tmp_path))


def test_whether_a_folder_can_be_written_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trial leaves nothing; a refusal is an answer, not an error."""
    assert files.is_writable_dir(str(tmp_path))
    assert os.listdir(tmp_path) == []
    assert not files.is_writable_dir(str(tmp_path / "nothing"))

    def refuse(path: str) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(files, "_UNNAMED", None)
    assert files.is_writable_dir(str(tmp_path))
    assert os.listdir(tmp_path) == []
    monkeypatch.setattr(files, "_open_new", refuse)
    assert not files.is_writable_dir(str(tmp_path))
