"""An answer says what it is worth, above all an empty one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memidx.cli.answer_words import closing_line, cut, place, plural, why_empty
from tests.cli.fakes import FAILED, answer, hit

SCHEMA = Path(__file__).resolve().parents[3] / "docs" / "answer.schema.json"
VERDICTS = json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"]["verdict"]["enum"]


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_has_a_reason_and_advice(verdict: str) -> None:
    """Each way to be empty is said in a sentence, and followed by what to do."""
    why, advice = why_empty(answer(verdict=verdict))
    assert why.endswith(".")
    assert advice.endswith(".")


def test_verdicts_do_not_look_alike() -> None:
    """No two ways to be empty are said with the same words."""
    said = [why_empty(answer(verdict=verdict)) for verdict in VERDICTS]
    assert len(set(said)) == len(said)


def test_an_uncertain_no_says_so() -> None:
    """A failed source or a stale index is named beside the reason."""
    assert "could not be read" in why_empty(answer(sources_failed=(FAILED,)))[0]
    assert "older than its sources" in why_empty(answer(freshness="stale"))[0]
    assert "not certain" not in why_empty(answer())[0]


def test_the_closing_line_names_what_was_searched() -> None:
    """Verdict, counts by source, freshness, strategy, size, skipped and failed are in one line."""
    line = closing_line(
        answer(
            hit(),
            n_matched=1400,
            n_by_source={"notes": 100, "docs": 1300},
            excluded=("timeout",),
            n_skipped=2,
            sources_failed=(FAILED,),
            freshness="stale",
        )
    )
    assert line == (
        "hits: 1 shown of 1,400 matched (docs 1,300, notes 100); stale; lexical; "
        "120 documents searched; without timeout; 2 skipped (memidx verify lists them); "
        "FAILED notes (no such folder)"
    )


def test_the_closing_line_of_an_empty_answer() -> None:
    """Without hits it starts with the verdict."""
    assert closing_line(answer()) == "no_match: 0 matched; fresh; lexical; 120 documents searched"


def test_small_words() -> None:
    """Counts, cuts and places read as a person would write them."""
    assert plural(1, "line") == "1 line"
    assert plural(0, "line") == "0 lines"
    assert plural(1200, "line") == "1,200 lines"
    assert cut("a title\nof two lines", 12) == "a title o..."
    assert cut("short", 12) == "short"
    assert place("a.md", 3) == "a.md:3"
    assert place("a.jsonl#7", None) == "a.jsonl#7"
