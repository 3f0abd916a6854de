"""How does a person read a report?

Pure functions from values to text: a table for a terminal, Markdown for a file. The last line of
each is the verdict, made where the exit code is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memidx.evals.lint import LintFinding, lint_outcome
from memidx.evals.outcome import verdict_line
from memidx.evals.report import ARTIFACT_TYPE, Group, QueryResult, Report

MARKER = f"<!-- artifact_type: {ARTIFACT_TYPE} -->"
_GROUP_HEADS = ("category", "n", "passed", "failed", "open")
_LAST_HEADS = ("sources", "false pos.")
# A terminal line holds this much of a query or a reason.
_MIN_TEXT = 24


def render_table(report: Report, width: int | None = None) -> str:
    """A report for a terminal.

    Args:
        report: What to show.
        width: Columns there are; long cells are cut and the least important measures left out
            to fit. None: as wide as it takes.
    """
    blocks = [
        _groups_table(report, "simple", width),
        *_section("Floors", _floors_table(report, "simple")),
        *_section("Not passed", _queries_table(report, "simple", width)),
        *_section("Known gaps that passed", "\n".join(report.unexpected_passes)),
        *_section("Lints", "\n".join(map(_lint_line, report.lints))),
        *_section("Problems", "\n".join(report.problems)),
        *_section("Notes", "\n".join(report.notes)),
        report.verdict,
    ]
    return "\n\n".join(blocks) + "\n"


def render_markdown(report: Report) -> str:
    """A report for a file; its first line keeps memidx from ever indexing it."""
    facts = [[name, "–" if value is None else value] for name, value in report.facts.items()]
    blocks = [
        f"{MARKER}\n# Evaluation of {_escape(report.suite)}",
        f"**{_escape(report.verdict)}**",
        _groups_table(report, "pipe", None),
        *_section("## Floors", _floors_table(report, "pipe")),
        *_section("## Not passed", _queries_table(report, "pipe", None)),
        *_section("## Known gaps that passed", _bullets(report.unexpected_passes)),
        *_section("## Lints", _bullets(map(_lint_line, report.lints))),
        *_section("## Problems", _bullets(report.problems)),
        *_section("## Notes", _bullets(report.notes)),
        "## Run",
        _table([[_escape(str(cell)) for cell in row] for row in facts], ["fact", "value"], "pipe"),
        "## Queries",
        _table(_query_rows(report), ["query", "severity", "result", "ranks"], "pipe"),
    ]
    return "\n\n".join(blocks) + "\n"


def render_lints(findings: Sequence[LintFinding]) -> str:
    """Findings, one a line in the form editors jump to, and the verdict."""
    n_errors = sum(finding.severity == "error" for finding in findings)
    counts = f"{_count(n_errors, 'error')}, {_count(len(findings) - n_errors, 'warning')}"
    lines = [*map(_lint_line, findings), verdict_line(lint_outcome(findings), counts)]
    return "\n".join(lines) + "\n"


def render_measures(
    means: Mapping[str, float], counts: Mapping[str, int], style: str = "simple"
) -> str:
    """One row of means beside what they are over."""
    row = [*(str(n) for n in counts.values()), *(f"{value:.4f}" for value in means.values())]
    return _table([row], [*counts, *means], style)


def _groups_table(report: Report, style: str, width: int | None) -> str:
    measures = list(report.measures)
    groups = (*report.categories, report.overall)
    show_sources = any(group.n_sources_expected for group in groups)
    show_empty = any(group.n_empty for group in groups)
    last = [
        head for head, shown in zip(_LAST_HEADS, (show_sources, show_empty), strict=True) if shown
    ]
    while True:
        rows = [_group_row(group, measures, show_sources, show_empty) for group in groups]
        table = _table(rows, [*_GROUP_HEADS, *measures, *last], style)
        if width is None or len(measures) <= 1 or _width(table) <= width:
            return table
        measures.pop(_least_important(measures))


def _group_row(
    group: Group, measures: Sequence[str], show_sources: bool, show_empty: bool
) -> list[str]:
    counts = (group.n_queries, group.n_passed, group.n_failed, group.n_inconclusive)
    row = [group.name, *map(str, counts)]
    row += [f"{group.measures[name]:.4f}" if group.measures else "–" for name in measures]
    if show_sources:
        row.append(_share(group.n_sources_found, group.n_sources_expected))
    if show_empty:
        row.append(_share(group.n_false_positives, group.n_empty))
    return row


def _least_important(measures: Sequence[str]) -> int:
    """Position of the measure to leave out first where there is no room for all."""
    for name in ("P@5", "Success@5", "Judged@10", "R@10", "Success@3", "AP"):
        if name in measures:
            return measures.index(name)
    return len(measures) - 1


def _floors_table(report: Report, style: str) -> str:
    rows = [
        [
            floor.scope,
            floor.measure,
            f"{floor.minimum:.4f}",
            "–" if floor.value is None else f"{floor.value:.4f}",
            floor.status,
        ]
        for floor in report.floors
    ]
    return _table(rows, ["floor", "measure", "at least", "value", "result"], style)


def _queries_table(report: Report, style: str, width: int | None) -> str:
    results = [result for result in report.queries if result.status != "passed"]
    heads = ["query", "severity", "result", "line", "why not"]
    rows = [
        [
            _cell(result.query_id, style),
            result.severity,
            result.status,
            str(result.line),
            _cell("; ".join(result.reasons), style),
        ]
        for result in results
    ]
    table = _table(rows, heads, style)
    if rows and width is not None and _width(table) > width:
        longest = max(len(row[-1]) for row in rows)
        room = max(_MIN_TEXT, longest - (_width(table) - width))
        table = _table([[*row[:-1], _cut(row[-1], room)] for row in rows], heads, style)
    return table


def _query_rows(report: Report) -> list[list[str]]:
    return [
        [
            f"{_escape(result.query_id)}: {_escape(result.text)}",
            result.severity,
            result.status,
            _escape(_ranks(result)),
        ]
        for result in report.queries
    ]


def _ranks(result: QueryResult) -> str:
    if result.false_positive is not None:
        return f"{result.n_hits} hits"
    return ", ".join(f"{found.label} {found.rank or '–'}" for found in result.expected) or "–"


def _table(rows: Sequence[Sequence[str]], heads: Sequence[str], style: str) -> str:
    # tabulate is only needed when a table is drawn.
    from tabulate import tabulate

    if not rows:
        return ""
    return tabulate(rows, headers=list(heads), tablefmt=style, disable_numparse=True)


def _section(head: str, body: str) -> list[str]:
    return [f"{head}\n\n{body}" if head.startswith("#") else f"{head}\n{body}"] if body else []


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_escape(line)}" for line in lines)


def _lint_line(finding: LintFinding) -> str:
    query = f" {finding.query_id}:" if finding.query_id else ""
    return _one_line(
        f"{finding.file}:{finding.line}: {finding.severity}: {finding.rule}:{query} "
        f"{finding.message}"
    )


def _cell(text: str, style: str) -> str:
    return _escape(text) if style == "pipe" else _one_line(text)


def _one_line(text: str) -> str:
    """Text that cannot break a line or steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def _escape(text: str) -> str:
    """Text that Markdown and a browser show as it is."""
    plain = _one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for character in "\\`*_|[]":
        plain = plain.replace(character, f"\\{character}")
    return plain


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _share(n: int, of: int) -> str:
    return f"{n}/{of}" if of else "–"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _width(table: str) -> int:
    return max(map(len, table.splitlines()), default=0)
