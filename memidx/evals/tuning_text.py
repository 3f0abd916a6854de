"""How does a person read what tuning says?

Pure functions from a report to text: for a terminal, and Markdown for a file. Bounded: a grid is
shown as a table of k1 by b, and of the points in full only so many.
"""

from __future__ import annotations

from collections.abc import Sequence

from memidx.evals.choosing import CrossValidation
from memidx.evals.markdown import MARKER
from memidx.evals.thresholds_text import as_table, escaped, interval, plain, threshold_blocks
from memidx.evals.tuning_report import TuningReport
from memidx.search.points import EVERY_SOURCE, Point, show_value, split_axis

_MAX_ROWS = 24
_MAX_COLUMNS = 12
_LEGEND = "* best, = within noise of the best, c current setting"


def render_tuning(report: TuningReport) -> str:
    """A report for a terminal, the verdict last."""
    blocks = [f"Tuning on {plain(report.name)}", *_blocks(report, "simple"), report.verdict]
    return "\n\n".join(blocks) + "\n"


def render_tuning_markdown(report: TuningReport) -> str:
    """A report for a file; its first line keeps memidx from ever indexing it."""
    facts = [[name, "–" if v is None else str(v)] for name, v in report.facts.items()]
    blocks = [
        f"{MARKER}\n# Tuning on {_code(report.name)}",
        f"**{escaped(report.verdict)}**",
        *_blocks(report, "pipe"),
        f"## Run\n\n{as_table(facts, ['fact', 'value'], 'pipe')}",
    ]
    return "\n\n".join(blocks) + "\n"


def _blocks(report: TuningReport, style: str) -> list[str]:
    sections = [
        (_matrix_title(report), _matrix(report, style)),
        ("Points", _points(report, style)),
        ("Why", _bullets(report.reasons, style)),
        ("Choice", _choice(report, style)),
        ("Robustness", _robustness(report, style)),
        ("Thresholds on relevance of the first hit", _thresholds(report, style)),
        ("Problems", _bullets(report.problems, style)),
        ("Configuration", _configuration(report, style)),
    ]
    head = "## {}\n\n{}" if style == "pipe" else "{}\n{}"
    return [head.format(title, body) for title, body in sections if body]


def _matrix_title(report: TuningReport) -> str:
    return f"{report.measure} by {' and '.join(report.point(0).axes)}"


def _matrix(report: TuningReport, style: str) -> str:
    """The measure at each point of two axes, the first down and the second across."""
    axes = report.point(0).axes
    if len(axes) != 2:
        return ""
    numbers = {(p[axes[0]], p[axes[1]]): n for n, p in enumerate(report.values.points)}
    down = list(dict.fromkeys(row for row, _ in numbers))
    across = sorted({column for _, column in numbers}, key=lambda v: (isinstance(v, str), v))
    if len(down) > _MAX_ROWS or len(across) > _MAX_COLUMNS:
        return f"{len(numbers)} points are too many for a table; the JSON form has them all."
    rows = [
        [show_value(row), *(_cell(report, numbers.get((row, column))) for column in across)]
        for row in down
    ]
    heads = [axes[0], *(f"{axes[1]} {show_value(column)}" for column in across)]
    return f"{as_table(rows, heads, style)}\n\n{_prose(_LEGEND, style)}"


def _cell(report: TuningReport, number: int | None) -> str:
    if number is None:
        return ""
    return f"{report.choice.means[number]:.4f} {_marks(report, number)}".rstrip()


def _marks(report: TuningReport, number: int) -> str:
    choice = report.choice
    best = "*" if number == choice.best else "=" if number in choice.plateau else ""
    return best + ("c" if number == choice.current else "")


def _points(report: TuningReport, style: str) -> str:
    """The best points with every measure, and the current one wherever it is."""
    choice = report.choice
    order = sorted(range(len(choice.means)), key=lambda n: (-choice.means[n], n))
    shown = [n for place, n in enumerate(order) if place < _MAX_ROWS or n == choice.current]
    heads = [
        *report.point(0).axes,
        "",
        *report.means,
        *(["passed"] if report.values.n_passed else []),
    ]
    rows = []
    for n in shown:
        point = report.point(n)
        row = [*(show_value(value) for _, value in point.values), _marks(report, n)]
        row += [f"{means[n]:.4f}" for means in report.means.values()]
        if report.values.n_passed:
            row.append(f"{report.values.n_passed[n]}/{report.values.n_asked_to_pass}")
        rows.append([*row, f"{choice.p_values[n]:.4f}"])
    table = as_table(rows, [*heads, "p (best)"], style)
    left_out = len(order) - len(shown)
    return f"{table}\n\n{left_out} more points." if left_out else table


def _choice(report: TuningReport, style: str) -> str:
    choice, checked = report.choice, report.choice.cross_validation
    current = choice.means[choice.current]
    rows = [
        ["current", str(report.point(choice.current)), f"{current:.4f}", "", ""],
        [
            "best, in sample",
            str(report.point(choice.best)),
            f"{choice.means[choice.best]:.4f}",
            f"{choice.gain.test.gain:+.4f}",
            f"p = {choice.gain.test.p:.4f}",
        ],
    ]
    if checked is not None:
        rows.append(
            [
                f"{len(checked.folds)} folds, held out",
                "; ".join(_folds(report, checked)),
                f"{checked.mean:.4f}",
                f"{checked.gain:+.4f}",
                interval(checked.interval, signed=True),
            ]
        )
    nested = choice.nested
    if nested is not None:
        rows.append(
            [
                f"{len(nested.folds)} folds, verdict followed",
                "; ".join(_folds(report, nested)),
                f"{nested.mean:.4f}",
                f"{nested.gain:+.4f}",
                interval(nested.interval, signed=True),
            ]
        )
    kept = report.held_out
    if kept is not None:
        rows.append(
            [
                f"{kept.test.n_queries} queries kept aside",
                str(report.point(choice.best)),
                f"{kept.mean:.4f}",
                f"{kept.test.gain:+.4f}",
                f"p = {kept.test.p:.4f}, {interval(kept.interval, signed=True)}",
            ]
        )
    table = as_table(rows, ["", "point", report.measure, "gain", "p, 95 % interval"], style)
    n = len(choice.plateau)
    plateau = f"Plateau ({n} of {len(choice.means)} points within noise of the best): "
    return f"{table}\n\n{_prose(plateau + report.plateau, style)}"


def _robustness(report: TuningReport, style: str) -> str:
    """Other queries and other corpora, a sentence each."""
    found, best = report.stability, report.point(report.choice.best)
    winners = ", ".join(
        f"{report.point(number)} in {share:.0%}" for number, share in found.winners[:3]
    )
    lines = [
        f"Queries drawn again {found.n_draws:,} times: {best} is ahead of the current setting in "
        f"{found.ahead:.0%}; best are {winners}."
    ]
    for other in report.perturbed:
        what = "fewer" if other.change == "fewer" else "more"
        lines.append(
            f"With {what} unrelated documents ({other.n_docs:,} in all): {best} gains "
            f"{other.gain:+.4f}; best of the points looked at is {report.point(other.winner)}."
        )
    return _bullets(lines, style)


def _folds(report: TuningReport, checked: CrossValidation) -> list[str]:
    """The points that folds chose, and how many folds each."""
    chosen = [fold.point for fold in checked.folds]
    return [f"{report.point(n)!s} ({chosen.count(n)})" for n in sorted(set(chosen))]


def _thresholds(report: TuningReport, style: str) -> str:
    if not report.thresholds.n_answers:
        return ""
    at = report.point(report.choice.current)
    return "\n\n".join(threshold_blocks(report.thresholds, style, at=f", at {at}"))


def _configuration(report: TuningReport, style: str) -> str:
    """Lines for a person to copy; commented out where nothing supports them."""
    best, current = report.point(report.choice.best), report.point(report.choice.current)
    if report.choice.best == report.choice.current:
        lines = ["# The current setting is the best point.", *_setting(current)]
    elif report.finding == "change":
        lines = [f"# Was {current}.", *_setting(best)]
    else:
        lines = [
            "# Nothing supports a change; this is the current setting.",
            *_setting(current),
            f"# The best point of this grid was {best}.",
        ]
    text = "\n".join(lines)
    intro = "Nothing is applied. For memidx.toml ([tool.memidx.search] in pyproject.toml):"
    return f"{intro}\n\n" + (f"```toml\n{text}\n```" if style == "pipe" else text)


def _setting(point: Point) -> list[str]:
    """The lines of `[search]`, and those of sources as comments: they stand in a list."""
    lines, of_sources = [], []
    for name, value in point.values:
        source, key = split_axis(name)
        shown = f'"{value}"' if isinstance(value, str) else repr(value)
        if source is None:
            lines.append(f"{key} = {shown}")
        else:
            where = "every source that decays" if source == EVERY_SOURCE else f"source {source}"
            of_sources.append(f"# {where}: {key} = {shown}")
    return [*(["[search]", *lines] if lines else []), *of_sources]


def _bullets(lines: Sequence[str], style: str) -> str:
    return "\n".join(f"- {_prose(line, style)}" for line in lines)


def _prose(text: str, style: str) -> str:
    return escaped(text) if style == "pipe" else plain(text)


def _code(text: str) -> str:
    return "`" + plain(text).replace("`", "'") + "`"
