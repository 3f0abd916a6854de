"""How does a person read a report at a terminal?

Pure functions from values to text. The last line is the verdict, made where the exit code is
made. A report for a pull request: `memidx.evals.markdown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memidx.evals.cells import (
    cause_words,
    change_word,
    comparison_lines,
    count,
    cut,
    figure,
    interval,
    kind_words,
    lint_line,
    one_line,
    probability,
    rank_words,
    share,
    signed,
    table,
    width_of,
)
from memidx.evals.comparing import ComparedRuns
from memidx.evals.lint import LintFinding, lint_outcome
from memidx.evals.outcome import verdict_line
from memidx.evals.report import Group, Report
from memidx.evals.suite import OVERALL

_GROUP_HEADS = ("category", "n", "passed", "failed", "open")
_LAST_HEADS = ("sources", "false pos.")
# A terminal line holds this much of a query or a reason.
_MIN_TEXT = 24
_LONGEST_TARGET = 40


def render_table(report: Report, width: int | None = None) -> str:
    """A report for a terminal.

    Args:
        report: What to show.
        width: Columns there are; long cells are cut and the least important measures left out
            to fit. None: as wide as it takes.
    """
    compared = comparison_lines(report.comparison) if report.comparison else ()
    blocks = [
        _groups_table(report, width),
        *_section("Floors", _floors_table(report)),
        *_section("Beside plain grep and single sources", _beside_table(report, width)),
        *_section("Against the baseline", _tallies_table(report)),
        *_section("Categories against the baseline", _scopes_table(report)),
        *_section("Compared", _lines(compared)),
        *_section("Moved", _moves_table(report, width)),
        *_section("Not passed", _queries_table(report, width)),
        *_section("Why not", _misses_table(report, width)),
        *_section("Known gaps that passed", _lines(report.unexpected_passes)),
        *_section("Lints", _lines(map(lint_line, report.lints))),
        *_section("Problems", _lines(report.problems)),
        *_section("Notes", _lines(report.notes)),
        one_line(report.verdict),
    ]
    return "\n\n".join(blocks) + "\n"


def render_compared(compared: ComparedRuns, width: int | None = None) -> str:
    """Two runs, compared; arguments as in `render_table`."""
    report = compared.report
    blocks = [
        f"{one_line(compared.before)} → {one_line(compared.after)}",
        *_section("All queries", _tallies_table(report)),
        *_section("By category", _scopes_table(report)),
        *_section("Moved", _moves_table(report, width)),
        *_section("Compared", _lines(comparison_lines(compared.comparison))),
        one_line(compared.verdict),
    ]
    return "\n\n".join(blocks) + "\n"


def render_lints(findings: Sequence[LintFinding]) -> str:
    """Findings, one a line in the form editors jump to, and the verdict."""
    n_errors = sum(finding.severity == "error" for finding in findings)
    counts = f"{count(n_errors, 'error')}, {count(len(findings) - n_errors, 'warning')}"
    lines = [*map(lint_line, findings), verdict_line(lint_outcome(findings), counts)]
    return "\n".join(lines) + "\n"


def render_measures(
    means: Mapping[str, float], counts: Mapping[str, int], style: str = "simple"
) -> str:
    """One row of means beside what they are over."""
    row = [*(str(n) for n in counts.values()), *map(figure, means.values())]
    return table([row], [*counts, *means], style)


def _groups_table(report: Report, width: int | None) -> str:
    measures = list(report.measures)
    groups = (*report.categories, report.overall)
    show_sources = any(group.n_sources_expected for group in groups)
    show_empty = any(group.n_empty for group in groups)
    last = [
        head for head, shown in zip(_LAST_HEADS, (show_sources, show_empty), strict=True) if shown
    ]
    while True:
        rows = [_group_row(group, measures, show_sources, show_empty) for group in groups]
        drawn = table(rows, [*_GROUP_HEADS, *measures, *last])
        if width is None or len(measures) <= 1 or width_of(drawn) <= width:
            return drawn
        measures.pop(_least_important(measures))


def _group_row(
    group: Group, measures: Sequence[str], show_sources: bool, show_empty: bool
) -> list[str]:
    counts = (group.n_queries, group.n_passed, group.n_failed, group.n_inconclusive)
    row = [group.name, *map(str, counts)]
    row += [figure(group.measures.get(name)) for name in measures]
    if show_sources:
        row.append(share(group.n_sources_found, group.n_sources_expected))
    if show_empty:
        row.append(share(group.n_false_positives, group.n_empty))
    return row


def _least_important(measures: Sequence[str]) -> int:
    """Position of the measure to leave out first where there is no room for all."""
    for name in ("P@5", "Success@5", "Judged@10", "R@10", "Success@3", "AP"):
        if name in measures:
            return measures.index(name)
    return len(measures) - 1


def _floors_table(report: Report) -> str:
    rows = [
        [floor.scope, floor.measure, figure(floor.minimum), figure(floor.value), floor.status]
        for floor in report.floors
    ]
    return table(rows, ["floor", "measure", "at least", "value", "result"])


def _beside_table(report: Report, width: int | None) -> str:
    rows = [
        [
            one_line(row.name),
            share(row.n_passed, row.n_queries),
            share(row.n_found, row.n_expected),
            share(row.n_sources_found, row.n_sources_expected),
            figure(row.measures.get("nDCG@10")),
            f"{row.n_matched:,}",
        ]
        for row in report.beside
    ]
    heads = ["what", "passed", "found", "sources", "nDCG@10", "matched"]
    return _fitting(rows, heads, 0, width)


def _tallies_table(report: Report) -> str:
    rows = [
        [
            tally.measure,
            figure(tally.before),
            figure(tally.after),
            signed(tally.after - tally.before),
            f"{tally.wins}/{tally.ties}/{tally.losses}",
            interval(tally),
            probability(tally.p),
        ]
        for tally in (report.comparison.tallies if report.comparison else ())
        if tally.scope == OVERALL
    ]
    return table(rows, ["measure", "before", "now", "change", "win/tie/loss", "95 %", "p"])


def _scopes_table(report: Report) -> str:
    """The categories whose mean moved, each with its p and that adjusted for all of them."""
    rows = [
        [
            tally.scope,
            tally.measure,
            figure(tally.before),
            figure(tally.after),
            f"{tally.wins}/{tally.ties}/{tally.losses}",
            interval(tally),
            probability(tally.p),
            probability(tally.p_holm),
        ]
        for tally in (report.comparison.tallies if report.comparison else ())
        if tally.p_holm is not None and tally.wins + tally.losses
    ]
    heads = ["category", "measure", "before", "now", "win/tie/loss", "95 %", "p", "p (Holm)"]
    return table(rows, heads)


def _moves_table(report: Report, width: int | None) -> str:
    comparison = report.comparison
    if comparison is None:
        return ""
    rows = [
        [
            one_line(move.query_id),
            move.severity,
            change_word(move),
            one_line(rank_words(move)) or "–",
            one_line(cause_words(comparison, move.query_id)),
            one_line(", ".join(move.now_above)) or "–",
        ]
        for move in comparison.moves
    ]
    heads = ["query", "severity", "change", "rank", "because of", "now above it"]
    if comparison.why is None or not comparison.why.causes:
        rows, heads = [[*row[:4], row[5]] for row in rows], [*heads[:4], heads[5]]
    return _fitting(rows, heads, -1, width)


def _queries_table(report: Report, width: int | None) -> str:
    rows = [
        [
            one_line(result.query_id),
            result.severity,
            result.status,
            str(result.line),
            one_line("; ".join(result.reasons)),
        ]
        for result in report.queries
        if result.status != "passed"
    ]
    return _fitting(rows, ["query", "severity", "result", "line", "why not"], -1, width)


def _misses_table(report: Report, width: int | None) -> str:
    rows = [
        [
            one_line(miss.query_id),
            kind_words(miss),
            one_line(cut(miss.target, _LONGEST_TARGET)),
            one_line(miss.hint_words) or "–",
            one_line(miss.detail),
        ]
        for miss in report.misses
    ]
    return _fitting(rows, ["query", "kind", "missed", "checked", "what"], -1, width)


def _fitting(
    rows: Sequence[Sequence[str]], heads: Sequence[str], column: int, width: int | None
) -> str:
    """A table, with one column cut where the terminal is too narrow for it."""
    drawn = table(rows, heads)
    if not rows or width is None or width_of(drawn) <= width:
        return drawn
    longest = max(len(row[column]) for row in rows)
    room = max(_MIN_TEXT, longest - (width_of(drawn) - width))
    narrow = [list(row) for row in rows]
    for row in narrow:
        row[column] = cut(row[column], room)
    return table(narrow, heads)


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(map(one_line, lines))


def _section(head: str, body: str) -> list[str]:
    return [f"{head}\n{body}"] if body else []
