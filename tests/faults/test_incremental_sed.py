"""A build that patches one line, or names why it does not, writes what any build writes."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import memidx
from memidx import files
from memidx.cli.app import app
from memidx.errors import FileError, InputError
from memidx.indexing import reading
from memidx.results import PatchReport
from memidx.snapshot import patching, publish
from memidx.store.patch import DeclineReason
from memidx.store.writer import write_store
from tests.faults.patching import PATCHING, TRICKY, Project, break_writes, sed
from tests.support import write_tree

LOCAL = {".gitignore", "lock", "root", "snapshot", "state.json", "tmp"}
SCRIPT = "incremental-update.sed"
EDIT = "# Note 3\n\nAnother text, \\n with a backslash.\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Thirteen notes, built once."""
    made = Project(tmp_path)
    made.build()
    return made


def check_declined(
    project: Project, reason: DeclineReason, detail: str = "", **options: Any
) -> None:
    """A build declines by this name, and what it leaves is a clean build's."""
    report = project.build(**options)
    assert report.patch is not None
    assert (report.patch.applied, report.patch.declined) == (False, reason), report.patch
    assert detail in report.patch.detail
    assert project.committed() == project.clean()
    assert project.local_names() - {SCRIPT} == LOCAL
    assert project.build(check=True).behind is False


# It patches


@pytest.mark.parametrize("name", ["03.md", "tricky.md"])
def test_one_edit_is_patched(project: Project, name: str) -> None:
    """One line is another; the script stays, and sed does the same with it as the build did."""
    before = project.committed()
    project.edit(name, TRICKY + EDIT)
    report = project.build()
    after = project.committed()
    old, new = (store["docs.jsonl"].split(b"\n") for store in (before, after))
    changed = [n for n, (a, b) in enumerate(zip(old, new, strict=True), 1) if a != b]
    assert report.patch == PatchReport(True, doc_id=name, shard="docs.jsonl", line=changed[0])
    assert len(changed) == 1
    assert (report.shards_written, report.lines_written) == (1, 1)
    assert report.bytes_written == len(after["docs.jsonl"])
    assert after == project.clean()
    assert project.local_names() == LOCAL | {SCRIPT}
    assert sed(project.script, before["docs.jsonl"]) == after["docs.jsonl"]


def test_the_script_is_what_the_page_says(project: Project) -> None:
    """A comment with the shard's name, the address, and the line with doubled backslashes."""
    project.edit("03.md", EDIT)
    report = project.build()
    assert report.patch is not None
    number = report.patch.line
    line = project.committed()["docs.jsonl"].split(b"\n")[(number or 0) - 1]
    assert b"backslash" in line
    doubled = line.replace(b"\\", b"\\\\")
    assert project.script.read_bytes() == b"# docs.jsonl\n%dc\\\n%s\n" % (number, doubled)


def test_what_was_patched_is_found(project: Project) -> None:
    """The snapshot and the record of the sources follow a patch as they follow any build."""
    project.edit("03.md", "# Note 3\n\nA walrus.\n")
    project.build()
    with memidx.open(str(project.store), root=str(project.root), env={}) as index:
        answer = index.search("walrus")
        assert [hit.doc_id for hit in answer.hits] == ["03.md"]
        assert answer.freshness == "fresh"
        assert index.verify().sound


def test_one_record_of_a_file_is_patched(tmp_path: Path) -> None:
    """What counts are documents, not files: a file of many records may change in one."""
    root = write_tree(
        tmp_path / "root",
        {
            "memidx.toml": (
                'incremental_sed = true\n[[sources]]\nname = "tasks"\nkind = "records"\n'
                'include = ["tasks.jsonl"]\n'
            ),
            "tasks.jsonl": "".join(f'{{"id": {n}, "text": "task {n}"}}\n' for n in range(9)),
        },
    )
    memidx.build(root=str(root), env={})
    text = (root / "tasks.jsonl").read_text().replace('"task 4"', '"other 4"')
    write_tree(root, {"tasks.jsonl": "\n" + text})
    report = memidx.build(root=str(root), env={})
    assert report.patch is not None
    assert (report.patch.applied, report.patch.doc_id) == (True, "tasks.jsonl#4")
    assert report.lines_written == 1
    memidx.build(root=str(root), store=str(tmp_path / "clean"), env={})
    shards = [folder / "docs.jsonl" for folder in (root / "store", tmp_path / "clean")]
    assert shards[0].read_bytes() == shards[1].read_bytes()


def test_one_of_many_shards_is_patched(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address counts from the beginning of the document's own shard."""
    monkeypatch.setattr(publish, "SHARD_CAP_BYTES", 1100)
    project.build()
    before = project.committed()
    assert len(before) > 4
    project.edit("03.md", "# Note 3\n\nLocks, and 22 words.\n")
    report = project.build()
    assert report.patch is not None
    assert report.patch.applied
    shard = report.patch.shard or ""
    after = project.committed()
    assert [name for name in after if after[name] != before[name]] == [shard]
    assert sed(project.script, before[shard]) == after[shard]
    assert after == project.clean()


def test_nothing_is_tried_unless_it_is_asked_for(project: Project) -> None:
    """Without the setting, with `full` and with `check`, no script is written or spoken of."""
    project.edit("03.md", EDIT)
    for options in ({"check": True}, {"full": True}, {"env": {}}):
        assert project.build(**options).patch is None
    assert not project.script.exists()


def test_the_command_says_what_it_did(project: Project) -> None:
    """`memidx build` with the variable set: patched, in a line; not patched, in JSON."""
    run = CliRunner(env={**PATCHING, "COLUMNS": "100"}).invoke
    command = ["build", str(project.root), "--store", str(project.store)]
    project.edit("03.md", EDIT)
    said = run(app, command).stdout.splitlines()[-1]
    assert said.startswith("patched docs.jsonl:")
    assert said.endswith(": 03.md")
    project.edit("new.md", "# New\n")
    patch = json.loads(run(app, [*command, "--format", "json"]).stdout)["patch"]
    assert (patch["applied"], patch["declined"]) == (False, "source_set_changed")
    assert patch["detail"] == "1 added, 0 removed"


# It declines


@pytest.mark.parametrize("name", ["", "manifest.json", "docs.jsonl"])
def test_missing_index_file(project: Project, name: str) -> None:
    """No store yet, no manifest, or a shard the manifest names is not there."""
    project.edit("03.md", EDIT)
    if name:
        (project.store / name).unlink()
    else:
        project.store = project.folder / "another"
    check_declined(project, "missing_index_file", name)


@pytest.mark.parametrize(
    "how", ["flip", "marker", "twice", "order", "manifest", "extra", "foreign"]
)
def test_invalid_index_shape(project: Project, how: str) -> None:
    """A store that is not as it was written is written anew, whatever line changed."""
    shard, manifest = project.store / "docs.jsonl", project.store / "manifest.json"
    lines = shard.read_bytes().splitlines(keepends=True)
    if how == "flip":
        lines[1] = lines[1].replace(b"Locks", b"Lacks")
    elif how == "marker":
        lines.insert(3, b"<<<<<<< HEAD\n")
    elif how == "twice":
        lines.append(lines[-1])
    elif how == "order":
        lines[2], lines[5] = lines[5], lines[2]
    elif how == "manifest":
        manifest.write_bytes(manifest.read_bytes().replace(b"sparse", b"sparce"))
    elif how == "extra":
        (project.store / "docs-7.jsonl").write_bytes(lines[0])
    else:
        # Sound, but by another hand: no build of this project writes it.
        body = manifest.read_bytes().replace(b'"framework": ""', b'"framework": "x"')
        write_summed(manifest, body)
    shard.write_bytes(b"".join(lines))
    project.edit("03.md", EDIT)
    check_declined(project, "invalid_index_shape")


def write_summed(manifest: Path, data: bytes) -> None:
    """Write a manifest with the checksum that its bytes have (docs/store-format.md)."""
    from hashlib import blake2b

    body = data[: data.rindex(b',\n  "sum"')]
    digest = blake2b(body, digest_size=8).hexdigest().encode()
    manifest.write_bytes(body + b',\n  "sum": "' + digest + b'"\n}\n')


@pytest.mark.parametrize("how", ["added", "removed", "renamed", "added after a search"])
def test_source_set_changed(project: Project, how: str) -> None:
    """A document more, one less, or another one in its place."""
    project.edit("03.md", EDIT)
    if how != "renamed":
        project.edit("04.md", EDIT)
    if how.startswith("added"):
        project.edit("new.md", "# New\n")
    elif how == "removed":
        (project.root / "05.md").unlink()
    else:
        (project.root / "05.md").rename(project.root / "05b.md")
    if how.endswith("search"):
        # The search has recorded the new document; to the store it still is new.
        with memidx.open(str(project.store), root=str(project.root), env={}) as index:
            index.search("new")
    check_declined(project, "source_set_changed")


def test_source_definitions_changed(tmp_path: Path) -> None:
    """Another weight is another set of sources: the manifest holds it."""
    settings = 'incremental_sed = true\n[[sources]]\nname = "docs"\nweight = {}\n'
    root = write_tree(tmp_path, {"a.md": "# A\n", "memidx.toml": settings.format(1.0)})
    memidx.build(root=str(root), env={})
    write_tree(root, {"a.md": "# B\n", "memidx.toml": settings.format(1.5)})
    report = memidx.build(root=str(root), env={})
    assert report.patch is not None
    assert report.patch.declined == "source_set_changed"
    after = (root / "store" / "manifest.json").read_bytes()
    memidx.build(root=str(root), store=str(root / "clean"), env={})
    assert after == (root / "clean" / "manifest.json").read_bytes()


def test_missing_doc_entry(project: Project) -> None:
    """The line of a document that the sources had all along is gone, as a merge may leave it."""
    shard = project.store / "docs.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join(line for line in lines if b'"03.md"' not in line))
    project.edit("03.md", EDIT)
    check_declined(project, "missing_doc_entry", "03.md")


@pytest.mark.parametrize("n_edits", [0, 2, 12])
def test_eligible_only_single_changed_doc(project: Project, n_edits: int) -> None:
    """None, or more than one."""
    for n in range(n_edits):
        project.edit(f"{n:02}.md", EDIT)
    check_declined(project, "eligible_only_single_changed_doc", str(n_edits or "no document"))


@pytest.mark.parametrize("text", [b"", b" \n\t\n", b"nul \0", b"\xff\xfe\xff"])
def test_changed_doc_empty(project: Project, text: bytes) -> None:
    """The file is there, and holds nothing that can be indexed."""
    project.edit("03.md", text)
    check_declined(project, "changed_doc_unreadable_or_empty", "03.md")


def test_changed_doc_unreadable(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is there and cannot be read: its document stays as it was."""
    real = reading.read_bytes

    def read(path: str) -> bytes:
        if os.path.basename(path) == "03.md":
            raise FileError("cannot read: Permission denied", path=path)
        return real(path)

    monkeypatch.setattr(reading, "read_bytes", read)
    before = project.committed()
    project.edit("03.md", EDIT)
    report = project.build()
    assert report.patch is not None
    assert report.patch.declined == "changed_doc_unreadable_or_empty"
    assert "03.md: cannot read" in report.patch.detail
    assert project.committed() == before


@pytest.mark.parametrize("lines", ["changed", "lost", "swapped"])
def test_doc_anchor_not_found(
    project: Project, monkeypatch: pytest.MonkeyPatch, lines: str
) -> None:
    """Somebody who takes no lock, as git does, changes the shard between reading and patching."""
    shard = project.store / "docs.jsonl"
    real = publish.look_at_sources

    def look(*arguments: Any) -> Any:
        found = real(*arguments)
        stored = shard.read_bytes().splitlines(keepends=True)
        at = next(n for n, line in enumerate(stored) if b'"03.md"' in line)
        if lines == "changed":
            stored[at] = stored[at].replace(b"words", b"WORDS")
        elif lines == "lost":
            del stored[at:]
        else:
            stored[at], stored[at - 1] = stored[at - 1], stored[at]
        shard.write_bytes(b"".join(stored))
        return found

    project.edit("03.md", EDIT)
    with monkeypatch.context() as patched:
        patched.setattr(publish, "look_at_sources", look)
        report = project.build()
    assert report.patch is not None
    assert report.patch.declined == "doc_anchor_not_found"
    assert project.committed() == project.clean()


def test_another_line_changed_meanwhile(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The anchor is there, but the shard is not the one that was read: nothing is built on it."""
    shard = project.store / "docs.jsonl"
    real = publish.look_at_sources

    def look(*arguments: Any) -> Any:
        found = real(*arguments)
        shard.write_bytes(shard.read_bytes().replace(b"and 35 words", b"and 36 words"))
        return found

    project.edit("03.md", EDIT)
    with monkeypatch.context() as patched:
        patched.setattr(publish, "look_at_sources", look)
        report = project.build()
    assert report.patch is not None
    assert report.patch.declined == "invalid_index_shape"
    assert project.committed() == project.clean()


def test_sed_failed_for_want_of_a_place(project: Project) -> None:
    """A folder stands where the script goes: it is left alone, and the store is built."""
    project.script.mkdir()
    project.edit("03.md", EDIT)
    check_declined(project, "sed_failed", "cannot write")
    assert project.script.is_dir()


def test_sed_failed_on_a_full_disk(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no room for the script; by the time of the shard there is."""
    real, n_writes = files._write, [0]

    def write(descriptor: int, data: memoryview) -> int:
        n_writes[0] += 1
        if n_writes[0] == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data)

    project.edit("03.md", EDIT)
    with monkeypatch.context() as patched:
        patched.setattr(files, "_write", write)
        check_declined(project, "sed_failed", "No space left")


@pytest.mark.parametrize(
    "script",
    [b"", b"12c", b"9999c\\\n{}\n", b"0c\\\n{}\n", b"3c\\\n{}\n4d\n", b"3s/a/b/\n", b"3c\\\n\\t\n"],
)
def test_sed_failed_for_another_script(
    project: Project, monkeypatch: pytest.MonkeyPatch, script: bytes
) -> None:
    """What is on the disk is what is run; a script of another form, or address, is refused."""
    project.edit("03.md", EDIT)
    break_writes(monkeypatch, SCRIPT, lambda before, given: script)
    check_declined(project, "sed_failed")


def test_mutated_invalid_before_it_is_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flipped byte in the script makes a line whose checksum is wrong: no reader ever sees it."""
    shard = project.store / "docs.jsonl"
    before, seen = shard.read_bytes(), []

    def watch(*arguments: Any, **options: Any) -> Any:
        seen.append(shard.read_bytes())
        return write_store(*arguments, **options)

    monkeypatch.setattr(patching, "write_store", watch)
    break_writes(monkeypatch, SCRIPT, lambda old, given: given.replace(b"Another", b"Anither"))
    project.edit("03.md", EDIT)
    check_declined(project, "mutated_invalid", "checksum")
    assert seen == [before]


@pytest.mark.parametrize(
    "change",
    [
        lambda old, given: given.replace(b"Another", b"Anither"),
        lambda old, given: given[: len(given) // 2],
        lambda old, given: b"",
    ],
)
def test_mutated_invalid_on_the_disk(
    project: Project, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    """What is read back is judged too: a flipped byte, half a shard, none of it."""
    break_writes(monkeypatch, "docs.jsonl", change)
    project.edit("03.md", EDIT)
    check_declined(project, "mutated_invalid", "docs.jsonl")


@pytest.mark.parametrize("lost", [SCRIPT, "docs.jsonl"])
def test_post_patch_mismatch(project: Project, monkeypatch: pytest.MonkeyPatch, lost: str) -> None:
    """A write that got lost leaves sound lines, but not the expected one."""
    project.edit("03.md", "# Note 3\n\nFirst.\n")
    project.build()
    project.edit("03.md", EDIT)
    break_writes(monkeypatch, lost, lambda before, given: before)
    check_declined(project, "post_patch_mismatch")


@pytest.mark.parametrize("size", [4000, 10])
def test_layout_would_change(project: Project, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """An edit that makes a shard pass the cap, and one that makes it fit again."""
    if size == 10:
        project.edit("03.md", "x" * 4000)
    total = (project.store / "docs.jsonl").stat().st_size
    monkeypatch.setattr(publish, "SHARD_CAP_BYTES", total + 1000)
    project.build()
    n_before = len(project.committed())
    project.edit("03.md", "x" * size)
    check_declined(project, "layout_would_change")
    n_after = len(project.committed())
    assert (n_before > n_after) if size == 10 else (n_before < n_after)


def test_one_shard_asked_for_is_refused_all_the_same(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--no-shard` over a store of several is an error with the setting as without."""
    monkeypatch.setattr(publish, "SHARD_CAP_BYTES", 1100)
    project.build()
    before = project.committed()
    project.edit("03.md", "# Note 3\n\nLocks, and 22 words.\n")
    for env in (PATCHING, {}):
        with pytest.raises(InputError, match="do not fit one file"):
            project.build(env=env, shard=False)
    assert project.committed() == before


# Nothing is lost


def test_a_bad_patch_is_taken_back_even_when_nothing_can_be_rebuilt(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk garbles the patched shard, and is full when the store is written anew."""

    def full(*arguments: Any, **options: Any) -> Any:
        raise FileError("cannot write: No space left on device")

    before = project.committed()
    project.edit("03.md", EDIT)
    with monkeypatch.context() as patched:
        break_writes(patched, "docs.jsonl", lambda old, given: given[:-40])
        patched.setattr(patching, "write_store", full)
        with pytest.raises(FileError, match="No space left"):
            project.build()
    assert project.committed() == before
    report = project.build()
    assert report.patch is not None
    assert report.patch.applied
    assert project.committed() == project.clean()


def test_a_link_and_its_permissions_stay(project: Project, tmp_path: Path) -> None:
    """A shard that is a link to a file elsewhere is patched there, as an ordinary write does."""
    shard, elsewhere = project.store / "docs.jsonl", tmp_path / "elsewhere.jsonl"
    shard.rename(elsewhere)
    elsewhere.chmod(0o640)
    shard.symlink_to(elsewhere)
    project.edit("03.md", EDIT)
    report = project.build()
    assert report.patch is not None
    assert report.patch.applied
    assert shard.is_symlink()
    assert elsewhere.stat().st_mode & 0o777 == 0o640
    assert project.committed() == project.clean()
