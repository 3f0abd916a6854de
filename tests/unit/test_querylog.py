"""The query log is redacted, bounded, readable after a kill, and follows no link."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from memidx import querylog
from memidx.errors import FileError
from memidx.files.appending import append
from memidx.querylog import LoggedHit, LoggedOpening, LoggedQuery, note_opened, note_query, read_log
from tests.cli.fakes import answer, hit

DAY = "2026-11-30"
# In the shape of a cloud key, put together so that no scanner takes this file for a leak.
KEY = "AKIA" + "IOSFODNN7EXAMPLE"


def _log(store: Path) -> Path:
    return store / ".cache" / "queries.jsonl"


def test_a_line_is_these_bytes(tmp_path: Path) -> None:
    """Home paths and secrets are taken out of the query, the filters and what was opened."""
    got = answer(
        hit(), hit(2, doc_id="b.md", confidence="weak"), text=f"café {KEY} in /home/alice/a.py"
    )
    filters = {"source": ["docs"], "path": ["/home/alice/x/**"], "tag": None, "offset": 0}
    note_query(str(tmp_path), got, filters, DAY)
    note_opened(str(tmp_path), "/home/alice/notes.md", DAY)
    expected = (
        '{"day":"2026-11-30","query":"café <secret> in <path>/a.py",'
        '"filters":{"source":["docs"],"path":["<path>/x/**"]},"verdict":"hits","n_matched":2,'
        '"hits":[{"rank":1,"doc_id":"docs/locks.md","confidence":"reliable"},'
        '{"rank":2,"doc_id":"b.md","confidence":"weak"}],"strategy":"lexical","build_id":"b1"}\n'
        '{"day":"2026-11-30","opened":"<path>/notes.md"}\n'
    )
    assert _log(tmp_path).read_bytes() == expected.encode()


def test_a_secret_at_the_cut_is_not_cut_in_half(tmp_path: Path) -> None:
    """A long query is redacted whole and cut to 1,000 characters afterwards."""
    text = "a" * 990 + f" {KEY} and more"
    note_query(str(tmp_path), answer(text=text), {}, DAY)
    (entry,) = read_log(str(tmp_path))[0]
    assert isinstance(entry, LoggedQuery)
    assert entry.text == ("a" * 990 + " <secret> and more")[:1000]
    assert b"AKIA" not in _log(tmp_path).read_bytes()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Queries and openings come back in order, five hits at most."""
    hits = [hit(n, doc_id=f"{n}.md") for n in range(1, 8)]
    note_query(str(tmp_path), answer(*hits), {"kind": ["git"]}, DAY)
    note_opened(str(tmp_path), "3.md", DAY)
    entries, n_unreadable = read_log(str(tmp_path))
    logged = tuple(LoggedHit(n, f"{n}.md", "reliable") for n in range(1, 6))
    assert n_unreadable == 0
    assert entries == [
        LoggedQuery(DAY, "file lock", "hits", 7, logged, {"kind": ["git"]}, "lexical", "b1"),
        LoggedOpening(DAY, "3.md"),
    ]


def test_bytes_that_are_no_characters_are_logged(tmp_path: Path) -> None:
    """An argument in another encoding neither fails nor spoils the line; a line end stays one."""
    note_query(str(tmp_path), answer(text="caf\udce9\n\u2028x"), {}, DAY)
    (entry,) = read_log(str(tmp_path))[0]
    assert isinstance(entry, LoggedQuery)
    assert entry.text == "caf\udce9\n\u2028x"
    assert _log(tmp_path).read_bytes().count(b"\n") == 1


def test_the_log_keeps_out_of_git_and_of_other_eyes(tmp_path: Path) -> None:
    """It lies in the cache, which ignores itself, and only its owner may read it."""
    note_opened(str(tmp_path), "a.md", DAY)
    assert "*" in (tmp_path / ".cache" / ".gitignore").read_text().splitlines()
    if os.name != "nt":
        assert stat.S_IMODE(_log(tmp_path).stat().st_mode) == 0o600


def test_the_log_is_bounded_and_the_oldest_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never stays above its bound; the newest lines are there, whole and in order."""
    monkeypatch.setattr(querylog, "MAX_BYTES", 1000)
    for n in range(200):
        note_opened(str(tmp_path), f"{n:03}.md", DAY)
        assert _log(tmp_path).stat().st_size <= 1000
    entries, n_unreadable = read_log(str(tmp_path))
    names = [entry.doc_id for entry in entries if isinstance(entry, LoggedOpening)]
    # A line has 40 bytes, so that half of the bound, less a line that was cut, holds 12.
    assert n_unreadable == 0
    assert 12 <= len(names) <= 25
    assert names == [f"{n:03}.md" for n in range(200 - len(names), 200)]
    if os.name != "nt":
        assert stat.S_IMODE(_log(tmp_path).stat().st_mode) == 0o600


def test_one_query_cannot_push_out_the_others(tmp_path: Path) -> None:
    """A line that is longer than any sensible one is not logged."""
    note_opened(str(tmp_path), "a.md", DAY)
    note_query(str(tmp_path), answer(hit()), {"tag": ["x" * 900] * 30}, DAY)
    assert read_log(str(tmp_path)) == ([LoggedOpening(DAY, "a.md")], 0)


@pytest.mark.parametrize(
    "line",
    [
        '{"day":"2026-11-30","query":"half',
        "[]",
        "7",
        '{"day":"2026-11-30"}',
        '{"day":"2026-11-30","opened":7}',
        '{"day":"d","query":"q","filters":{},"verdict":"hits","n_matched":1,'
        '"hits":[{"rank":1}],"strategy":"s","build_id":"b"}',
        "\udce9",
    ],
)
def test_a_spoilt_line_costs_itself_alone(tmp_path: Path, line: str) -> None:
    """What a killed process or a person left is counted, and the lines around it are read."""
    note_opened(str(tmp_path), "a.md", DAY)
    with _log(tmp_path).open("ab") as log:
        log.write(line.encode("utf-8", "surrogateescape") + b"\n")
    note_opened(str(tmp_path), "b.md", DAY)
    assert read_log(str(tmp_path)) == ([LoggedOpening(DAY, "a.md"), LoggedOpening(DAY, "b.md")], 1)


def test_no_log_is_an_empty_log(tmp_path: Path) -> None:
    """Nothing was asked, and reading makes no file."""
    assert read_log(str(tmp_path)) == ([], 0)
    assert list(tmp_path.iterdir()) == []


def test_writers_at_once_lose_no_line(tmp_path: Path) -> None:
    """Eight threads append fifty lines each, and every line is whole and there."""
    path = str(tmp_path / "log")

    def write(name: int) -> None:
        for n in range(50):
            append(path, json.dumps([name, n]).encode() + b"\n")

    threads = [threading.Thread(target=write, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = [tuple(json.loads(line)) for line in (tmp_path / "log").read_bytes().splitlines()]
    assert sorted(lines) == [(name, n) for name in range(8) for n in range(50)]


def test_append_says_how_large_the_file_is(tmp_path: Path) -> None:
    """The size is that of the whole file afterwards."""
    path = str(tmp_path / "log")
    assert append(path, b"abc\n") == 4
    assert append(path, b"de\n") == 7
    assert (tmp_path / "log").read_bytes() == b"abc\nde\n"


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links are followed there")
def test_append_follows_no_link(tmp_path: Path) -> None:
    """A link that came with a repository does not make memidx write elsewhere."""
    (tmp_path / "target").write_bytes(b"as it was")
    (tmp_path / "log").symlink_to(tmp_path / "target")
    with pytest.raises(FileError, match="cannot append to"):
        append(str(tmp_path / "log"), b"x")
    assert (tmp_path / "target").read_bytes() == b"as it was"
