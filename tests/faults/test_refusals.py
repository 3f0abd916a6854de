"""What the system refuses to hand out is not taken for gone, and not for something else."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import memidx
from memidx import files
from memidx.cli import exit_codes
from memidx.errors import FileError, StoreCorrupt
from memidx.store.reader import read_store
from tests.disk import Call, Disk
from tests.support import write_tree

NOTES = {f"n{i}.md": f"# Note {i}\n\nA lantern, and word{i}.\n" for i in range(3)}
ALL = sorted(NOTES)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Three notes and their index."""
    root = write_tree(tmp_path / "project", NOTES)
    memidx.build(root=str(root), env={})
    return root


@contextmanager
def refusing(number: int, *kinds: str, ends: str) -> Iterator[None]:
    """The system refuses calls of these kinds on paths with this end."""

    def decide(disk: Disk, call: Call) -> None:
        if call.kind in kinds and call.path.endswith(ends):
            raise OSError(number, os.strerror(number), call.path)

    with Disk(decide).under():
        yield


def search(root: Path, words: str = "lantern") -> memidx.Answer:
    """One search by a process that begins."""
    with memidx.open(str(root / "store"), env={}) as index:
        return index.search(words, k=10)


def found(answer: memidx.Answer) -> list[str]:
    """The documents of an answer."""
    return sorted(hit.doc_id for hit in answer.hits)


def stored(root: Path) -> list[str]:
    """The documents of the store."""
    return sorted(read_store(str(root / "store")).lines)


def test_a_file_that_may_not_be_read_keeps_its_documents(project: Path) -> None:
    """It is there: nothing proves that what it held is gone. It is named, and the others go on."""
    write_tree(project, {"n2.md": "# Note 2\n\nA lantern, edited.\n"})
    with refusing(errno.EACCES, "open", ends="n1.md"):
        for full in (False, True):
            report = memidx.build(root=str(project), env={}, full=full)
            assert [skip.path for skip in report.skips] == ["n1.md"]
            assert (report.removed, report.sources_failed) == ((), ())
            assert stored(project) == ALL
        answer = search(project)
        assert found(answer) == ALL
        assert [skip.path for skip in answer.skipped] == ["n1.md"]
    os.chmod(project / "n1.md", 0o600)
    assert search(project).skipped == ()
    (project / "n1.md").unlink()
    assert memidx.build(root=str(project), env={}).removed == ("n1.md",)


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.ESTALE])
def test_a_disk_that_does_not_answer_is_asked_again(project: Path, number: int) -> None:
    """The source failed, its documents stay; when the moment is over, nothing has to change."""
    write_tree(project, {"n1.md": "# Note 1\n\nA lantern, edited.\n", "n3.md": "lantern\n"})
    with refusing(number, "open", "read", ends="n1.md"):
        report = memidx.build(root=str(project), env={})
        assert exit_codes.for_build(report, check=False) == exit_codes.UNFINISHED
        assert "n1.md" in report.sources_failed[0].reason
        assert stored(project) == [*ALL, "n3.md"]
        answer = search(project, "edited")
        assert answer.verdict != "hits" or answer.sources_failed
        assert exit_codes.for_answer(search(project, "nowhere")) == exit_codes.UNFINISHED
    again = search(project, "edited")
    assert (found(again), again.sources_failed) == (["n1.md"], ())


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES])
@pytest.mark.parametrize("kind", ["stat", "open"])
def test_a_configuration_that_cannot_be_read_is_not_absent(
    tmp_path: Path, kind: str, number: int
) -> None:
    """The built-in source in its place would drop and add documents."""
    settings = '[[sources]]\nname = "notes"\ninclude = ["n1.md"]\n'
    root = write_tree(tmp_path / "project", NOTES | {"memidx.toml": settings})
    memidx.build(root=str(root), env={})
    before = (root / "store/docs.jsonl").read_bytes()
    calls: list[Callable[[], object]] = [
        lambda: memidx.build(root=str(root), env={}),
        lambda: search(root),
    ]
    for call in calls:
        with refusing(number, kind, ends="memidx.toml"), pytest.raises(FileError) as caught:
            call()
        assert caught.value.path == str(root / "memidx.toml")
    assert (root / "store/docs.jsonl").read_bytes() == before


def test_an_ignore_file_that_cannot_be_read_lets_nothing_in(project: Path) -> None:
    """It may ask for anything to be left out: what is stored stays, what is not stays out."""
    write_tree(project, {".memidxignore": "n3.md\nprivate/\n"})
    memidx.build(root=str(project), env={})
    write_tree(project, {"n3.md": "lantern\n", "private/n4.md": "lantern\n"})
    for number in (errno.EIO, errno.EACCES):
        with refusing(number, "open", ends=".memidxignore"):
            report = memidx.build(root=str(project), env={})
            assert [failed.path for failed in report.sources_failed] == ["docs"]
            assert ".memidxignore" in report.sources_failed[0].reason
            assert found(search(project)) == stored(project) == ALL
    memidx.build(root=str(project), env={})
    assert stored(project) == ALL


def test_the_manifest_of_another_store_is_not_guessed_at(tmp_path: Path) -> None:
    """A store among the sources is known by its manifest; its shards are no records."""
    settings = '[[sources]]\nname = "r"\nkind = "records"\ninclude = ["**/*.jsonl"]\n'
    root = write_tree(
        tmp_path / "project", {"memidx.toml": settings, "r.jsonl": '{"id": "1", "text": "one"}\n'}
    )
    other = write_tree(root / "other", NOTES)
    memidx.build(root=str(other), env={})
    memidx.build(root=str(root), env={})
    assert stored(root) == ["r.jsonl#1"]
    with refusing(errno.EIO, "open", ends="other/store/manifest.json"):
        report = memidx.build(root=str(root), env={})
        assert "other/store" in report.sources_failed[0].reason
    assert stored(root) == ["r.jsonl#1"]


def test_a_manifest_that_the_disk_does_not_hand_out_is_not_a_missing_one(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was built is unknown then: nothing is built from the working folder in its place."""
    before = (project / "store/docs.jsonl").read_bytes()
    monkeypatch.chdir(write_tree(tmp_path / "elsewhere", {"other.md": "# Other\n"}))
    with (
        refusing(errno.EIO, "open", ends="manifest.json"),
        pytest.raises(FileError, match=r"manifest\.json"),
    ):
        memidx.build(store=str(project / "store"), env={})
    assert (project / "store/docs.jsonl").read_bytes() == before


def test_damage_is_not_healed_past_a_file_that_cannot_be_read(project: Path) -> None:
    """The lost line may be that file's: the build is refused and names both."""
    shard = project / "store/docs.jsonl"
    data = shard.read_bytes()
    shard.write_bytes(data.replace(b"word1", b"w0rd1"))
    with (
        refusing(errno.EACCES, "open", ends="n1.md"),
        pytest.raises(StoreCorrupt, match=r"docs\.jsonl:\d: .*n1\.md cannot be read"),
    ):
        memidx.build(root=str(project), env={})
    memidx.build(root=str(project), env={})
    assert shard.read_bytes() == data


@pytest.mark.parametrize("look", [files.exists, files.is_dir, files.is_file])
def test_no_answer_is_not_a_no(tmp_path: Path, look: Callable[[str], bool]) -> None:
    """`exists` and its like raise where the system does not say; a refusal of rights is a no."""
    with (
        refusing(errno.EIO, "stat", ends="x"),
        pytest.raises(FileError, match="Input/output error"),
    ):
        look(str(tmp_path / "x"))
    with refusing(errno.EACCES, "stat", ends="x"):
        assert not look(str(tmp_path / "x"))
    assert not look(str(tmp_path / "y"))
    assert not look("\0")


def test_a_probe_that_a_kill_left_goes_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the file system has no files without a name, trying leaves one for an instant."""
    monkeypatch.setattr(files, "_UNNAMED", None)
    (tmp_path / ".memidx-probe.1-1.tmp").touch()
    (tmp_path / "kept").touch()
    assert files.is_writable_dir(str(tmp_path))
    assert os.listdir(tmp_path) == ["kept"]
    shutil.rmtree(tmp_path)
    assert not files.is_writable_dir(str(tmp_path))
