"""How do proposed queries look as a suite?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memidx.evals.suggesting import Suggestion

_HEAD = """\
# Proposed by memidx suggest; nobody has looked at them yet.
# Of each that is worth it: correct the labels, write into `provenance` who confirmed them and how,
# and move it into the suite. Until then `memidx eval --lint` refuses it (self-provenance).
"""


class _Quoted(str):
    """Text in double quotes: without them `1e5` or `no` would be read as something else."""

    __slots__ = ()


def render_suggestions(suggestions: Sequence[Suggestion]) -> str:
    """The suggestions as YAML, a suite by itself.

    Args:
        suggestions: At least one; an empty list is no suite.
    """
    import yaml  # a search does not pay for the import

    class Dumper(yaml.SafeDumper):
        """Knows quoted text."""

    def represent(dumper: Any, text: _Quoted) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')

    Dumper.add_representer(_Quoted, represent)
    queries = [_entry(suggestion) for suggestion in suggestions]
    body = yaml.dump(
        {"version": 1, "queries": queries},
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=1000,
    )
    return _HEAD + str(body)


def _entry(suggestion: Suggestion) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": _Quoted(suggestion.query_id),
        "query": _Quoted(suggestion.text),
        "category": suggestion.category,
        "severity": "should",
        "provenance": suggestion.provenance,
        "why": _Quoted(suggestion.why),
    }
    if suggestion.expect_paths:
        entry["expect_paths"] = [_Quoted(doc_id) for doc_id in suggestion.expect_paths]
    else:
        entry["expect_empty"] = True
    return entry
