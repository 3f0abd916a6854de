"""Answers look as they did when they were last looked at.

`UPDATE_SNAPSHOTS=1` writes the files below `expected/` again; read the difference before you
commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memidx.cli.answer_format import render_answer
from memidx.search.answer import Answer, Problem, Snippet
from tests.cli.fakes import FAILED, answer, hit

EXPECTED = Path(__file__).parent / "expected"

_TWO_HITS = answer(
    hit(),
    hit(
        2,
        doc_id="notes/learnings.jsonl#7",
        source="learnings",
        kind="records",
        path="notes/learnings.jsonl",
        anchor="7",
        title="Why a lock file stays behind when a process is killed, and what to do about it",
        score=1.125,
        relevance=0.125,
        composite=0.15,
        confidence="candidate",
        snippet="The lock file is left in place on purpose. " * 5 + "A second process takes it.",
        snippets=(Snippet("The lock file is left in place on purpose.", 1, 1),),
        line_start=None,
        line_end=None,
        time=None,
        tags=(),
    ),
    n_matched=14,
    n_by_source={"docs": 11, "learnings": 3},
    freshness="refreshed",
    n_skipped=1,
    skipped=(Problem("docs/bad.md", "not UTF-8", source="docs"),),
    notes=("One document was cut at 1 MiB.",),
    timing={"refresh_ms": 1.5, "search_ms": 0.25},
)
_NOTHING = answer(verdict="no_terms_in_index", text="scuba", terms=("scuba",))
_UNCERTAIN = answer(verdict="filtered_out", sources_failed=(FAILED,), excluded=("timeout",))


@pytest.mark.parametrize(
    ("name", "given"),
    [("two_hits", _TWO_HITS), ("nothing", _NOTHING), ("uncertain", _UNCERTAIN)],
)
@pytest.mark.parametrize(("form", "suffix"), [("table", "txt"), ("md", "md"), ("json", "json")])
def test_an_answer_looks_as_it_did(name: str, given: Answer, form: str, suffix: str) -> None:
    """Table, Markdown and JSON of an answer are those that were reviewed."""
    text = render_answer(given, form).result + "\n"
    if form == "json":
        text = json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    path = EXPECTED / f"{name}.{suffix}"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        EXPECTED.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")
