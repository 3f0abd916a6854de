"""What a commit says as a document, and what it must not say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from memidx.config import SourceConfig
from memidx.config.repos import Repo
from memidx.errors import ProgramError
from memidx.sources import git_log
from memidx.sources.base import Gone, Item, Skip, SourceFailed
from memidx.sources.git import KIND
from tests.git_support import ENV, Git, git

SOURCE = SourceConfig("commits", kind="git", repos=(Repo(".", "."),))


def read(
    folder: Path,
    *,
    since: str | None = None,
    source: SourceConfig = SOURCE,
    env: Mapping[str, str] = ENV,
) -> list[Item | Gone | Skip]:
    """What the first repository of a source gives."""
    part = KIND.parts(source)[0]
    token = KIND.token(source, part, str(folder))
    return list(KIND.read(source, part, str(folder), token=token, since=since, env=env).items)


def items(folder: Path, env: Mapping[str, str] = ENV) -> list[Item]:
    """Its commits, newest first."""
    return [given for given in read(folder, env=env) if isinstance(given, Item)]


@pytest.fixture
def repo(tmp_path: Path) -> Git:
    """An empty repository."""
    return Git(tmp_path / "repo")


def test_subject_body_and_files(repo: Git) -> None:
    """The subject is the title, all three are the text, and the time is the author's, in UTC."""
    first = repo.commit("Add a lock", {"a b.md": "1", "src/é.py": "1"})
    second = repo.commit(
        "Split over\ntwo lines\n\nWhy it was done.\n\n* a list\n", {"src/é.py": "2"}
    )
    assert items(repo.folder) == [
        Item(
            "git:.",
            second,
            "Split over two lines\n\nWhy it was done.\n\n* a list\n\nsrc/é.py\n",
            "Split over two lines",
            "2023-11-14T22:15:20Z",
            follows=(first,),
        ),
        Item(
            "git:.",
            first,
            "Add a lock\n\na b.md\nsrc/é.py\n",
            "Add a lock",
            "2023-11-14T22:14:20Z",
        ),
    ]


def test_merges_and_empty_commits(repo: Git) -> None:
    """A merge has a message and its parents, but the files are those of its branches' commits."""
    repo.commit("base", {"a": "1"})
    repo("checkout", "-q", "-b", "side")
    side = repo.commit("side", {"s": "1"})
    repo("checkout", "-q", "main")
    main = repo.commit("empty")
    repo("merge", "-q", "--no-ff", "-m", "Merge side", "side", **repo.clock())
    found = {item.title: item for item in items(repo.folder)}
    assert found["Merge side"].text == "Merge side\n"
    assert found["Merge side"].follows == (main, side)
    assert found["empty"].text == "empty\n"
    assert found["side"].text == "side\n\ns\n"


def test_a_commit_without_a_message(repo: Git) -> None:
    """Its files are its text, and its title is left to whoever makes documents."""
    repo.commit("", {"a.md": "1"})
    (item,) = items(repo.folder)
    assert (item.title, item.text) == (None, "a.md\n")


def test_mail_addresses_are_left_out(repo: Git) -> None:
    """Those of trailers and those of who made the commit; a name stays."""
    repo.commit(
        "Thank ada@example.org\n\n"
        "See git@github.com:x/y, not badada@example.org.\n\n"
        "Reviewed-by: Jane Doe <jane@example.net>\nCc: <list@example.net>"
    )
    (item,) = items(repo.folder)
    assert item.text == (
        "Thank \n\nSee git@github.com:x/y, not badada@example.org.\n\nReviewed-by: Jane Doe\nCc:\n"
    ).replace("Thank \n", "Thank\n")
    assert "Ada" not in item.text


def test_messages_of_other_encodings(repo: Git) -> None:
    """What a commit says of its encoding is believed; bytes that are no text are replaced."""
    repo("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--allow-empty", "-F", "-",
         data="Café fermé\n".encode("latin-1"))  # fmt: skip
    tree = repo("rev-parse", "HEAD^{tree}")
    raw = (
        f"tree {tree}\nparent {repo('rev-parse', 'HEAD')}\nauthor A <a@b.c> 1 +0000\n"
        "committer A <a@b.c> 1 +0000\n\n"
    ).encode() + b"Broken caf\xe9 word\n"
    sha = repo("hash-object", "-t", "commit", "-w", "--stdin", data=raw)
    repo("update-ref", "HEAD", sha)
    repo("config", "i18n.logOutputEncoding", "ISO-8859-1")
    assert [item.title for item in items(repo.folder)] == ["Broken caf\ufffd word", "Café fermé"]
    (skip,) = [given for given in read(repo.folder) if isinstance(given, Skip)]
    assert (skip.path, skip.source) == (f"git:.#{sha}", "commits")


def test_file_names_that_are_hard_to_print(repo: Git) -> None:
    """Names of any bytes are told apart from each other and from the next commit."""
    names = [b"line\nbreak", b"caf\xe9", b'quo"te', b"\x01" + b"a" * 40, b" blank "]
    for name in names:
        (repo.folder / os.fsdecode(name)).write_bytes(b"x")
    repo("add", "-A")
    repo("commit", "-q", "-m", "names")
    repo.commit("next", {"n": "1"})
    first, second = items(repo.folder)
    assert first.text == "next\n\nn\n"
    assert sorted(second.text.split("\n")[2:-1]) == sorted(
        ["line\\nbreak", "caf\\xe9", 'quo"te', "\\x01" + "a" * 40, " blank "]
    )


def test_a_commit_of_very_many_files_is_cut_and_says_so(repo: Git) -> None:
    """The first thousand are listed, the others counted, and that is reported."""
    lines = ["commit refs/heads/main", "committer A <a@b.c> 1 +0000", "data 4", "huge"]
    for n in range(1234):
        lines += [f"M 100644 inline f{n:04d}", "data 1", "x"]
    repo("fast-import", "--quiet", data="\n".join([*lines, ""]).encode())
    skip, item = read(repo.folder)
    assert isinstance(item, Item)
    assert isinstance(skip, Skip)
    files = item.text.split("\n")[2:-1]
    assert files == [*(f"f{n:04d}" for n in range(1000)), "… and 234 more"]
    assert "1,000 of 1,234 files" in skip.reason


@pytest.mark.parametrize(
    ("seconds", "time"),
    [
        ("0 +0000", "1970-01-01T00:00:00Z"),
        ("86400 +5130", "1970-01-02T00:00:00Z"),
        ("4102444800 -0800", "2100-01-01T00:00:00Z"),
        ("99999999999999 +0000", None),
    ],
)
def test_any_author_time(repo: Git, seconds: str, time: str | None) -> None:
    """Old, odd and future times are what they are; one past all calendars is none."""
    tree = repo("hash-object", "-t", "tree", "-w", "--stdin", data=b"")
    raw = f"tree {tree}\nauthor A <a@b.c> {seconds}\ncommitter A <a@b.c> 1 +0000\n\nx\n"
    options = ("--literally",) if time is None else ()
    sha = repo("hash-object", *options, "-t", "commit", "-w", "--stdin", data=raw.encode())
    repo("update-ref", "HEAD", sha)
    assert [item.time for item in items(repo.folder)] == [time]


def test_no_setting_changes_a_commit(tmp_path: Path, repo: Git) -> None:
    """Neither the repository's configuration nor the environment, nor notes and replacements.

    A signature program that a configuration names is not run.
    """
    other = repo.commit("other", {"z": "1"})
    repo.commit("plain", {"b": "1", "a": "2"})
    repo("mv", "a", "c")
    repo.commit("moved")
    before = items(repo.folder)
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    program.chmod(0o755)
    order = tmp_path / "order"
    order.write_text("b\na\n")
    for name, value in {
        "log.showSignature": "true",
        "gpg.program": str(program),
        "core.pager": str(program),
        "core.fsmonitor": str(program),
        "diff.external": str(program),
        "diff.renames": "copies",
        "diff.orderFile": str(order),
        "diff.relative": "true",
        "diff.ignoreSubmodules": "all",
        "log.showRoot": "false",
        "log.date": "relative",
        "log.decorate": "full",
        "log.follow": "true",
        "log.diffMerges": "separate",
        "format.pretty": "oneline",
        "color.ui": "always",
        "i18n.logOutputEncoding": "UTF-16",
    }.items():
        repo("config", name, value)
    repo("notes", "add", "-m", "a note")
    repo("replace", "HEAD", other)
    (repo.folder / ".mailmap").write_text("Somebody <x@y.z> <ada@example.org>\n")
    env = {**ENV, "GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/", "GIT_PAGER": str(program),
           "GIT_EXTERNAL_DIFF": str(program), "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo",
           "GIT_TRACE": str(ran)}  # fmt: skip
    assert items(repo.folder, env) == before
    assert not ran.exists()


def test_nothing_is_fetched(tmp_path: Path, repo: Git) -> None:
    """A clone that lacks what is asked for fails; it does not turn to a network for it."""
    repo.commit("one", {"a": "1"})
    repo("config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=tree:0", f"file://{repo.folder}", "c")
    with pytest.raises(SourceFailed):
        read(tmp_path / "c")
    git(
        tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.folder}", "b"
    )
    assert [item.text for item in items(tmp_path / "b")] == ["one\n\na\n"]


def test_what_changed_since_a_token(repo: Git) -> None:
    """After an amendment: the old commit is gone, the new one is there, the others are not read."""
    repo.commit("one")
    old = repo.commit("two")
    token = KIND.token(SOURCE, "git:.", str(repo.folder))
    new = repo.commit("two, better", None, "--amend")
    given = read(repo.folder, since=token)
    assert sorted(
        (type(part).__name__, part.anchor) for part in given if not isinstance(part, Skip)
    ) == sorted([("Gone", old), ("Item", new)])


def test_a_token_whose_commit_was_cleared_away(repo: Git) -> None:
    """Then everything is read: what changed cannot be told."""
    repo.commit("one")
    fed = KIND.read(SOURCE, "git:.", str(repo.folder), since=f"at {'ab' * 20}", env=ENV,
                    token=KIND.token(SOURCE, "git:.", str(repo.folder)))  # fmt: skip
    assert fed.whole
    assert len(list(fed.items)) == 1


def test_the_recorded_state_is_read_even_if_there_is_a_newer_one(repo: Git) -> None:
    """A commit made between the look and the reading belongs to the next look."""
    one = repo.commit("one")
    token = KIND.token(SOURCE, "git:.", str(repo.folder))
    repo.commit("two")
    fed = KIND.read(SOURCE, "git:.", str(repo.folder), token=token, since=None, env=ENV)
    assert [given.anchor for given in fed.items if isinstance(given, Item)] == [one]


@pytest.mark.parametrize(
    "stream", [[b"hello"], [b"\0>abc\0\0"], [b"\0>" + b"a" * 40 + b"\0\0\0\0\0\0\0x"]]
)
def test_another_output_is_an_error(stream: list[bytes]) -> None:
    """What is no log of ours is not taken for one."""
    with pytest.raises(ProgramError):
        list(git_log._records(git_log._pieces(stream)))


def test_pieces_come_out_whole_wherever_chunks_end() -> None:
    """However the stream is cut, the pieces are the same."""
    data = b"\0ab\0\0c\0" + b"d" * 10
    for size in range(1, len(data) + 1):
        chunks = [data[n : n + size] for n in range(0, len(data), size)]
        assert list(git_log._pieces(chunks)) == [b"", b"ab", b"", b"c", b"d" * 10]
