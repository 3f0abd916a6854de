"""`memidx init` on memories that were not written for it, and five questions to each.

The documents are third-party data beside the project; the questions are asked in other words than
the documents' titles.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import memidx
from tests.roles.conftest import Run

# Source -> how many documents; the first place of each question.
RFCS = (
    {"decisions": 648, "docs": 6},
    {
        "let with an else block that must diverge": "text/3137-let-else.md",
        "shorthand for struct fields named like the variable": "text/1682-field-init-shorthand.md",
        "match on a reference without writing ref and &": "text/2005-match-ergonomics.md",
        "raw_identifiers": "text/2151-raw-identifiers.md",
        "borrow checker rejects code although the reference is no longer used": "text/2094-nll.md",
    },
)
TEAMS = (
    {
        "learnings-notes": 1,
        "api-docs": 74,
        "work-records": 5,
        "plans": 1,
        "changes": 10,
        "docs": 398,
    },
    {
        "incremental sed update of the memory index": (
            "docs_src/api-reference/memory-index-incremental.md"
        ),
        "testing in a virtual machine": "references/virtual-machine-testing.md",
        "which repositories may a fleet update touch": (
            "references/fleet-update-authorization-policy.md"
        ),
        "stale detection": "docs_src/stale-detection-guide.md",
        "how to write a new template": "docs_src/template-authoring.md",
    },
)


@pytest.mark.shared
@pytest.mark.parametrize(("corpus", "expected"), [("rust-rfcs", RFCS), ("agentteams", TEAMS)])
def test_what_is_there_is_told_and_found(
    run: Run,
    shared: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    corpus: str,
    expected: tuple[dict[str, int], dict[str, str]],
) -> None:
    """The roles are told from names, the starters pass, each question's document is near the top.

    A fixed number of documents is the corpus's own: it does not change.
    """
    n_by_source, questions = expected
    root = tmp_path / corpus
    shutil.copytree(shared / "corpora" / corpus, root)
    monkeypatch.chdir(root)
    assert run("init").exit_code == 0
    assert run("build").exit_code == 0
    with memidx.open(str(root / "store"), env={}) as index:
        held = index.status()["n_by_source"]
        assert {name: n for name, n in held.items() if n} == n_by_source
        assert sum(n_by_source.values()) == index.n_docs
        for text, path in questions.items():
            answer = index.search(text, k=3, as_of="2026-11-30")
            assert path in [hit.doc_id for hit in answer.hits], text
            assert answer.hits[0].confidence == "reliable"
    judged = run("eval", "queries.yaml")
    assert judged.exit_code == 0, judged.output
