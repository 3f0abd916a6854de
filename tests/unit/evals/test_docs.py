"""What docs/evaluation.md says is what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memidx.evals import Outcome, parse_suite
from memidx.evals.measures import COLLECTION_MEASURES, SUITE_MEASURES
from memidx.evals.run import RUN_FACTS


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    """The page."""
    return (repository / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_the_example_suite_is_one(page: str) -> None:
    """The suite on the page can be read."""
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert [query.query_id for query in parse_suite(example, "page").queries] == ["lock", "none"]


def test_the_page_names_measures_facts_and_codes(page: str) -> None:
    """Lists on the page are those of the code."""
    assert f"`{' '.join(SUITE_MEASURES)}`" in page
    assert f"`{' '.join(COLLECTION_MEASURES)}`" in page
    assert f"`{' '.join(RUN_FACTS)}`" in page
    for outcome in Outcome:
        assert f"| `{outcome.value}` | {outcome.exit_code} |" in page


def test_the_page_names_every_lint(page: str, repository: Path) -> None:
    """The rules in the header of the module stand on the page."""
    source = (repository / "memidx" / "evals" / "lint.py").read_text(encoding="utf-8")
    listed = re.search(r"Rules: (.*?)\.", source, re.DOTALL)
    assert listed is not None
    rules = re.split(r",\s+", listed[1])
    assert len(rules) == 11
    for rule in rules:
        assert f"`{rule}`" in page
        assert f'"{rule}"' in source


def test_every_key_of_the_schema_is_on_the_page(page: str, repository: Path) -> None:
    """A reader finds each key that the schema allows."""
    import json

    schema = json.loads((repository / "docs" / "suite.schema.json").read_bytes())
    keys = {*schema["properties"], *schema["$defs"]["query"]["properties"]}
    assert {key for key in keys if f"`{key}`" not in page} == set()
