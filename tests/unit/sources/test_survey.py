"""What the folders hold, and what a survey must not enter."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from memidx import files
from memidx.sources.survey import Survey, survey
from tests.support import without_rights

SUFFIXES = frozenset({".md", ".txt"})


def write(root: Path, *names: str) -> None:
    """Files with a word each."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def look(root: Path, bases: Sequence[str] = ("",), own: Sequence[str] = ()) -> Survey:
    """A survey of a folder for the suffixes of these tests."""
    return survey(str(root), bases, SUFFIXES, own)


def reasons(found: Survey) -> dict[str, str]:
    """Path -> why it was skipped."""
    return {skip.path: skip.reason for skip in found.skips}


def test_files_with_a_wanted_suffix_are_signed(tmp_path: Path) -> None:
    """Signatures are what `stat` says; suffixes match in any case; the rest is counted."""
    write(tmp_path, "a.md", "b/c.TXT", "b/d.bin", "e.PDF", "f.pdf", "Makefile", "b/.hidden")
    found = look(tmp_path)
    assert set(found.files) == {"a.md", "b/c.TXT"}
    assert found.files["a.md"] == files.signature(str(tmp_path / "a.md"))
    assert found.others == {"": 2, ".bin": 1, ".pdf": 2}
    assert not found.failed
    assert not found.skips


def test_odd_names_are_names(tmp_path: Path) -> None:
    """Blanks, brackets, emoji, per cent signs, case and 255 bytes make no difference."""
    names = ["a b.md", "a_b.md", "a-b.md", "README.md", "readme.md", "\U0001f418.md", "[x].md"]
    names += ["%_.md", "x" * 252 + ".md", "new\nline.md", "-r.md", "..md", "a.md.md"]
    write(tmp_path, *names)
    assert set(look(tmp_path).files) == set(names)


def test_scratch_folders_are_judged_below_root(tmp_path: Path) -> None:
    """A project that lies in a folder called `venv` is read; a `venv` inside it is not."""
    root = tmp_path / "venv" / "node_modules"
    write(root, "a.md", "venv/b.md", "x/.git/c.md", "x/node_modules/d.md", "venvs/e.md")
    assert set(look(root).files) == {"a.md", "venvs/e.md"}


def test_only_the_bases_are_walked(tmp_path: Path) -> None:
    """A base inside another is walked once; a base may be a file."""
    write(tmp_path, "docs/a.md", "docs/in/b.md", "other/c.md", "one.md", "two.md")
    found = look(tmp_path, ("docs", "docs/in", "one.md"))
    assert set(found.files) == {"docs/a.md", "docs/in/b.md", "one.md"}


def test_a_base_that_is_missing_failed_and_an_empty_one_did_not(tmp_path: Path) -> None:
    """An unmounted folder is told from an emptied one, inside another base too."""
    (tmp_path / "empty").mkdir()
    write(tmp_path, "docs/a.md")
    found = look(tmp_path, ("empty", "gone", "docs", "docs/mount"))
    assert found.failed == {"gone": "is not there", "docs/mount": "is not there"}
    assert set(found.files) == {"docs/a.md"}
    assert look(tmp_path / "gone").failed == {"": "is not there"}


def test_a_base_that_is_a_plain_file_is_recorded(tmp_path: Path) -> None:
    """Whatever its suffix, and inside another base too, so that the change shows."""
    write(tmp_path, "docs/mount/a.md", "v1/b.md")
    before = look(tmp_path, ("docs", "docs/mount", "v1")).files
    for folder, name in (("docs/mount", "a.md"), ("v1", "b.md")):
        (tmp_path / folder / name).unlink()
        (tmp_path / folder).rmdir()
        (tmp_path / folder).write_text("")
    found = look(tmp_path, ("docs", "docs/mount", "v1"))
    assert set(before) == {"docs/mount/a.md", "v1/b.md"}
    assert set(found.files) == {"docs/mount", "v1"}
    assert not found.failed


def test_a_base_that_is_a_pipe_failed(tmp_path: Path) -> None:
    """It is neither a folder nor a file, wherever it lies."""
    (tmp_path / "docs").mkdir()
    os.mkfifo(tmp_path / "docs" / "pipe")
    os.mkfifo(tmp_path / "tube")
    reason = "is neither a folder nor a file"
    found = look(tmp_path, ("docs", "docs/pipe", "tube"))
    assert found.failed == {"docs/pipe": reason, "tube": reason}
    assert not found.unlisted


@pytest.mark.parametrize("base", ["..", "../other", "out"])
def test_a_base_outside_root_failed(tmp_path: Path, base: str) -> None:
    """Whether by dots or by a link, nothing outside root is entered."""
    root = tmp_path / "root"
    write(tmp_path, "other/secret.md")
    write(root, "a.md")
    (root / "out").symlink_to(tmp_path / "other")
    for bases in ((base,), ("", base)):
        found = look(root, bases)
        assert "leads out of root" in found.failed[base]
        assert not any("secret" in path for path in found.files)


def test_a_root_reached_through_a_link_is_root(tmp_path: Path) -> None:
    """Links are judged by where root really is."""
    write(tmp_path, "real/a.md", "real/d/b.md")
    (tmp_path / "real" / "c.md").symlink_to(tmp_path / "real" / "d" / "b.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    found = look(tmp_path / "link")
    assert set(found.files) == {"a.md", "c.md", "d/b.md"}
    assert not found.skips


def test_links_are_contained_ended_and_reported(tmp_path: Path) -> None:
    """Links out of root, loops, devices and dangling links are skips, not crashes."""
    root = tmp_path / "root"
    write(tmp_path, "outside/x.md")
    write(root, "a.md", "d/b.md")
    links = {
        "out": tmp_path / "outside",
        "out.md": tmp_path / "outside" / "x.md",
        "d/loop": root,
        "self": Path("self"),
        "self.md": Path("self.md"),
        "dangling.md": Path("nowhere.md"),
        "null.md": Path("/dev/null"),
        "dir.md": Path("d"),
        "git": Path(".git"),
        "inside.md": Path("d/b.md"),
        "pic.png": Path("nowhere.png"),
    }
    write(root, ".git/hidden.md")
    for name, target in links.items():
        (root / name).symlink_to(target)
    found = look(root)
    assert set(found.files) == {"a.md", "d/b.md", "inside.md"}
    assert reasons(found) == {
        "out": "link leads out of root",
        "out.md": "link leads out of root",
        "d/loop": "link to a folder that is read under another name",
        "self.md": "link leads nowhere",
        "dangling.md": "link leads nowhere",
        "null.md": "link leads out of root",
        "dir.md": "link to a folder that is read under another name",
    }


def test_a_linked_folder_is_read_once(tmp_path: Path) -> None:
    """Its own name goes before the link's; a folder no base covers is read through the link."""
    write(tmp_path, "docs/a.md", "notes/b.md", "notes/deep/c.md")
    (tmp_path / "docs" / "notes").symlink_to("../notes")
    (tmp_path / "docs" / "again").symlink_to("../notes/deep")
    found = look(tmp_path, ("docs",))
    assert set(found.files) == {"docs/a.md", "docs/again/c.md", "docs/notes/b.md"}
    assert set(look(tmp_path).files) == {"docs/a.md", "notes/b.md", "notes/deep/c.md"}


def test_many_links_do_not_multiply(tmp_path: Path) -> None:
    """Folders that all link to each other are walked once each, not once per path."""
    for n in range(12):
        write(tmp_path, f"d{n}/f{n}.md")
    for n in range(12):
        for m in range(12):
            (tmp_path / f"d{n}" / f"l{m}").symlink_to(f"../d{m}")
    assert len(look(tmp_path).files) == 12


def test_what_is_not_a_regular_file_is_reported(tmp_path: Path) -> None:
    """Pipes and sockets with a document's name are never opened."""
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "real.md").write_text("x")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(
            str(tmp_path / "s.md")[-100:] if len(str(tmp_path)) > 90 else str(tmp_path / "s.md")
        )
        found = look(tmp_path)
    assert set(found.files) == {"real.md"}
    assert set(reasons(found).values()) == {"not a regular file"}


STORE_FILES = ("manifest.json", "docs.jsonl", "docs-0f.jsonl", ".cache/tmp/x.jsonl")


def write_store(root: Path, kind: str = "memory-index") -> None:
    """The files of a store, and what looks like one of them but is not."""
    write(root, *STORE_FILES, "docs-mine.jsonl", "docs-.jsonl", "notes.md", "sub/docs.jsonl")
    manifest = {"memory_index_schema_version": "9.0", "artifact_type": kind}
    (root / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("store", ["", "docs", "docs/store"])
@pytest.mark.parametrize("mine", [True, False])
def test_memidx_never_reads_itself(tmp_path: Path, store: str, mine: bool) -> None:
    """Of a store, the open one or another, its own files are left out and nothing beside them."""
    folder = tmp_path / store
    write_store(folder)
    if mine:
        # The open store is known by its place, before it has a manifest too.
        (folder / "manifest.json").unlink()
    inside = {"docs-mine.jsonl", "docs-.jsonl", "notes.md", "sub/docs.jsonl"}
    wanted = {f"{store}/{name}" if store else name for name in inside}
    for bases in (("",), (store,), ("", store)):
        found = survey(str(tmp_path), bases, {".md", ".jsonl"}, [str(folder)] if mine else [])
        assert set(found.files) == wanted
        assert not found.others
        assert not found.failed
        assert not found.skips


def test_report_files_are_left_out_by_their_place(tmp_path: Path) -> None:
    """Not the folder they lie in, and not through a link either."""
    write(tmp_path, "reports/latest.md", "reports/mine.md")
    (tmp_path / "link.md").symlink_to("reports/latest.md")
    found = look(tmp_path, own=[str(tmp_path / "reports" / "latest.md")])
    assert set(found.files) == {"reports/mine.md"}
    assert not found.skips


@pytest.mark.parametrize("mine", [True, False])
def test_no_link_leads_to_the_files_of_a_store(tmp_path: Path, mine: bool) -> None:
    """A link to a shard is a shard; one to a note beside it is a note."""
    write_store(tmp_path / "store")
    (tmp_path / "docs").mkdir()
    for name in ("docs.jsonl", "manifest.json", "notes.md", ".cache"):
        (tmp_path / "docs" / name).symlink_to(tmp_path / "store" / name)
    own = [str(tmp_path / "store")] if mine else []
    found = survey(str(tmp_path), ("docs",), {".md", ".jsonl", ".json"}, own)
    assert set(found.files) == {"docs/notes.md"}


def test_a_store_reached_through_a_link_is_a_store(tmp_path: Path) -> None:
    """The folder of the open store is known whatever it is called on the way."""
    write_store(tmp_path / "real")
    (tmp_path / "real" / "manifest.json").write_text("")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "store").symlink_to("../real")
    found = survey(
        str(tmp_path), ("docs",), {".md", ".json", ".jsonl"}, [str(tmp_path / "docs" / "store")]
    )
    assert set(found.files) == {
        "docs/store/docs-mine.jsonl",
        "docs/store/docs-.jsonl",
        "docs/store/notes.md",
        "docs/store/sub/docs.jsonl",
    }


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"{",
        b"[]",
        b'{"artifact_type": 3}',
        b'"artifact_type"',
        b"\xff\xfe",
        b"[" * 9999,
        b'{"artifact_type":"memory-index-report"}',
        b'{"artifact_type":["memory-index"]}',
        b'{"app": {"artifact_type":"memory-index"}}',
    ],
)
def test_a_manifest_of_something_else_hides_nothing(tmp_path: Path, manifest: bytes) -> None:
    """Only a manifest that says what it is makes a folder a store."""
    write(tmp_path, "d/a.md", "d/docs.jsonl")
    (tmp_path / "d" / "manifest.json").write_bytes(manifest)
    found = survey(str(tmp_path), ("",), {".md", ".json", ".jsonl"})
    assert set(found.files) == {"d/a.md", "d/docs.jsonl", "d/manifest.json"}


def test_ignore_files_are_watched(tmp_path: Path) -> None:
    """A change of what is ignored is a change, above a base too."""
    write(tmp_path, ".memidxignore", "docs/.memidxignore", "docs/in/a.md", "docs/in/.memidxignore")
    watched = {".memidxignore", "docs/.memidxignore", "docs/in/.memidxignore"}
    assert set(look(tmp_path, ("docs/in",)).files) == {*watched, "docs/in/a.md"}
    assert set(look(tmp_path).files) == {*watched, "docs/in/a.md"}


def test_every_change_shows(tmp_path: Path) -> None:
    """Edits, additions with an old mtime, deletions, renames and restored mtimes all differ."""
    write(tmp_path, "a.md", "b.md")
    before = look(tmp_path).files
    assert look(tmp_path).files == before
    stat = (tmp_path / "a.md").stat()
    (tmp_path / "a.md").write_text("A.md")
    os.utime(tmp_path / "a.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert look(tmp_path).files != before
    before = look(tmp_path).files
    write(tmp_path, "old.md")
    os.utime(tmp_path / "old.md", (1, 1))
    assert look(tmp_path).files != before
    before = look(tmp_path).files
    (tmp_path / "b.md").rename(tmp_path / "c.md")
    assert look(tmp_path).files != before


@pytest.fixture
def before_listing(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], None]], None]:
    """Sets what another process does right before a folder is listed, and each time again."""

    def at(path: str, act: Callable[[], None]) -> None:
        scan = files.scan_dir

        def racing(folder: str) -> list[os.DirEntry[str]]:
            if folder == path:
                act()
            return scan(folder)

        monkeypatch.setattr(files, "scan_dir", racing)

    return at


@pytest.fixture
def after_listing(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], None]], None]:
    """Sets what another process does between the listing of a folder and the look at its files."""

    def at(path: str, act: Callable[[], None]) -> None:
        scan = files.scan_dir

        def racing(folder: str) -> list[os.DirEntry[str]]:
            entries = scan(folder)
            if folder == path:
                act()
            return entries

        monkeypatch.setattr(files, "scan_dir", racing)

    return at


Act = Callable[[str, Callable[[], None]], None]


def once(act: Callable[[], None]) -> Callable[[], None]:
    """The same, but nothing from the second time on."""
    left = [act]
    return lambda: left.pop()() if left else None


def test_a_folder_that_is_replaced_during_the_walk_is_read_anew(
    tmp_path: Path, after_listing: Act
) -> None:
    """None of the names that were listed is there any more, and none of the new ones is missed."""
    write(tmp_path, "docs/a.md", "docs/b.md", "next/c.md", "next/in/d.md")

    def replace() -> None:
        (tmp_path / "docs").rename(tmp_path / "last")
        (tmp_path / "next").rename(tmp_path / "docs")

    after_listing(str(tmp_path / "docs"), once(replace))
    found = look(tmp_path, ("docs",))
    assert set(found.files) == {"docs/c.md", "docs/in/d.md"}
    assert not found.failed
    assert not found.skips


def test_a_folder_that_is_moved_away_during_the_walk_failed(
    tmp_path: Path, after_listing: Act, before_listing: Act
) -> None:
    """Its files are not deleted: the base is not there, whether it went early or late."""
    for race in (after_listing, before_listing):
        write(tmp_path, "docs/a.md")
        race(str(tmp_path / "docs"), once(lambda: shutil.rmtree(tmp_path / "docs")))
        assert look(tmp_path, ("docs",)).failed == {"docs": "is not there"}


def test_a_deletion_during_the_walk_is_a_deletion(tmp_path: Path, after_listing: Act) -> None:
    """A file, a folder and a link that go for good are gone, and nothing is wrong."""
    write(tmp_path, "a.md", "b.md", "d/c.md")
    (tmp_path / "link.md").symlink_to("a.md")
    (tmp_path / "way").symlink_to("d")

    def delete() -> None:
        shutil.rmtree(tmp_path / "d")
        for name in ("b.md", "link.md", "way"):
            (tmp_path / name).unlink()

    after_listing(str(tmp_path), once(delete))
    found = look(tmp_path)
    assert set(found.files) == {"a.md"}
    assert not found.others
    assert not found.skips
    assert not found.failed


def test_a_folder_that_never_settles_failed(tmp_path: Path, after_listing: Act) -> None:
    """After three looks it is said what vanished, and in which folder; the rest is known."""
    write(tmp_path, "docs/a.md", "docs/in/0.md", "other/b.md")
    turns = iter(range(9))

    def turn() -> None:
        n = next(turns)
        (tmp_path / f"docs/in/{n}.md").rename(tmp_path / f"docs/in/{n + 1}.md")

    after_listing(str(tmp_path / "docs/in"), turn)
    found = look(tmp_path)
    assert next(turns) == 3
    assert set(found.files) == {"docs/a.md", "other/b.md"}
    assert found.failed == {"docs/in": "keeps changing while it is looked at"}
    assert found.unlisted == {"docs/in"}
    assert reasons(found) == {"docs/in/2.md": "vanished while it was looked at"}


def test_links_that_never_settle_are_no_dangling_links(tmp_path: Path, after_listing: Act) -> None:
    """A link that is not there itself vanished, with or without a document's name."""
    write(tmp_path, "docs/a.md", "notes/b.md")
    turns = iter(range(9))
    (tmp_path / "docs/0").symlink_to("../notes")
    (tmp_path / "docs/self").symlink_to("self")

    def turn() -> None:
        n = next(turns)
        (tmp_path / f"docs/{n}").rename(tmp_path / f"docs/{n + 1}")

    after_listing(str(tmp_path / "docs"), turn)
    found = look(tmp_path, ("docs",))
    assert found.failed == {"docs": "keeps changing while it is looked at"}
    assert reasons(found) == {"docs/2": "vanished while it was looked at"}


def test_a_folder_that_cannot_be_read_failed(tmp_path: Path) -> None:
    """A base or a folder below one, without the right to list it or to look at its files."""
    write(tmp_path, "a.md", "open/b.md", "open/shut/c.md", "names/d.md")
    with without_rights(tmp_path, ("open/shut", 0), ("names", 0o444)):
        found = look(tmp_path, ("", "open/shut"))
        base = look(tmp_path, ("open/shut",))
    assert set(found.files) == {"a.md", "open/b.md"}
    assert found.failed == {
        "names": "cannot look at: Permission denied",
        "open/shut": "cannot list: Permission denied",
    }
    assert found.unlisted == {"names", "open/shut"}
    assert not found.skips
    assert base.failed == {"open/shut": "cannot list: Permission denied"}


def test_a_base_below_a_folder_that_cannot_be_listed_is_read(tmp_path: Path) -> None:
    """Who may pass through a folder knows what lies in a base inside it, links included."""
    write(tmp_path, "pass/docs/a.md", "elsewhere/b.md", "c.md", "pass/.memidxignore")
    (tmp_path / "pass/docs/link").symlink_to("../../elsewhere")
    with without_rights(tmp_path, ("pass", 0o311)):
        found = look(tmp_path, ("pass", "pass/docs"))
    watched = "pass/.memidxignore"
    assert set(found.files) == {watched, "pass/docs/a.md", "pass/docs/link/b.md"}
    assert found.failed == {"pass": "cannot list: Permission denied"}


def test_a_root_that_cannot_be_entered_fails_the_bases(tmp_path: Path) -> None:
    """The ignore files on the way to a base are not worth an error of their own."""
    write(tmp_path, "root/docs/in/a.md")
    with without_rights(tmp_path, ("root", 0)):
        found = look(tmp_path / "root", ("docs/in",))
    assert set(found.failed) == {"docs/in"}
    assert not found.files
