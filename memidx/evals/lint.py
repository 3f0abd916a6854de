"""Are the labels of a suite still worth measuring against?

Each rule is one function over one query (or the whole suite) and the indexed documents. An
error makes the query unusable: `--lint` refuses the suite, a run counts the query as
inconclusive. A warning is for a person to look at.

Rules: duplicate-id, duplicate-query, dangling, unwinnable, grade-range, category-mismatch,
contradiction, overlap, title-leak, self-provenance, floor-without-queries.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from memidx.evals.outcome import Outcome, combine
from memidx.evals.patterns import Resolver, Row
from memidx.evals.suite import GRADES, OVERALL, Expectation, GoldenQuery, Suite

Severity = Literal["error", "warning"]
# Tells whether a pattern stands for a file that is there, indexed or not.
OnDisk = Callable[[str], bool]

_RETRIEVER = re.compile(
    r"\b(?:retriever|bm25|memidx[ _-](?:query|search|index))\b"
    r"|\b(?:search|query)[ _-](?:results?|output)\b|\A\s*memidx\s*\Z"
)
# What `memidx suggest` writes: a label that nobody has looked at yet.
_UNCONFIRMED = re.compile(r"\s*(?:log|title)\s*")
_WORD = re.compile(r"\w+")
# Thai, kana, Han: words are not set apart by spaces.
_NO_SPACES = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
# A glob over a whole folder is not a target whose title a query could leak.
_MAX_TARGETS = 20
_MIN_TITLE_LETTERS = 4


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing a lint found; `query_id` is empty for a finding about the suite."""

    severity: Severity
    file: str
    line: int
    query_id: str
    rule: str
    message: str

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {
            "severity": self.severity,
            "file": self.file,
            "line": self.line,
            "query_id": self.query_id,
            "rule": self.rule,
            "message": self.message,
        }


def lint_suite(
    suite: Suite, catalog: Iterable[Row], *, on_disk: OnDisk | None = None
) -> list[LintFinding]:
    """Everything questionable about a suite, in the order of its lines.

    Args:
        suite: As read.
        catalog: What is indexed (`index.catalog()`).
        on_disk: Tells a target that is not indexed (unwinnable) from one that is not there
            (dangling); see `memidx.evals.disk`. Without it both are called dangling.
    """
    return lint_resolved(suite, Resolver(catalog), on_disk)


def lint_resolved(suite: Suite, resolver: Resolver, on_disk: OnDisk | None) -> list[LintFinding]:
    """`lint_suite` for a caller that has looked the patterns up already."""
    findings = [*_duplicates(suite), *_floors(suite)]
    for query in suite.queries:
        note = _Note(suite.file, query)
        findings += _targets(query, note, resolver, on_disk)
        findings += _grades(query, note)
        findings += _category(query, note, resolver)
        findings += _contradictions(query, note, resolver)
        findings += _leaks(query, note, resolver)
        findings += _provenance(query, note)
    return sorted(findings, key=lambda finding: (finding.line, finding.rule, finding.message))


def lint_outcome(findings: Iterable[LintFinding]) -> Outcome:
    """`INVALID` when there is an error, else `PASSED`."""
    return combine(Outcome.INVALID for finding in findings if finding.severity == "error")


class _Note:
    """Makes the findings of one query."""

    def __init__(self, file: str, query: GoldenQuery) -> None:
        self._file = file
        self._query = query

    def error(self, rule: str, line: int, message: str) -> LintFinding:
        return LintFinding("error", self._file, line, self._query.query_id, rule, message)

    def warning(self, rule: str, line: int, message: str) -> LintFinding:
        return LintFinding("warning", self._file, line, self._query.query_id, rule, message)


def _duplicates(suite: Suite) -> Iterator[LintFinding]:
    for rule, key, of in (
        ("duplicate-id", "id", lambda query: query.query_id),
        ("duplicate-query", "query", lambda query: " ".join(query.text.casefold().split())),
    ):
        first: dict[str, GoldenQuery] = {}
        for query in suite.queries:
            earlier = first.setdefault(of(query), query)
            if earlier is not query:
                where = f"line {earlier.line_of(key)}"
                what = f"the id {query.query_id!r}" if key == "id" else "the query"
                message = f"{what} stands on {where} already"
                if key == "query":
                    message += f" ({earlier.query_id!r})"
                yield _Note(suite.file, query).error(rule, query.line_of(key), message)


def _floors(suite: Suite) -> Iterator[LintFinding]:
    for floor in suite.floors:
        queries = [q for q in suite.queries if floor.scope in (OVERALL, q.category)]
        if not any(query.expectations and not query.expect_empty for query in queries):
            scope = "the suite" if floor.scope == OVERALL else f"category {floor.scope}"
            message = f"no query of {scope} has expected paths, so {floor.measure} has no value"
            rule = "floor-without-queries"
            yield LintFinding("error", suite.file, floor.line, "", rule, message)


def _targets(
    query: GoldenQuery, note: _Note, resolver: Resolver, on_disk: OnDisk | None
) -> Iterator[LintFinding]:
    for entry in query.expectations:
        absent = [pattern for pattern in entry.any_of if not resolver.documents(pattern)]
        if len(absent) == len(entry.any_of):
            yield _absent(note, entry.line, entry.label, absent, on_disk)
            continue
        for pattern in absent:
            message = f"matches nothing: {pattern} (another of its any_of does)"
            yield note.warning("dangling", entry.line, message)
    for source in query.expect_sources:
        if source not in resolver.sources:
            known = ", ".join(sorted(resolver.sources)) or "none"
            message = f"no document of source {source} is indexed (there are: {known})"
            yield note.error("dangling", query.line_of("expect_sources"), message)
    for pattern in query.must_not:
        if not resolver.documents(pattern):
            message = f"must_not matches nothing, so it cannot fail: {pattern}"
            yield note.warning("dangling", query.line_of("must_not"), message)
    n_wanted = len(query.expect_paths)
    if n_wanted > query.k:
        message = f"{n_wanted} expected paths do not fit into the first {query.k} hits"
        yield note.error("unwinnable", query.line_of("k"), message)


def _absent(
    note: _Note, line: int, label: str, patterns: list[str], on_disk: OnDisk | None
) -> LintFinding:
    if on_disk is not None and any(on_disk(pattern) for pattern in patterns):
        message = f"is there but not indexed: {label} (excluded, unsupported or skipped)"
        return note.error("unwinnable", line, message)
    message = f"matches nothing: {label} (renamed, removed or misspelt?)"
    return note.error("dangling", line, message)


def _grades(query: GoldenQuery, note: _Note) -> Iterator[LintFinding]:
    for entry in query.expect_paths:
        if entry.grade not in GRADES:
            message = f"grade {entry.grade} is out of range (expected {GRADES[0]} to {GRADES[-1]})"
            yield note.error("grade-range", entry.line, message)


def _category(query: GoldenQuery, note: _Note, resolver: Resolver) -> Iterator[LintFinding]:
    rule, line = "category-mismatch", query.line_of("category")
    if query.category == "no-answer" and not query.expect_empty:
        yield note.error(rule, line, "a no-answer query without expect_empty: true")
    if query.expect_empty and query.category != "no-answer":
        message = f"expect_empty in category {query.category} (expected no-answer)"
        yield note.error(rule, line, message)
    if query.category == "multi-source":
        sources = set(query.expect_sources)
        for entry in query.expectations:
            documents = resolver.any_of(entry.any_of)
            sources |= {resolver.rows[doc_id].source for doc_id in documents}
        if len(sources) < 2:
            message = "a multi-source query whose expectations come from fewer than two sources"
            yield note.error(rule, line, message)


def _contradictions(query: GoldenQuery, note: _Note, resolver: Resolver) -> Iterator[LintFinding]:
    if query.expect_empty:
        for key in ("expect_paths", "expect_sources", "top1"):
            if getattr(query, key):
                message = f"expect_empty beside {key}"
                yield note.error("contradiction", query.line_of(key), message)
    banned = resolver.any_of(query.must_not)
    found: list[tuple[Expectation, frozenset[str]]] = []
    for entry in query.expectations:
        documents = resolver.any_of(entry.any_of)
        if documents and documents <= banned:
            message = f"expected and banned by must_not: {entry.label}"
            yield note.error("contradiction", entry.line, message)
        found.append((entry, documents))
    for position, (entry, documents) in enumerate(found):
        if len(documents) == 1 and any(documents == other for _, other in found[:position]):
            message = f"an earlier expectation means the same document: {entry.label}"
            yield note.warning("overlap", entry.line, message)


def _leaks(query: GoldenQuery, note: _Note, resolver: Resolver) -> Iterator[LintFinding]:
    words = normal(query.text)
    for entry in query.expectations:
        documents = resolver.any_of(entry.any_of)
        if len(documents) > _MAX_TARGETS:
            continue
        for doc_id in sorted(documents):
            title = resolver.rows[doc_id].title
            if leaks_title(words, normal(title)):
                message = f"the query holds the title of {doc_id}: {title!r}"
                yield note.warning("title-leak", query.line_of("query"), message)


def leaks_title(query: str, title: str) -> bool:
    """Whether the title's words stand in the query, one after the other; both are `normal`.

    One word of a longer query is no leak; scripts without spaces are compared by characters.
    """
    if not title:
        return False
    if title == query:
        return True
    if _NO_SPACES.search(title) and len(title) >= _MIN_TITLE_LETTERS:
        return title in query
    return " " in title and f" {title} " in f" {query} "


def _provenance(query: GoldenQuery, note: _Note) -> Iterator[LintFinding]:
    if query.provenance and _RETRIEVER.search(query.provenance.casefold()):
        message = f"labels taken from the retriever itself cannot judge it: {query.provenance!r}"
        yield note.error("self-provenance", query.line_of("provenance"), message)
    elif query.provenance and _UNCONFIRMED.fullmatch(query.provenance.casefold()):
        message = f"a suggestion that nobody has confirmed yet: {query.provenance!r}"
        yield note.error("self-provenance", query.line_of("provenance"), message)


def normal(text: str) -> str:
    """The words of a text as rules compare them: folded, one blank between them."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
