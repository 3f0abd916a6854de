"""Whatever is asked, in however many ways, there is an answer, and it is the published JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import memidx
from memidx.cli.answer_format import render_answer
from memidx.cli.explain_text import explain_text
from tests.support import write_tree

NOTES: dict[str, str | bytes] = {
    "lock.md": "# Locks\n\nThe file lock times out; -race and title: are text.\n",
    "部署.md": "# 部署方案\n\nпамять агента, café.\n",
    "tasks/a.md": "# Task\n\nLock the door.\n",
    **{f"other/{n}.md": f"# Other {n}\n\nPlain words.\n" for n in range(8)},
}

SYNTAX = r"""
lock -lock "file lock" -"file lock" title:locks -title:task source:docs -source:docs " - --
title: -source: -title:" source:" ( * ~2 NOT lokc 部署 plain
"""
clauses = st.sampled_from([*SYNTAX.split(), '"file lock"', '-"file lock"', "\0", "\ud800"])
syntax = st.lists(st.one_of(clauses, st.text(max_size=8)), max_size=8).map(" ".join)
questions = st.one_of(st.text(), syntax)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> memidx.Index:
    """An open index."""
    root = write_tree(tmp_path_factory.mktemp("any"), NOTES)
    memidx.build(root=str(root), store=str(root / "store"), env={})
    opened = memidx.open(str(root / "store"), env={})
    opened.refresh()
    return opened


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    """The published schema of answers."""
    path = Path(__file__).resolve().parents[2] / "docs" / "answer.schema.json"
    return Draft202012Validator(json.loads(path.read_text()))


@given(
    query=questions,
    also=st.lists(questions, max_size=3),
    strategy=st.sampled_from(["lexical", "vector", "hybrid"]),
    k=st.integers(1, 12),
)
@example(query="-title:door -source:docs", also=["lock"], strategy="lexical", k=5)
def test_any_question_has_an_answer(
    index: memidx.Index,
    schema: Draft202012Validator,
    query: str,
    also: list[str],
    strategy: str,
    k: int,
) -> None:
    """No text raises; verdict and hits agree; exclusions of the question hold for all phrasings;
    a sure hit needs no help, and an unsure answer has no hit above weak.
    """
    answer = index.search(query, k, also=also, strategy=strategy, refresh=False)
    schema.validate(json.loads(render_answer(answer, "json", max_bytes=0).result))
    assert (answer.verdict == "hits") == bool(answer.hits)
    assert len(answer.hits) <= k
    if "source:docs" in answer.excluded:
        assert not answer.hits
    if answer.nearest:
        assert all(hit.confidence == "weak" for hit in answer.hits)
        assert not {near.doc_id for near in answer.nearest} & {h.doc_id for h in answer.hits}
    assert (answer.cursor is not None) == (len(answer.hits) < answer.n_matched)


@given(query=questions, also=st.lists(questions, max_size=2), doc_id=st.sampled_from([*NOTES]))
def test_any_place_has_a_reason(
    index: memidx.Index, query: str, also: list[str], doc_id: str
) -> None:
    """Explained as shown when the answer shows it, at its rank, and else with a reason."""
    found = index.explain(query, doc_id, 3, also=also, refresh=False)
    hits = {
        hit.doc_id: (hit.rank, hit.composite)
        for hit in index.search(query, 3, also=also, refresh=False).hits
    }
    assert (found.status == "shown") == (doc_id in hits)
    if doc_id in hits:
        assert (found.rank, found.composite) == hits[doc_id]
    assert found.why
    json.dumps(found.to_dict(), allow_nan=False)
    assert explain_text(found)
