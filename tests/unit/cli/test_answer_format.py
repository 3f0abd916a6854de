"""An answer leaves in the form that was asked for, within bounds."""

from __future__ import annotations

import json

import pytest

from memidx.cli.answer_format import render_answer
from memidx.errors import InputError
from tests.cli.fakes import FAILED, answer, hit


def test_json_is_the_answer() -> None:
    """The JSON form is `Answer.to_dict()` and nothing else."""
    given = answer(hit(), notes=("unusual",))
    assert json.loads(render_answer(given, "json").result) == given.to_dict()


def test_jsonl_ends_with_the_answer_without_its_hits() -> None:
    """Every hit is a line; the last line says what the hits are worth."""
    given = answer(hit(1), hit(2, doc_id="a.md"))
    *hits, last = map(json.loads, render_answer(given, "jsonl").result.splitlines())
    whole = given.to_dict()
    assert hits == whole.pop("hits")
    assert last == whole


def test_files_are_paths_once_each() -> None:
    """Two records of one file are one line; the verdict goes to stderr."""
    given = answer(hit(1, path="b.jsonl"), hit(2, path="a.md"), hit(3, path="b.jsonl"))
    rendered = render_answer(given, "files")
    assert rendered.result == "b.jsonl\na.md"
    assert rendered.aside.startswith("hits: 3 shown of 3 matched; fresh")


def test_other_forms_say_everything_themselves() -> None:
    """Nothing goes to stderr where the form holds the verdict."""
    for form in ("table", "json", "jsonl", "md"):
        assert render_answer(answer(hit()), form).aside == ""


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "md"])
def test_an_answer_is_bounded_and_says_how_to_get_more(form: str) -> None:
    """Twenty long hits are cut at a whole hit, and the note names the offset of the next."""
    long = "lock " * 200
    hits = [hit(rank, doc_id=f"{rank}.md", snippet=long) for rank in range(11, 31)]
    bounded = render_answer(answer(*hits), form, max_bytes=8000).result
    assert len(bounded.encode()) <= 8000
    n_shown = sum(f"{rank}.md" in bounded for rank in range(11, 31))
    assert 1 <= n_shown < 20
    assert f"{20 - n_shown} more hits" in bounded
    assert f"--offset {10 + n_shown}" in bounded
    # One hit more would not have fitted: with it and the note the bound is passed.
    more = render_answer(answer(*hits), form, max_bytes=8000 + 3000).result
    assert sum(f"{rank}.md" in more for rank in range(11, 31)) > n_shown


def test_no_bound_shows_all() -> None:
    """`--max-bytes 0` lifts the bound."""
    hits = [hit(rank, snippet="lock " * 500) for rank in range(1, 31)]
    given = answer(*hits)
    assert json.loads(render_answer(given, "json", max_bytes=0).result) == given.to_dict()


def test_a_bound_that_holds_no_hit_is_refused() -> None:
    """Rather than write more than was allowed, or nothing, the bytes that are needed are named."""
    given = answer(hit(1), hit(2))
    with pytest.raises(InputError, match="does not fit") as refused:
        render_answer(given, "json", max_bytes=10)
    needed = int((refused.value.expected or "").split()[0])
    found = render_answer(given, "json", max_bytes=needed).result
    assert len(found.encode()) + 1 <= needed
    assert [shown["rank"] for shown in json.loads(found)["hits"]] == [1]


def test_the_default_bounds_hold_for_the_commonest_word() -> None:
    """Twenty hits with three full snippets each stay under 32 KiB, under 8 KiB to paste."""
    from memidx.search.answer import Snippet

    snippets = tuple(Snippet("日" * 240, 1, 2) for _ in range(3))
    hits = [hit(rank, snippet="日" * 240, snippets=snippets) for rank in range(1, 21)]
    given = answer(*hits, sources_failed=(FAILED,))
    for form, bound in (("table", 32768), ("json", 32768), ("jsonl", 32768), ("md", 8192)):
        assert len(render_answer(given, form).result.encode()) <= bound
