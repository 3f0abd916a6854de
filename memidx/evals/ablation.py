"""What is each source worth?

Answers a suite over the corpus without a source, with that source alone, and with the sources
added one by one, beside grep. A source that is left out is left out of the statistics too: each
corpus is indexed as if the others had never been. A source earns its place when it helps some
queries and hurts none. Rules: docs/evaluation.md, "Ablation".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memidx.documents import Document
from memidx.errors import InputError
from memidx.evals.beside import Match, grep, grep_words
from memidx.evals.corpora import Corpora
from memidx.evals.grid_values import Progress, Question
from memidx.evals.judge import Ranked
from memidx.evals.measures import DEPTH, mean_values, measure
from memidx.evals.outcome import Outcome, verdict_line
from memidx.evals.report import ARTIFACT_TYPE
from memidx.evals.subject import Subject
from memidx.search.passages import snippets
from memidx.search.prepared import prepare
from memidx.search.ranking import RankSettings, rank_many
from memidx.snapshot.snapshot import Snapshot
from memidx.version import VERSION

ABLATION_SCHEMA = "memidx.ablation-report/1"
MEASURES = ("nDCG@10", "RR@10", "Success@1")
# Values of one measure that differ less are equal.
_TOLERANCE = 1e-9
Decision = Literal["accept", "reject", "no difference"]
Kind = Literal["all", "without", "alone", "added", "grep"]


@dataclass(frozen=True, slots=True)
class AblationRow:
    """A suite over one corpus.

    Attributes:
        kind: What the corpus is.
        source: The one that is left out, alone, or added last; empty for all and for grep.
        n_docs: Documents of the corpus.
        passed: `query_id`s that pass.
        values: Measures by `query_id`, of queries that have relevant items.
        n_bytes: What a reader gets over all queries: title, identity and snippets of the first k
            hits; for grep, every line it prints.
    """

    kind: Kind
    source: str
    n_docs: int
    passed: frozenset[str]
    values: Mapping[str, Mapping[str, float]]
    n_bytes: int

    @property
    def name(self) -> str:
        """As a report shows it."""
        return {
            "all": "all sources",
            "without": f"without {self.source}",
            "alone": f"{self.source} alone",
            "added": f"+ {self.source}",
            "grep": "grep",
        }[self.kind]

    @property
    def means(self) -> Mapping[str, float]:
        """Means of the measures; empty where no query has relevant items."""
        return mean_values(list(self.values.values()), MEASURES)


@dataclass(frozen=True, slots=True)
class SourceFinding:
    """What a source does to the queries, beside all other sources.

    Attributes:
        helps: Queries that pass with it and fail without it.
        hurts: Queries that fail with it and pass without it.
        n_better: Queries whose nDCG@10 is higher with it; `n_worse` alike.
    """

    source: str
    helps: tuple[str, ...]
    hurts: tuple[str, ...]
    n_better: int
    n_worse: int

    @property
    def decision(self) -> Decision:
        """The rule: accepted is what helps some and hurts none."""
        if self.hurts:
            return "reject"
        return "accept" if self.helps else "no difference"


@dataclass(frozen=True)
class AblationReport:
    """What ablation on one suite says.

    Attributes:
        name: Of the suite.
        facts: What the run was made of.
        n_queries: That could be judged.
        rows: In the order they are shown.
        findings: One a source, in the order of their names.
        candidate: The source that is to be accepted or not; None judges all.
        problems: What kept the run from a full answer.
    """

    name: str
    facts: Mapping[str, Any]
    n_queries: int
    rows: tuple[AblationRow, ...]
    findings: tuple[SourceFinding, ...]
    candidate: str | None
    problems: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Of a candidate, whether it is accepted; without one, figures gate nothing.

        Queries that cannot be judged may be those that a candidate helps, not those it hurts.
        """
        if self.candidate is not None and self.findings[0].hurts:
            return Outcome.FAILED
        if self.problems:
            return Outcome.INCONCLUSIVE
        idle = self.candidate is not None and self.findings[0].decision != "accept"
        return Outcome.FAILED if idle else Outcome.PASSED

    @property
    def exit_code(self) -> int:
        """The outcome's exit code."""
        return self.outcome.exit_code

    @property
    def verdict(self) -> str:
        """The last line of every rendering."""
        if self.outcome is Outcome.INCONCLUSIVE:
            said = self.problems[0]
        elif self.candidate is not None:
            finding = self.findings[0]
            said = (
                f"{finding.source} helps {_queries(len(finding.helps))} and hurts "
                f"{len(finding.hurts) or 'none'}: {_JUDGED[finding.decision]}"
            )
        else:
            n = sum(finding.decision == "accept" for finding in self.findings)
            said = f"{n} of {len(self.findings)} sources help some queries and hurt none"
            if hurting := [finding.source for finding in self.findings if finding.hurts]:
                said += f"; {', '.join(hurting)} hurt some"
        return verdict_line(self.outcome, said)

    def to_dict(self) -> dict[str, Any]:
        """The report in its published JSON shape."""
        return {
            "artifact_type": ARTIFACT_TYPE,
            "schema": ABLATION_SCHEMA,
            "name": self.name,
            "outcome": self.outcome.value,
            "exit_code": self.exit_code,
            "verdict": self.verdict,
            "candidate": self.candidate,
            "problems": list(self.problems),
            "facts": dict(self.facts),
            "n_queries": self.n_queries,
            "rows": [
                {
                    "kind": row.kind,
                    "source": row.source or None,
                    "n_docs": row.n_docs,
                    "n_passed": len(row.passed),
                    "measures": dict(row.means),
                    "n_bytes": row.n_bytes,
                    "failed": sorted(self.rows[0].passed - row.passed),
                }
                for row in self.rows
            ],
            "sources": [
                {
                    "source": finding.source,
                    "decision": finding.decision,
                    "helps": list(finding.helps),
                    "hurts": list(finding.hurts),
                    "n_better": finding.n_better,
                    "n_worse": finding.n_worse,
                }
                for finding in self.findings
            ],
        }


_JUDGED: Mapping[Decision, str] = {
    "accept": "accepted",
    "reject": "not accepted",
    "no difference": "not accepted, because it helps no query",
}


def ablate(
    subject: Subject,
    *,
    strategy: str | None = None,
    candidate: str | None = None,
    progress: Progress | None = None,
) -> AblationReport:
    """Answer a suite with and without each source.

    Args:
        subject: A suite over its index.
        strategy: None for the configured one.
        candidate: The one source to judge; None judges all, and adds them one by one too.
        progress: Told after each corpus.

    Raises:
        InputError: There are fewer than two sources with documents, or none of the candidate's
            name.
    """
    documents = list(subject.documents())
    sources = sorted({document.source for document in documents})
    if candidate is not None and candidate not in sources:
        raise InputError(
            "no document is of this source", expected=", ".join(sources), found=candidate
        )
    if len(sources) < 2:
        raise InputError(
            "there is nothing to leave out",
            expected="documents of at least two sources",
            found=", ".join(sources) or "none",
        )
    judged = [candidate] if candidate is not None else sources
    # All, each without and alone, and the sums between one source and all.
    n_corpora = 1 + 2 * len(judged) + (0 if candidate else max(0, len(sources) - 2))
    answering = _Answering(subject, documents, strategy, n_corpora, progress)
    whole = answering.over("all", "", sources)
    without = {
        name: answering.over("without", name, [s for s in sources if s != name]) for name in judged
    }
    alone = {name: answering.over("alone", name, [name]) for name in judged}
    added: list[AblationRow] = []
    if candidate is None:
        order = sorted(alone, key=lambda name: (-len(alone[name].passed), name))
        added = [answering.over("added", name, order[: n + 1]) for n, name in enumerate(order)]
    return AblationReport(
        name=subject.name,
        facts={
            **subject.facts,
            "strategy": answering.strategy,
            "n_analysed": answering.corpora.n_analysed,
            "version": VERSION,
        },
        n_queries=len(subject.questions),
        rows=(whole, *without.values(), *alone.values(), *added, answering.grep()),
        findings=tuple(_finding(name, whole, without[name], subject.questions) for name in judged),
        candidate=candidate,
        problems=subject.problems,
    )


class _Answering:
    """Answers all questions over one corpus after another; equal corpora are answered once."""

    def __init__(
        self,
        subject: Subject,
        documents: Sequence[Document],
        strategy: str | None,
        n_corpora: int,
        progress: Progress | None,
    ) -> None:
        self._subject = subject
        self._documents = documents
        settings = subject.inputs.settings
        self.strategy = strategy or settings.search.strategy
        search = replace(settings.search, strategy=self.strategy)
        # Fitted thresholds hold for the whole corpus alone, so none label here.
        self._settings: RankSettings = replace(settings, search=search, thresholds={})
        self.corpora = Corpora(subject.inputs.analyzer)
        self._n_corpora, self._progress = n_corpora, progress
        self._known: dict[frozenset[str], AblationRow] = {}

    def over(self, kind: Kind, source: str, sources: Sequence[str]) -> AblationRow:
        """The row of a corpus of these sources."""
        key = frozenset(sources)
        if key not in self._known:
            self._known[key] = self._answer(key)
            if self._progress:
                self._progress(len(self._known), max(self._n_corpora, len(self._known)))
        return replace(self._known[key], kind=kind, source=source)

    def grep(self) -> AblationRow:
        """What grep finds in all documents."""
        questions = self._subject.questions
        texts = [(document.doc_id, document.text) for document in self._documents]
        source = {document.doc_id: document.source for document in self._documents}
        found = grep([question.text for question in questions], texts)
        rankings = [[Match(doc_id, source[doc_id]) for doc_id in ranking] for ranking in found]
        n_bytes = sum(grep_bytes(question.text, texts) for question in questions)
        return _row("grep", questions, rankings, len(texts), n_bytes)

    def _answer(self, sources: frozenset[str]) -> AblationRow:
        documents = [d for d in self._documents if d.source in sources]
        snapshot = self.corpora.index(documents)
        questions, analyzer = self._subject.questions, self._subject.inputs.analyzer
        texts = [question.text for question in questions]
        rankings = rank_many(snapshot, analyzer, self._settings, texts, k=DEPTH)
        n_bytes = sum(
            self._shown(snapshot, question.text, ranking[: question.k])
            for question, ranking in zip(questions, rankings, strict=True)
        )
        return _row("all", questions, rankings, len(documents), n_bytes)

    def _shown(self, snapshot: Snapshot, text: str, hits: Sequence[Ranked]) -> int:
        """Bytes of what an answer shows of some hits."""
        analyzer = self._subject.inputs.analyzer
        prepared = prepare(snapshot, analyzer, text, self._settings.search)
        weights = {t.term: t.weight * t.idf for t in prepared.terms if t.numbers is not None}
        n_bytes = 0
        for hit in hits:
            doc = snapshot.find(hit.doc_id)
            if doc is None:
                continue
            title = snapshot.card(doc).title
            shown = snippets(snapshot.text(doc), analyzer, weights, title)
            pieces = (hit.doc_id, title, *(snippet.text for snippet in shown))
            n_bytes += sum(len(piece.encode("utf-8", "replace")) for piece in pieces)
        return n_bytes


def grep_bytes(query: str, texts: Sequence[tuple[str, str]]) -> int:
    """Bytes that `grep -i` prints for any word of a query: `doc_id:line`, a line each."""
    words = grep_words(query)
    n_bytes = 0
    for doc_id, text in texts:
        folded = text.casefold()
        here = [word for word in words if word in folded]
        if not here:
            continue
        head = len(doc_id.encode("utf-8", "replace")) + 2
        for line in text.split("\n"):
            folded = line.casefold()
            if any(word in folded for word in here):
                n_bytes += head + len(line.encode("utf-8", "replace"))
    return n_bytes


def _row(
    kind: Kind,
    questions: Sequence[Question],
    rankings: Sequence[Sequence[Ranked]],
    n_docs: int,
    n_bytes: int,
) -> AblationRow:
    passed = frozenset(
        question.query_id
        for question, ranking in zip(questions, rankings, strict=True)
        if question.passes is not None and question.passes(ranking)
    )
    qrels: dict[str, Mapping[str, int]] = {}
    run: dict[str, Sequence[str]] = {}
    for question, ranking in zip(questions, rankings, strict=True):
        if question.relevant is not None:
            served = [hit.doc_id for hit in ranking]
            qrels[question.query_id], run[question.query_id] = question.relevant(served)
    return AblationRow(kind, "", n_docs, passed, measure(qrels, run, MEASURES).by_query, n_bytes)


def _finding(
    source: str, whole: AblationRow, without: AblationRow, questions: Sequence[Question]
) -> SourceFinding:
    ids = [question.query_id for question in questions]
    gains = [
        whole.values[query_id][MEASURES[0]] - without.values[query_id][MEASURES[0]]
        for query_id in ids
        if query_id in whole.values
    ]
    return SourceFinding(
        source=source,
        helps=tuple(q for q in ids if q in whole.passed and q not in without.passed),
        hurts=tuple(q for q in ids if q in without.passed and q not in whole.passed),
        n_better=sum(gain > _TOLERANCE for gain in gains),
        n_worse=sum(gain < -_TOLERANCE for gain in gains),
    )


def _queries(n: int) -> str:
    return "1 query" if n == 1 else f"{n} queries"
