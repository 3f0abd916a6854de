"""`memidx query` asks what it was told to ask and ends as documented."""

from __future__ import annotations

import json

import pytest

from memidx.errors import InputError, StoreMissing
from tests.cli.conftest import Run
from tests.cli.fakes import FAILED, FakeIndex, answer, hit


def test_words_are_joined_to_one_query(run: Run, fake_index: FakeIndex) -> None:
    """`memidx query file lock timeout` needs no quotes."""
    fake_index.answer = answer(hit())
    result = run("query", "file", "lock", "timeout")
    assert result.exit_code == 0
    assert fake_index.asked["query"] == "file lock timeout"
    assert fake_index.asked["k"] == 5
    assert fake_index.asked["refresh"] is True


def test_every_option_reaches_the_search(run: Run, fake_index: FakeIndex) -> None:
    """Filters repeat, numbers are numbers, and nothing is lost on the way."""
    fake_index.answer = answer(hit())
    options = (
        "-k 7 --offset 3 --strategy hybrid --source docs --source notes --kind markdown "
        "--tag a --tag b --path docs/** --since 30d --until 2026-11-30 --min-score 0.25 "
        "--as-of 2026-12-01 --dedupe title --exclude-invalidated --no-refresh --format json "
        "--also mutex --also semaphore --per-source 2 --per-path 1"
    )
    assert run("query", "lock", *options.split()).exit_code == 0
    assert fake_index.asked == {
        "query": "lock",
        "k": 7,
        "offset": 3,
        "strategy": "hybrid",
        "refresh": False,
        "as_of": "2026-12-01",
        "sources": ("docs", "notes"),
        "kinds": ("markdown",),
        "tags": ("a", "b"),
        "path_globs": ("docs/**",),
        "since": "30d",
        "until": "2026-11-30",
        "min_score": 0.25,
        "dedupe": "title",
        "exclude_invalidated": True,
        "cursor": None,
        "also": ("mutex", "semaphore"),
        "per_source": 2,
        "per_path": 1,
    }


def test_store_and_root_are_opened(
    run: Run, fake_index: FakeIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store that is named is the one that is opened."""
    import memidx

    opened: list[object] = []

    def keep(store: object, **options: object) -> FakeIndex:
        opened.append((store, options))
        return fake_index

    monkeypatch.setattr(memidx, "open", keep)
    fake_index.answer = answer(hit())
    run("query", "lock", "--store", "s", "--root", "r")
    run("query", "lock")
    assert opened == [(["s"], {"root": "r"}), (None, {"root": None})]


def test_a_query_may_look_like_an_option(run: Run, fake_index: FakeIndex) -> None:
    """After `--` everything is text."""
    fake_index.answer = answer(hit())
    assert run("query", "-k", "2", "--", "--limit", "-x").exit_code == 0
    assert fake_index.asked["query"] == "--limit -x"


def test_an_unknown_option_says_how_to_search_for_it(run: Run, fake_index: FakeIndex) -> None:
    """A word with a dash in front is refused, with the way to ask for it on a line of its own."""
    result = run("query", "lock", "-zzz")
    assert result.exit_code == 2
    assert "No such option" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Hint: put -- before")
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["query"],
        ["query", "x", "-k", "0"],
        ["query", "x", "-k", "many"],
        ["query", "x", "--offset", "-1"],
        ["query", "x", "--format", "xml"],
        ["query", "x", "--strategy", "dense"],
        ["query", "x", "--dedupe", "path"],
        ["query", "x", "--per-source", "0"],
        ["query", "x", "--offset", "5", "--cursor", "1.5.a.b.2026-11-30"],
        ["get"],
        ["get", "x", "--line", "0"],
        ["explain", "x"],
        ["find", "x"],
        [],
    ],
)
def test_wrong_usage_ends_with_2(run: Run, fake_index: FakeIndex, arguments: list[str]) -> None:
    """Whatever cannot be meant is refused before anything is opened."""
    fake_index.answer = answer(hit())
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert fake_index.asked == {}


def test_a_near_miss_of_a_command_is_named(run: Run) -> None:
    """`memidx quer` is told of `query`."""
    assert "query" in run("quer", "x").stderr


def test_no_hits_are_a_clean_no_on_stdout(run: Run, fake_index: FakeIndex) -> None:
    """An empty answer is an answer: it says why, and ends with 1."""
    fake_index.answer = answer(verdict="no_terms_in_index")
    result = run("query", "scuba")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "No word of the query occurs in any document."
    assert result.stdout.splitlines()[-1].startswith("no_terms_in_index: 0 matched; fresh")
    assert result.stderr == ""


def test_no_hits_beside_a_failed_source_end_with_3(run: Run, fake_index: FakeIndex) -> None:
    """The source that failed is named, and the no is not taken for certain."""
    fake_index.answer = answer(sources_failed=(FAILED,))
    result = run("query", "scuba")
    assert result.exit_code == 3
    assert "FAILED notes (no such folder)" in result.stdout


def test_json_alone_is_on_stdout(run: Run, fake_index: FakeIndex) -> None:
    """Stdout parses as the answer."""
    fake_index.answer = answer(hit())
    result = run("query", "lock", "--format", "json")
    assert json.loads(result.stdout) == fake_index.answer.to_dict()
    assert result.stderr == ""


def test_files_can_be_piped(run: Run, fake_index: FakeIndex) -> None:
    """Paths alone are on stdout; without hits there is no line at all."""
    fake_index.answer = answer(hit())
    assert run("query", "lock", "--format", "files").stdout == "docs/locks.md\n"
    fake_index.answer = answer()
    nothing = run("query", "lock", "--format", "files")
    assert nothing.stdout == ""
    assert nothing.stderr.startswith("no_match: 0 matched")
    assert nothing.exit_code == 1


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("since is no date", found="'soon'", hint="say 30d"), 2),
        (StoreMissing("there is no store", path="store", hint="memidx build"), 3),
    ],
)
def test_errors_of_memidx_are_said_without_a_traceback(
    run: Run, fake_index: FakeIndex, error: Exception, code: int
) -> None:
    """The message is a line, the hint the next, and the code says whose move it is."""
    fake_index.error = error
    result = run("query", "lock")
    assert result.exit_code == code
    assert result.stdout == ""
    message, hint = result.stderr.splitlines()
    assert message == f"Error: {error}"
    assert hint.startswith("Hint: ")


def test_a_fault_of_ours_is_no_clean_no(run: Run, fake_index: FakeIndex) -> None:
    """An exception nobody meant ends with 3, not with Python's 1, and shows where it was."""
    fake_index.error = ZeroDivisionError("oops")
    result = run("query", "lock")
    assert result.exit_code == 3
    assert "Traceback" in result.stderr
    assert "ZeroDivisionError: oops" in result.stderr


def test_an_interrupt_ends_with_130(run: Run, fake_index: FakeIndex) -> None:
    """Ctrl-C is neither a no nor a fault."""
    fake_index.error = KeyboardInterrupt()
    result = run("query", "lock")
    assert result.exit_code == 130
    assert result.stderr == "Interrupted.\n"


def test_words_a_locale_could_not_read_are_heard(run: Run, fake_index: FakeIndex) -> None:
    """Bytes that reached the program as lone surrogates are the UTF-8 that was typed."""
    fake_index.answer = answer(hit())
    typed = "部署 café".encode().decode("ascii", "surrogateescape")
    run("query", typed, "--also", typed)
    assert fake_index.asked["query"] == "部署 café"
    assert fake_index.asked["also"] == ("部署 café",)
