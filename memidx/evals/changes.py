"""What of a corpus, a configuration, an analyzer, a suite is not the same?

One line a factor, for a person who wants to know what to look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from memidx.documents import Document
from memidx.evals.cells import cut
from memidx.evals.compared import FactorChange
from memidx.evals.past import Corpus, Side
from memidx.evals.suite import Suite

_NAMED = 6
_LONGEST_VALUE = 40


def factor_changes(before: Side, after: Side, factors: tuple[str, ...]) -> Iterator[FactorChange]:
    """One line for each of these factors."""
    told = {
        "corpus": lambda: documents_line(before.corpus, after.corpus),
        "configuration": lambda: _settings(_setup(before), _setup(after)),
        "analyzer": lambda: _settings(before.analysis, after.analysis),
        "labels": lambda: _labels(before.suite, after.suite),
    }
    for factor in factors:
        yield FactorChange(factor, told[factor]())


def documents_line(before: Corpus, after: Corpus) -> str:
    """How many documents came, changed and went, and the first of them."""
    old, new = _by_id(before), _by_id(after)
    added = sorted(new.keys() - old.keys())
    removed = sorted(old.keys() - new.keys())
    changed = sorted(
        name
        for name in old.keys() & new.keys()
        if (old[name].text, old[name].title, old[name].time, old[name].source)
        != (new[name].text, new[name].title, new[name].time, new[name].source)
    )
    parts = [
        f"{len(names):,} {word} ({_listed(names)})"
        for word, names in (("added", added), ("changed", changed), ("removed", removed))
        if names
    ]
    return ", ".join(parts) or "the same documents, otherwise stored"


def _by_id(corpus: Corpus) -> dict[str, Document]:
    return {document.doc_id: document for document in corpus.documents}


def _setup(side: Side) -> dict[str, Any]:
    settings = asdict(side.settings)
    settings.pop("as_of_day", None)
    # What ranked, whether it was configured or asked for.
    settings["search"]["strategy"] = side.strategy or settings["search"]["strategy"]
    return settings


def _settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    old, new = _flat(before), _flat(after)
    parts = [
        f"{key} {_value(old.get(key))} → {_value(new.get(key))}"
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]
    more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
    return ", ".join(parts[:_NAMED]) + more or "the same options, another version"


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _value(value: Any) -> str:
    return "–" if value is None else cut(str(value), _LONGEST_VALUE)


def _labels(before: Suite, after: Suite) -> str:
    old = {query.query_id: query.question for query in before.queries}
    new = {query.query_id: query.question for query in after.queries}
    changed = [name for name in new if name in old and old[name] != new[name]]
    parts = [
        f"{len(names):,} {word} ({_listed(names)})"
        for word, names in (
            ("changed", changed),
            ("added", [name for name in new if name not in old]),
            ("removed", [name for name in old if name not in new]),
        )
        if names
    ]
    if before.as_of != after.as_of:
        parts.append(f"as_of {_value(before.as_of)} → {_value(after.as_of)}")
    return ", ".join(parts) or "the same questions; severities, floors or reasons"


def _listed(names: list[str]) -> str:
    more = ", …" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
