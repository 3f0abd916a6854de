"""How does a report read in a pull request?

The verdict first, what failed and what moved next, then the tables. The text is bounded: a
comment has a greatest size, and what is left out is said and stands in report.json. The same run
gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from memidx.evals.cells import (
    cause_words,
    change_word,
    comparison_lines,
    count,
    cut,
    escape,
    fact,
    figure,
    interval,
    kind_words,
    lint_line,
    probability,
    rank_words,
    share,
    signed,
)
from memidx.evals.compared import Beside, Comparison, Move, Tally
from memidx.evals.comparing import ComparedRuns
from memidx.evals.markdown_parts import CELL, bullets, cell, section
from memidx.evals.report import ARTIFACT_TYPE, Group, QueryResult, Report
from memidx.evals.suite import OVERALL

MARKER = f"<!-- artifact_type: {ARTIFACT_TYPE} -->"
MAX_BYTES = 60_000
# Bytes that each part may take; the list of all queries takes what the others leave.
_CAPS = {
    "problems": 4_000,
    "failing": 14_000,
    "misses": 10_000,
    "moved": 10_000,
    "compared": 3_000,
    "tables": 5_000,
    "lints": 3_000,
    "notes": 2_000,
}
_MAIN_MEASURES = ("nDCG@10", "RR@10", "R@10", "Success@1", "Success@5")
# The ones shown where a category has one line.
_CATEGORY_MEASURE = "nDCG@10"


def render_markdown(report: Report) -> str:
    """A report for a file; its first line keeps memidx from ever indexing it."""
    blocks = [
        f"{MARKER}\n# Evaluation of {escape(cut(report.suite, CELL))}",
        f"**{escape(cut(report.verdict, 2 * CELL))}**",
        *bullets("Problems", report.problems, _CAPS["problems"]),
        *_compared(report),
        *_failing(report),
        *_misses(report),
        *_moved(report),
        *bullets("Known gaps that passed", report.unexpected_passes, _CAPS["notes"]),
        *_categories(report),
        *_measures(report),
        *_floors(report),
        *_beside(report.beside),
        *bullets("Lints", [lint_line(finding) for finding in report.lints], _CAPS["lints"]),
        *bullets("Notes", report.notes, _CAPS["notes"]),
        *_facts(report),
    ]
    used = sum(len(f"{block}\n\n".encode()) for block in blocks)
    blocks += _queries(report, MAX_BYTES - used)
    return "\n\n".join(blocks) + "\n"


def render_compared_markdown(compared: ComparedRuns) -> str:
    """Two runs, compared, for a pull request."""
    report = compared.report
    blocks = [
        f"{MARKER}\n# {escape(cut(compared.before, CELL))} → {escape(cut(compared.after, CELL))}",
        f"**{escape(cut(compared.verdict, 2 * CELL))}**",
        *_compared(report),
        *_moved(report, all_of_them=True),
        *_measures(report),
        *_facts(report),
    ]
    return "\n\n".join(blocks) + "\n"


def _compared(report: Report) -> list[str]:
    if report.comparison is None:
        return []
    return bullets(None, comparison_lines(report.comparison), _CAPS["compared"])


def _failing(report: Report) -> list[str]:
    """Queries that did not pass, those that gate first."""
    moves = _moves(report)
    order = {"must": 0, "should": 1, "known_gap": 2}
    results = sorted(
        (result for result in report.queries if result.status != "passed"),
        key=lambda result: (order[result.severity], result.status != "failed"),
    )
    if not results:
        return []
    heads = ["query", "severity", "result", "why not"]
    heads += _move_heads(report) if report.comparison else []
    rows = []
    for result in results:
        move = moves.get(result.query_id)
        row = [_named(result), result.severity, result.status, cell("; ".join(result.reasons))]
        if report.comparison:
            row += _open_cells(report, result) if move is None else _move_cells(report, move)
        rows.append(row)
    return section("Not passed", heads, rows, _CAPS["failing"])


def _misses(report: Report) -> list[str]:
    """Why queries did not pass, and what was tried."""
    rows = [
        [
            cell(miss.query_id),
            kind_words(miss),
            cell(miss.target),
            escape(cut(miss.detail, 2 * CELL)),
            cell(miss.hint_words) or "–",
        ]
        for miss in report.misses
    ]
    return section("Why not", ["query", "kind", "missed", "what", "checked"], rows, _CAPS["misses"])


def _moved(report: Report, *, all_of_them: bool = False) -> list[str]:
    """Queries that passed, or all, and came out otherwise than in the baseline."""
    passed = {r.query_id for r in report.queries if all_of_them or r.status == "passed"}
    moves = [move for move in _moves(report).values() if move.query_id in passed]
    rows = [
        [
            f"{cell(move.query_id)}: {cell(move.text)}",
            move.severity,
            change_word(move),
            *_move_cells(report, move),
        ]
        for move in moves
    ]
    heads = ["query", "severity", "change", *_move_heads(report)]
    return section("Moved", heads, rows, _CAPS["moved"])


def _moves(report: Report) -> dict[str, Move]:
    moves = report.comparison.moves if report.comparison else ()
    return {move.query_id: move for move in moves}


def _move_heads(report: Report) -> list[str]:
    why = ["because of"] if _causes(report) else []
    return ["rank before → now", *why, "now above it"]


def _causes(report: Report) -> bool:
    """Whether there is anything to say of why queries moved."""
    comparison = report.comparison
    return comparison is not None and comparison.why is not None and bool(comparison.why.causes)


def _move_cells(report: Report, move: Move) -> list[str]:
    cells = [cell(rank_words(move)) or "–", cell(", ".join(move.now_above)) or "–"]
    return _with_cause(report, move.query_id, cells)


def _open_cells(report: Report, result: QueryResult) -> list[str]:
    """Of a query that did not move, but could not be judged perhaps."""
    return _with_cause(report, result.query_id, ["–", "–"])


def _with_cause(report: Report, query_id: str, cells: list[str]) -> list[str]:
    if report.comparison is None or not _causes(report):
        return cells
    return [cells[0], cell(cause_words(report.comparison, query_id)), cells[1]]


def _categories(report: Report) -> list[str]:
    before = {
        tally.scope: tally
        for tally in (report.comparison.tallies if report.comparison else ())
        if tally.measure == _CATEGORY_MEASURE
    }
    measures = [name for name in _MAIN_MEASURES if name in report.measures]
    heads = ["category", "queries", "passed", "failed", "open", *measures]
    heads += [f"{_CATEGORY_MEASURE} before → now"] if before else []
    heads += ["sources", "false pos."]
    rows = []
    for group in (*report.categories, report.overall):
        row = [group.name, *map(str, (group.n_queries, group.n_passed, group.n_failed))]
        row.append(str(group.n_inconclusive))
        row += [figure(group.measures.get(name)) for name in measures]
        if before:
            row.append(_before_now(before.get(group.name)))
        rows.append([*row, *_shares(group)])
    return section("By category", heads, rows, _CAPS["tables"])


def _before_now(tally: Tally | None) -> str:
    if tally is None:
        return "–"
    if figure(tally.before) == figure(tally.after):
        return "the same"
    return f"{figure(tally.before)} → {figure(tally.after)}"


def _shares(group: Group) -> list[str]:
    return [
        share(group.n_sources_found, group.n_sources_expected),
        share(group.n_false_positives, group.n_empty),
    ]


def _measures(report: Report) -> list[str]:
    """Every measure beside the baseline's; without one, the means that no other table has."""
    if report.comparison is None:
        rows = [[name, figure(value)] for name, value in report.overall.measures.items()]
        return section("Measures", ["measure", "mean"], rows, _CAPS["tables"])
    rows = [
        [
            tally.measure,
            figure(tally.before),
            figure(tally.after),
            signed(tally.after - tally.before),
            f"{tally.wins} / {tally.ties} / {tally.losses}",
            interval(tally),
            probability(tally.p),
        ]
        for tally in report.comparison.tallies
        if tally.scope == OVERALL
    ]
    heads = ["measure", "before", "now", "change", "win / tie / loss", "95 %", "p"]
    overall = section("Against the baseline", heads, rows, _CAPS["tables"])
    return overall + _scopes(report.comparison)


def _scopes(comparison: Comparison) -> list[str]:
    """The categories whose mean moved, each with its p and that adjusted for all of them."""
    rows = [
        [
            tally.scope,
            tally.measure,
            figure(tally.before),
            figure(tally.after),
            f"{tally.wins} / {tally.ties} / {tally.losses}",
            interval(tally),
            probability(tally.p),
            probability(tally.p_holm),
        ]
        for tally in comparison.tallies
        if tally.p_holm is not None and tally.wins + tally.losses
    ]
    heads = ["category", "measure", "before", "now", "win / tie / loss", "95 %", "p", "p (Holm)"]
    return section("Categories against the baseline", heads, rows, _CAPS["tables"])


def _floors(report: Report) -> list[str]:
    rows = [
        [f.scope, f.measure, figure(f.minimum), figure(f.value), f.status] for f in report.floors
    ]
    heads = ["floor", "measure", "at least", "value", "result"]
    return section("Floors", heads, rows, _CAPS["tables"])


def _beside(rows: Sequence[Beside]) -> list[str]:
    names = list(rows[0].measures) if rows else []
    heads = ["what", "passed", "expected found", "sources found", *names, "documents matched"]
    cells = [
        [
            cell(row.name),
            share(row.n_passed, row.n_queries),
            share(row.n_found, row.n_expected),
            share(row.n_sources_found, row.n_sources_expected),
            *(figure(row.measures.get(name)) for name in names),
            f"{row.n_matched:,}",
        ]
        for row in rows
    ]
    return section("Beside plain grep and single sources", heads, cells, _CAPS["tables"])


def _facts(report: Report) -> list[str]:
    before = {
        difference.fact: difference.before
        for difference in (report.comparison.differs if report.comparison else ())
    }
    heads = ["fact", "value", *(["baseline"] if report.comparison else [])]
    rows = []
    for name, value in report.facts.items():
        row = [cell(name), _fact(value)]
        if report.comparison:
            row.append(_fact(before[name]) if name in before else "the same")
        rows.append(row)
    return section("Run", heads, rows, _CAPS["tables"])


def _queries(report: Report, room: int) -> list[str]:
    rows = [
        [_named(result), result.severity, result.status, cell(_ranks(result))]
        for result in report.queries
    ]
    return section("Queries", ["query", "severity", "result", "ranks"], rows, room)


def _ranks(result: QueryResult) -> str:
    if result.false_positive is not None:
        return count(result.n_hits, "hit")
    return ", ".join(f"{found.rank or '–'} {found.label}" for found in result.expected) or "–"


def _named(result: QueryResult) -> str:
    return f"{cell(result.query_id)}: {cell(result.text)}"


def _fact(value: object) -> str:
    return "–" if value is None else cell(fact(value))
