"""What the folders hold, and what a survey must not enter."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from memidx import files
from memidx.sources.survey import Survey, survey

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


def test_memidx_never_reads_itself(tmp_path: Path) -> None:
    """The open store and report files by place, other stores by what their manifest says."""
    write(tmp_path, "a.md", "store/docs.md", "reports/latest.md", "reports/mine.md", "x/store/b.md")
    write(tmp_path, "old/c.md", "plain/d.md")
    manifest = {"artifact_type": "memory-index", "shards": ["docs.jsonl"]}
    (tmp_path / "old" / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "plain" / "manifest.json").write_text('{"name": "an app"}')
    own = [str(tmp_path / "store"), str(tmp_path / "reports" / "latest.md")]
    found = look(tmp_path, own=own)
    assert set(found.files) == {"a.md", "reports/mine.md", "x/store/b.md", "plain/d.md"}
    assert not look(tmp_path, ("store",), own).files


@pytest.mark.parametrize(
    "manifest",
    [b"", b"{", b"[]", b'{"artifact_type": 3}', b'"artifact_type"', b"\xff\xfe", b"[" * 9999],
)
def test_a_manifest_of_something_else_hides_nothing(tmp_path: Path, manifest: bytes) -> None:
    """Only a manifest that says what it is makes a folder a store."""
    write(tmp_path, "d/a.md")
    (tmp_path / "d" / "manifest.json").write_bytes(manifest)
    assert set(look(tmp_path).files) == {"d/a.md"}


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


def test_what_vanishes_during_the_walk_is_just_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file or folder deleted between listing and looking is neither error nor skip."""
    write(tmp_path, "a.md", "b.md", "d/c.md")
    scan = files.scan_dir

    def racing(path: str) -> list[os.DirEntry[str]]:
        entries = scan(path)
        if path == str(tmp_path):
            (tmp_path / "b.md").unlink()
            (tmp_path / "d" / "c.md").unlink()
            (tmp_path / "d").rmdir()
        return entries

    monkeypatch.setattr(files, "scan_dir", racing)
    found = look(tmp_path)
    assert set(found.files) == {"a.md"}
    assert not found.skips
    assert not found.failed


def test_unreadable_folders_are_reported_or_fail_the_base(tmp_path: Path) -> None:
    """Without the right to list it, a folder inside is a skip, a base has failed."""
    write(tmp_path, "a.md", "open/b.md", "shut/c.md", "names/d.md")
    code = (
        "import os, sys\n"
        "from memidx.sources.survey import survey\n"
        "root = sys.argv[1]\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "found = survey(root, ['', 'shut'], {'.md'})\n"
        "print(sorted(found.files), found.failed, [(s.path, s.reason) for s in found.skips])\n"
        "print(survey(root, ['shut'], {'.md'}).failed)\n"
    )
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    (tmp_path / "shut").chmod(0)
    (tmp_path / "names").chmod(0o444)
    try:
        run = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).resolve().parents[3],
        )
    finally:
        (tmp_path / "shut").chmod(0o755)
        (tmp_path / "names").chmod(0o755)
    if "Permission denied" in run.stderr:
        pytest.skip("another user cannot read the checkout, so there is no one to test with")
    assert run.returncode == 0, run.stderr
    first, second = run.stdout.splitlines()
    assert first.startswith("['a.md', 'open/b.md'] {'shut': 'cannot list: Permission denied'}")
    assert "('shut', 'the folder cannot be read: cannot list: Permission denied')" in first
    assert "('names/d.md', 'cannot look at: Permission denied')" in first
    assert second == "{'shut': 'cannot list: Permission denied'}"
