"""This repository's own memory: declared in eight roles, committed as a store, asked in a suite."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

import memidx
from memidx.config import load_config
from memidx.evals import load_suite

ROLES = {"decisions", "learnings", "api", "tools", "docs", "verifications", "tasks", "commits"}


@pytest.fixture(scope="module")
def clone(repository: Path) -> Path:
    """The checkout, when it is a whole clone: the store holds its history."""
    run = ["git", "-C", str(repository), "rev-parse", "--is-shallow-repository"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    if done.stdout.strip() != "false":
        pytest.skip("not a whole git clone: the commits of the store cannot be compared")
    return repository


def test_the_committed_store_is_up_to_date(clone: Path) -> None:
    """Whoever changes a document of this repository builds the store in the same commit."""
    report = memidx.build(root=str(clone), check=True)
    assert report.sources_failed == ()
    assert not report.behind, (report.added, report.changed, report.removed)


def test_every_role_has_documents(clone: Path) -> None:
    """Eight roles, all of them filled."""
    report = memidx.build(root=str(clone), check=True)
    assert {role for role in ROLES if report.sources.get(role)} == ROLES


def test_the_history_ends_at_a_commit_of_this_branch(clone: Path) -> None:
    """The pin is an ancestor of what is checked out, so that every clone has it."""
    config = load_config(str(clone), env={})
    pin = next(source.until for source in config.sources if source.kind == "git")
    run = ["git", "-C", str(clone), "merge-base", "--is-ancestor", str(pin), "HEAD"]
    assert subprocess.run(run, check=False).returncode == 0


def test_the_suite_asks_all_of_it(repository: Path) -> None:
    """At least forty queries, in all categories, with ten and more in words of others."""
    suite = load_suite(str(repository / "queries.yaml"))
    by_category = Counter(query.category for query in suite.queries)
    assert len(suite.queries) >= 40
    assert len(by_category) == 8
    blind = [query for query in suite.queries if query.query_id.startswith("blind-")]
    assert len(blind) >= 10
    assert {query.category for query in blind} == {"paraphrase", "question"}
