"""How does a person read what tuning says?

Pure functions from a report to text: for a terminal, and Markdown for a file. Bounded: a grid is
shown as a table of k1 by b, and of the points in full only so many.
"""

from __future__ import annotations

from collections.abc import Sequence

from memidx.evals.render import MARKER
from memidx.evals.statistics import Interval
from memidx.evals.thresholds import Bin
from memidx.evals.tuning_report import TuningReport, show
from memidx.search.kernels import LexicalParameters

_MAX_ROWS = 24
_MAX_COLUMNS = 12
_LEGEND = "* best, = within noise of the best, c current setting"


def render_tuning(report: TuningReport) -> str:
    """A report for a terminal, the verdict last."""
    blocks = [f"Tuning on {_plain(report.name)}", *_blocks(report, "simple"), report.verdict]
    return "\n\n".join(blocks) + "\n"


def render_tuning_markdown(report: TuningReport) -> str:
    """A report for a file; its first line keeps memidx from ever indexing it."""
    facts = [[name, "–" if v is None else str(v)] for name, v in report.facts.items()]
    blocks = [
        f"{MARKER}\n# Tuning on {_code(report.name)}",
        f"**{_escape(report.verdict)}**",
        *_blocks(report, "pipe"),
        f"## Run\n\n{_table(facts, ['fact', 'value'], 'pipe')}",
    ]
    return "\n\n".join(blocks) + "\n"


def _blocks(report: TuningReport, style: str) -> list[str]:
    sections = [
        (f"{report.measure} by k1 and b", f"{_matrix(report, style)}\n\n{_prose(_LEGEND, style)}"),
        ("Points", _points(report, style)),
        ("Why", _bullets(report.reasons, style)),
        ("Choice", _choice(report, style)),
        ("Thresholds on relevance of the first hit", _thresholds(report, style)),
        ("Problems", _bullets(report.problems, style)),
        ("Configuration", _configuration(report, style)),
    ]
    head = "## {}\n\n{}" if style == "pipe" else "{}\n{}"
    return [head.format(title, body) for title, body in sections if body]


def _matrix(report: TuningReport, style: str) -> str:
    """The measure at each point, k1 down and b across."""
    numbers = {(p.k1, p.b): n for n, p in enumerate(report.values.points)}
    k1s = sorted({k1 for k1, _ in numbers})
    bs = sorted({b for _, b in numbers})
    if len(k1s) > _MAX_ROWS or len(bs) > _MAX_COLUMNS:
        return f"{len(numbers)} points are too many for a table; the JSON form has them all."
    rows = [[f"{k1:g}", *(_cell(report, numbers.get((k1, b))) for b in bs)] for k1 in k1s]
    return _table(rows, ["k1", *(f"b {b:g}" for b in bs)], style)


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
    heads = ["k1", "b", "", *report.means, *(["passed"] if report.values.n_passed else [])]
    rows = []
    for n in shown:
        point = report.point(n)
        row = [f"{point.k1:g}", f"{point.b:g}", _marks(report, n)]
        row += [f"{means[n]:.4f}" for means in report.means.values()]
        if report.values.n_passed:
            row.append(f"{report.values.n_passed[n]}/{report.values.n_asked_to_pass}")
        rows.append([*row, f"{choice.p_values[n]:.4f}"])
    table = _table(rows, [*heads, "p (best)"], style)
    left_out = len(order) - len(shown)
    return f"{table}\n\n{left_out} more points." if left_out else table


def _choice(report: TuningReport, style: str) -> str:
    choice, checked = report.choice, report.choice.cross_validation
    current = choice.means[choice.current]
    rows = [
        ["current", show(report.point(choice.current)), f"{current:.4f}", "", ""],
        [
            "best, in sample",
            show(report.point(choice.best)),
            f"{choice.means[choice.best]:.4f}",
            f"{choice.gain.test.gain:+.4f}",
            f"p = {choice.gain.test.p:.4f}",
        ],
    ]
    if checked is not None:
        rows.append(
            [
                f"{len(checked.folds)} folds, held out",
                "; ".join(_folds(report)),
                f"{checked.mean:.4f}",
                f"{checked.gain:+.4f}",
                _interval(checked.interval, signed=True),
            ]
        )
    table = _table(rows, ["", "point", report.measure, "gain", "p, 95 % interval"], style)
    n = len(choice.plateau)
    plateau = f"Plateau ({n} of {len(choice.means)} points within noise of the best): "
    return f"{table}\n\n{_prose(plateau + report.plateau, style)}"


def _folds(report: TuningReport) -> list[str]:
    """The points that folds chose, and how many folds each."""
    checked = report.choice.cross_validation
    chosen = [fold.point for fold in checked.folds] if checked else []
    return [f"{show(report.point(n))} ({chosen.count(n)})" for n in sorted(set(chosen))]


def _thresholds(report: TuningReport, style: str) -> str:
    found = report.thresholds
    if not found.n_answers:
        return ""
    curve = _table(
        [[_at_least(row.name), *_bin(row)] for row in found.curve],
        ["relevance", "answers", "share", "precision", "95 % interval"],
        style,
    )
    published = _table(
        [[row.name, *_bin(row)] for row in found.published],
        ["published label", "answers", "share", "precision", "95 % interval"],
        style,
    )
    promises = _table(
        [
            [
                promise.label,
                f"{promise.precision:g}",
                _threshold(promise.fitted),
                *_bin(promise.observed)[:1],
                *_bin(promise.observed)[2:],
                {True: "yes", False: "no", None: "–"}[promise.is_kept],
                _threshold(promise.threshold),
                f"{promise.on_all.share:.0%}" if promise.on_all.n else "–",
            ]
            for promise in found.promises
        ],
        [
            "label",
            "promised",
            "half: threshold",
            "other half",
            "observed",
            "95 % interval",
            "kept",
            "all: threshold",
            "share",
        ],
        style,
    )
    counts = f"{found.n_answers} answers by the {found.strategy} strategy"
    if found.n_fallback:
        counts += f"; {found.n_fallback} more came from the fallback and take no part"
    at = show(report.point(report.choice.current))
    basis = f"{counts}, at {at}. They hold for this corpus, analyzer, strategy, k1 and b alone."
    return "\n\n".join([_prose(basis, style), curve, published, promises])


def _bin(row: Bin) -> list[str]:
    if row.precision is None:
        return [str(row.n), "–", "–", "–"]
    return [str(row.n), f"{row.share:.0%}", f"{row.precision:.3f}", _interval(row.interval)]


def _configuration(report: TuningReport, style: str) -> str:
    """Lines for a person to copy; commented out where nothing supports them."""
    best, current = report.point(report.choice.best), report.point(report.choice.current)
    if report.choice.best == report.choice.current:
        lines = ["# The current setting is the best point.", *_setting(current)]
    elif report.finding == "change":
        lines = [f"# Was {show(current)}.", *_setting(best)]
    else:
        lines = [
            "# Nothing supports a change; this is the current setting.",
            *_setting(current),
            f"# The best point of this grid was {show(best)}.",
        ]
    text = "\n".join(lines)
    intro = "Nothing is applied. For memidx.toml ([tool.memidx.search] in pyproject.toml):"
    return f"{intro}\n\n" + (f"```toml\n{text}\n```" if style == "pipe" else text)


def _setting(point: LexicalParameters) -> list[str]:
    return ["[search]", f"k1 = {point.k1!r}", f"b = {point.b!r}"]


def _table(rows: Sequence[Sequence[str]], heads: Sequence[str], style: str) -> str:
    # tabulate is only needed when a table is drawn.
    from tabulate import tabulate

    if style == "pipe":
        rows = [[_escape(cell) for cell in row] for row in rows]
    return tabulate(rows, headers=list(heads), tablefmt=style, disable_numparse=True)


def _bullets(lines: Sequence[str], style: str) -> str:
    return "\n".join(f"- {_prose(line, style)}" for line in lines)


def _prose(text: str, style: str) -> str:
    return _escape(text) if style == "pipe" else _plain(text)


def _interval(interval: Interval, *, signed: bool = False) -> str:
    return (
        f"[{interval.low:+.4f}, {interval.high:+.4f}]"
        if signed
        else (f"[{interval.low:.3f}, {interval.high:.3f}]")
    )


def _at_least(name: str) -> str:
    return f">= {float(name):.2f}"


def _threshold(value: float | None) -> str:
    return "out of reach" if value is None else f"{value:.4f}"


def _plain(text: str) -> str:
    """Text that cannot break a line or steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def _code(text: str) -> str:
    return "`" + _plain(text).replace("`", "'") + "`"


def _escape(text: str) -> str:
    """Text that Markdown and a browser show as it is."""
    plain = _plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for character in "\\`*_|":
        plain = plain.replace(character, f"\\{character}")
    return plain
