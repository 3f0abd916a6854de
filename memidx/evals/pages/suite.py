"""How does the run of a suite read in a browser?

The verdict first, then what did not pass and why, what moved and why, the figures, and every
query. Everything the JSON report says of a query is here. The same run gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memidx.evals.cells import (
    comparison_lines,
    count,
    fact,
    figure,
    lint_line,
    probability,
    share,
    signed,
)
from memidx.evals.cells import interval as difference_interval
from memidx.evals.compared import Tally
from memidx.evals.history import History
from memidx.evals.pages import parts, plots
from memidx.evals.pages.parts import NOTHING, Html, joined, section, table, text
from memidx.evals.pages.queries import moved, not_passed, queries
from memidx.evals.pages.tuning import tuning_sections
from memidx.evals.report import FloorResult, Group, Report
from memidx.evals.statistics import Interval, bootstrap_interval
from memidx.evals.suite import OVERALL

_CATEGORY_MEASURES = ("nDCG@10", "RR@10", "Success@1", "Success@5")
_TILE_MEASURES = ("nDCG@10", "Success@5")
_TREND_MEASURE = "nDCG@10"
_SHOWN_RUNS = 50


def render_page(
    report: Report, history: History | None = None, tunings: Sequence[Mapping[str, Any]] = ()
) -> str:
    """A report as a page.

    Args:
        report: The run.
        history: Earlier runs of the suite; one that ends with this run or not.
        tunings: What `read_tuning` gave, to be shown with it.
    """
    intervals = _intervals(report)
    corpus = str(report.facts.get("corpus_fingerprint"))
    return parts.page(
        f"Evaluation of {report.suite}",
        report.verdict,
        parts.STATE_CLASSES.get(report.outcome.value, "failed"),
        [
            section("At a glance", "glance", _glance(report, intervals)),
            section("Problems", "problems", parts.bullets(report.problems)),
            not_passed(report),
            moved(report),
            section("By category", "categories", _categories(report)),
            section("Measures", "measures", _measures(report, intervals)),
            section("Floors", "floors", _floors(report.floors)),
            section("Over time", "trend", _trend(history)),
            *(part for document in tunings for part in tuning_sections(document, corpus)),
            section("Beside plain grep and single sources", "beside", _beside(report)),
            queries(report),
            section("Lints", "lints", parts.bullets(map(lint_line, report.lints))),
            section("Notes", "notes", parts.bullets(report.notes)),
            section("Run", "run", _facts(report)),
        ],
    )


def _glance(report: Report, intervals: Mapping[str, Interval]) -> Html:
    overall = report.overall
    must = [result for result in report.queries if result.severity == "must"]
    tiles = [
        ("must queries passed", _of(sum(r.status == "passed" for r in must), len(must)), ""),
        ("queries passed", _of(overall.n_passed, overall.n_queries), ""),
        ("failed", str(overall.n_failed), ""),
        ("inconclusive", str(overall.n_inconclusive), ""),
    ]
    if overall.n_empty:
        wrong = _of(overall.n_false_positives, overall.n_empty)
        tiles.append(("false positives", wrong, "of queries that should find nothing"))
    for name in _TILE_MEASURES:
        if name in overall.measures:
            low, high = intervals[name]
            note = f"95 %: {low:.3f}–{high:.3f}"
            tiles.append((name, figure(overall.measures[name]), note))
    if report.comparison is not None:
        tiles.append(("moved", str(len(report.comparison.moves)), "since the baseline"))
    passed = report.unexpected_passes
    gaps = f"Known gaps that passed, and could be must now: {', '.join(passed)}." if passed else ""
    compared = comparison_lines(report.comparison) if report.comparison else ()
    return joined([parts.figures(tiles), parts.bullets([*compared, *([gaps] if gaps else [])])])


def _categories(report: Report) -> Html:
    bars = [
        plots.Bar(
            group.name,
            (
                ("passed", group.n_passed),
                ("failed", group.n_failed),
                ("open", group.n_inconclusive),
            ),
            _of(group.n_passed, group.n_queries),
        )
        for group in report.categories
    ]
    measures = [name for name in _CATEGORY_MEASURES if name in report.measures]
    heads = ["category", "queries", "passed", "failed", "inconclusive", *measures]
    rows = [
        [text(cell) for cell in _category_row(group, measures)]
        for group in (*report.categories, report.overall)
    ]
    heads += ["sources found", "false positives"]
    caption = "Passed (green), failed (red) and inconclusive (yellow) queries of each category."
    return joined(
        [
            parts.figure(plots.stacked_bars("Queries by category", bars), caption),
            table("Categories", heads, rows, numbers=range(1, len(heads))),
        ]
    )


def _category_row(group: Group, measures: Sequence[str]) -> list[str]:
    return [
        group.name,
        *map(str, (group.n_queries, group.n_passed, group.n_failed, group.n_inconclusive)),
        *(figure(group.measures.get(name)) for name in measures),
        share(group.n_sources_found, group.n_sources_expected),
        share(group.n_false_positives, group.n_empty),
    ]


def _measures(report: Report, intervals: Mapping[str, Interval]) -> Html:
    """Means with their intervals, and what became of them since the baseline."""
    tallies = {
        tally.measure: tally
        for tally in (report.comparison.tallies if report.comparison else ())
        if tally.scope == OVERALL
    }
    heads = ["measure", "mean", "95 % interval"]
    heads += ["baseline", "change", "95 % of it", "win / tie / loss", "p"] if tallies else []
    rows = []
    for name, value in report.overall.measures.items():
        low, high = intervals[name]
        row = [name, figure(value), f"{low:.4f} … {high:.4f}"]
        row += _change(tallies.get(name)) if tallies else []
        rows.append([text(cell) for cell in row])
    means = table("Means over all measured queries", heads, rows, numbers=range(1, len(heads)))
    if not means:
        return NOTHING
    how = (
        f"Over {count(report.overall.n_measured, 'measured query')}. The interval of a mean is a "
        "percentile bootstrap over queries: it says how far other queries of this kind could "
        "move it."
    )
    return joined([Html(f"<p>{text(how)}</p>"), means, _scopes(report)])


def _change(tally: Tally | None) -> list[str]:
    if tally is None:
        return ["–"] * 5
    return [
        figure(tally.before),
        signed(tally.after - tally.before),
        difference_interval(tally),
        f"{tally.wins} / {tally.ties} / {tally.losses}",
        probability(tally.p),
    ]


def _scopes(report: Report) -> Html:
    """Categories whose mean moved, each with its p and that adjusted for all of them."""
    heads = ["category", "measure", "now", "baseline", "change", "95 % of it", "win / tie / loss"]
    rows = [
        [
            text(cell)
            for cell in (
                tally.scope,
                tally.measure,
                figure(tally.after),
                *_change(tally),
                probability(tally.p_holm),
            )
        ]
        for tally in (report.comparison.tallies if report.comparison else ())
        if tally.p_holm is not None and tally.wins + tally.losses
    ]
    heads += ["p", "p (Holm)"]
    return table("Categories that moved", heads, rows, numbers=range(2, len(heads)))


def _intervals(report: Report) -> dict[str, Interval]:
    """95 % interval of each mean, over the queries that were measured."""
    measured = [result.measures for result in report.queries if result.measures]
    return {
        name: bootstrap_interval([values[name] for values in measured])
        for name in report.overall.measures
    }


def _floors(floors: Sequence[FloorResult]) -> Html:
    rows = [
        [
            text(floor.scope),
            text(floor.measure),
            text(figure(floor.minimum)),
            text(figure(floor.value)),
            parts.state(floor.status),
        ]
        for floor in floors
    ]
    heads = ["scope", "measure", "at least", "value", "result"]
    return table("Least values that the suite demands", heads, rows, numbers=(2, 3))


def _trend(history: History | None) -> Html:
    runs = history.runs[-_SHOWN_RUNS:] if history else ()
    if not runs:
        return NOTHING
    values = [_float_of(run.get("measures"), _TREND_MEASURE) for run in runs]
    shares = [_passed_of(run) for run in runs]
    days = [str(run.get("day")) for run in runs]
    drawn = [
        parts.figure(plots.trend(_TREND_MEASURE, days, values), f"{_TREND_MEASURE} of each run."),
        parts.figure(
            plots.trend("Share of queries that pass", days, shares),
            "Share of queries that pass, of each run.",
        ),
    ]
    rows = [
        [
            text(run.get("day")),
            text(run.get("outcome")),
            text(f"{run.get('n_passed')}/{run.get('n_queries')}"),
            text(figure(value)),
            text(run["facts"].get("n_docs") if isinstance(run.get("facts"), Mapping) else "–"),
        ]
        for run, value in zip(runs, values, strict=True)
    ]
    heads = ["day", "outcome", "passed", _TREND_MEASURE, "documents"]
    shown = table("Recorded runs, the newest last", heads, rows, numbers=(2, 3, 4))
    return joined([parts.element("div", joined(drawn), class_="plots"), shown])


def _float_of(values: object, name: str) -> float | None:
    value = values.get(name) if isinstance(values, Mapping) else None
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def _passed_of(run: Mapping[str, Any]) -> float | None:
    n_passed, n_queries = run.get("n_passed"), run.get("n_queries")
    if not isinstance(n_passed, int) or not isinstance(n_queries, int):
        return None
    return n_passed / n_queries if 0 <= n_passed <= n_queries and n_queries else None


def _beside(report: Report) -> Html:
    names = list(report.beside[0].measures) if report.beside else []
    heads = ["what", "passed", "expected found", "sources found", *names, "documents matched"]
    rows = [
        [
            text(cell)
            for cell in (
                row.name,
                share(row.n_passed, row.n_queries),
                share(row.n_found, row.n_expected),
                share(row.n_sources_found, row.n_sources_expected),
                *(figure(row.measures.get(name)) for name in names),
                f"{row.n_matched:,}",
            )
        ]
        for row in report.beside
    ]
    return table(
        "Plainer ways to search, on the same queries", heads, rows, numbers=range(1, len(heads))
    )


def _facts(report: Report) -> Html:
    before = {
        difference.fact: difference.before
        for difference in (report.comparison.differs if report.comparison else ())
    }
    heads = ["fact", "value", *(["baseline"] if report.comparison else [])]
    rows = []
    for name, value in report.facts.items():
        row = [text(name), parts.code("–" if value is None else fact(value))]
        if report.comparison:
            row.append(parts.code(fact(before[name])) if name in before else text("the same"))
        rows.append(row)
    return table("What the run was made of", heads, rows)


def _of(n: int, of: int) -> str:
    return f"{n} of {of}"
