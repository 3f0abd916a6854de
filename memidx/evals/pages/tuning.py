"""How do tuning and calibrating read in a browser?

Both are read from the JSON that the commands print, whose shape is published: a page can be made
from a file that was kept, and what a later version adds is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memidx import files
from memidx.errors import InputError
from memidx.evals.cells import fact, figure
from memidx.evals.pages import parts, plots
from memidx.evals.pages.parts import NOTHING, Html, joined, section, table, text
from memidx.evals.report import ARTIFACT_TYPE

_TUNING = "memidx.tuning-report/"
_CALIBRATION = "memidx.calibration-report/"
_MOST_POINTS = 60
_NOT_AXES = ("means", "n_passed", "p_against_best")
_DOWN, _ACROSS = "k1", "b"

Document = Mapping[str, Any]


def read_tuning(path: str) -> Document:
    """What `memidx tune` or `memidx calibrate` printed with `--format json`.

    Raises:
        InputError: It is neither, or parts of it are missing.
        FileError: The file cannot be read.
    """
    try:
        document = json.loads(files.read_bytes(path))
        if document["artifact_type"] != ARTIFACT_TYPE:
            raise ValueError("another artifact type")
        if not str(document["schema"]).startswith((_TUNING, _CALIBRATION)):
            raise ValueError(f"schema {document['schema']}")
        tuning_sections(document, "")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise InputError(
            "no report of tuning or calibrating",
            path=path,
            expected="what memidx tune SUITE --format json prints",
            found=f"{type(error).__name__}: {error}",
        ) from error
    found: Document = document
    return found


def render_tuning_page(document: Document) -> str:
    """A report of tuning or calibrating as a page of its own."""
    what = "Tuning" if _is_tuning(document) else "Calibration"
    state_class = parts.STATE_CLASSES.get(str(document["outcome"]), "failed")
    # A finding is neither good nor bad, so it has no colour, unless it could not be made.
    if _is_tuning(document) and state_class == "passed":
        state_class = ""
    return parts.page(
        f"{what} on {document['name']}",
        str(document["verdict"]),
        state_class,
        [*tuning_sections(document), section("Run", "run", _facts(document))],
    )


def tuning_sections(document: Document, corpus: str | None = None) -> list[Html]:
    """Its parts, to stand in a page.

    Args:
        document: As read.
        corpus: That of the run whose page it is; None in a page of its own.
    """
    is_own = corpus is None
    verdict = parts.element("p", parts.element("strong", text(document["verdict"])))
    said = list(map(str, document["problems"]))
    if not is_own and document["facts"].get("corpus") != corpus:
        said.append("Made over other documents than this run: its figures may not hold here.")
    problems = parts.bullets(said)
    if _is_tuning(document):
        return [
            section(
                "Grid" if is_own else f"Tuning on {document['name']}",
                "tuning",
                NOTHING if is_own else verdict,
                problems,
                _grid(document),
                parts.bullets(map(str, document["reasons"])),
                _points(document),
            ),
            section("Thresholds", "thresholds", _thresholds(document["thresholds"])),
        ]
    return [
        section(
            f"Calibration of {found['strategy']}",
            f"calibration-{number}",
            parts.element("p", parts.state_line(str(found["outcome"]), str(found["reason"]))),
            problems,
            _thresholds(found),
        )
        for number, found in enumerate(document["strategies"], 1)
    ]


def _is_tuning(document: Document) -> bool:
    return str(document["schema"]).startswith(_TUNING)


def _measure(document: Document) -> str:
    measure = str(document["facts"].get("measure", ""))
    means = document["points"][0]["means"]
    return measure if measure in means else next(iter(means))


def _axes(point: Document) -> dict[str, Any]:
    return {name: value for name, value in point.items() if name not in _NOT_AXES}


def _grid(document: Document) -> Html:
    """The measure by k1 and b, where the other settings are those of the best point."""
    measure = _measure(document)
    best, current = document["best"], document["current"]
    plateau = [dict(point) for point in document["plateau"]["points"]]
    others = {name: value for name, value in best.items() if name not in (_DOWN, _ACROSS)}
    shown = [
        point
        for point in document["points"]
        if {_DOWN, _ACROSS} <= point.keys()
        and all(point.get(name) == value for name, value in others.items())
    ]
    if not shown:
        return NOTHING
    k1s = sorted({float(point[_DOWN]) for point in shown})
    bs = sorted({float(point[_ACROSS]) for point in shown})
    at = {(float(point[_DOWN]), float(point[_ACROSS])): point for point in shown}

    def cell(k1: float, b: float) -> plots.Cell | None:
        point = at.get((k1, b))
        if point is None:
            return None
        axes = _axes(point)
        is_best, is_current = axes == dict(best), axes == dict(current)
        marks = ["best"] if is_best else ["≈ best"] if axes in plateau else []
        marks = ["best, now" if is_best else "now"] if is_current else marks
        return plots.Cell(float(point["means"][measure]), tuple(marks), is_best, is_current)

    plot = plots.heat_map(
        f"{measure} by k1 and b",
        (_DOWN, [f"{k1:g}" for k1 in k1s]),
        (_ACROSS, [f"{b:g}" for b in bs]),
        [[cell(k1, b) for b in bs] for k1 in k1s],
    )
    beside = ", ".join(f"{name} {value}" for name, value in others.items())
    caption = (
        f"{measure} by k1 and b{f', at {beside}' if beside else ''}: the stronger the colour, the "
        "larger the value. “≈ best” is within noise of the best; “now” is the setting in force."
    )
    # As wide as its columns need, so that figures are neither tiny nor huge.
    width = f"max-width:{round((56 + 48 * len(bs)) * 1.25)}px;min-width:{(56 + 48 * len(bs))}px"
    wrapped = parts.element("div", plot, style=width)
    whole = parts.figure(wrapped, caption, wide=True)
    label = f"{measure} by k1 and b"
    return parts.element(
        "div", whole, class_="scroll", tabindex="0", role="region", aria_label=label
    )


def _points(document: Document) -> Html:
    """The best points with every measure."""
    measure = _measure(document)
    points = sorted(document["points"], key=lambda point: -float(point["means"][measure]))
    axes = list(_axes(points[0]))
    measures = list(points[0]["means"])
    heads = [*axes, *measures, "p against the best"]
    rows = [
        [
            *(text(_plain(point.get(name))) for name in axes),
            *(text(figure(float(point["means"][name]))) for name in measures),
            text(f"{float(point['p_against_best']):.4f}"),
        ]
        for point in points[:_MOST_POINTS]
    ]
    n_more = len(points) - len(rows)
    more = f"; {n_more} more are in the JSON" if n_more else ""
    caption = f"Points, the best first{more}"
    shown = table(caption, heads, rows, numbers=range(len(heads)))
    return parts.disclosure(text(f"All figures of {len(rows)} points"), shown)


def _thresholds(found: Document) -> Html:
    """What relevance says about the first hit, and what becomes of a promise."""
    curve = [
        plots.Spot(
            float(row["at_or_above"]),
            float(row["precision"]),
            float(row["interval"][0]),
            float(row["interval"][1]),
        )
        for row in found["curve"]
        if row["precision"] is not None
    ]
    wanted = [
        (str(promise["label"]), float(promise["precision"]), promise["threshold"])
        for promise in found["promises"]
    ]
    checked = [
        plots.Spot(
            float(promise["precision"]),
            float(seen["precision"]),
            float(seen["interval"][0]),
            float(seen["interval"][1]),
            str(promise["label"]),
        )
        for promise in found["promises"]
        if (seen := promise["observed"])["precision"] is not None
    ]
    figures = [
        parts.figure(
            plots.precision_curve("Precision by relevance", curve, wanted),
            "How often a first hit at or above a relevance is right, with its 95 % interval; "
            "dashed is what was wanted.",
        ),
        parts.figure(
            plots.promises("Promised and observed", checked),
            "What one half of the queries promised and the other half observed, with its 95 % "
            "interval: on the dashed line or above it, the promise was kept.",
        ),
    ]
    rows = [_promise_row(promise) for promise in found["promises"]]
    heads = ["label", "promised", "threshold, half", "answers, other half", "observed"]
    heads += ["95 % interval", "kept", "threshold, all"]
    steps = [
        [
            text(figure(float(row["at_or_above"]))),
            text(row["n"]),
            text(f"{float(row['share']):.0%}"),
            text(figure(row["precision"])),
            text(_interval(row)),
        ]
        for row in found["curve"]
    ]
    names = ["relevance", "answers", "share", "precision", "95 % interval"]
    curve_table = table("At or above a relevance", names, steps, numbers=range(5))
    return joined(
        [
            parts.element("div", joined(figures), class_="plots"),
            table("Promises", heads, rows, numbers=range(1, len(heads))),
            parts.disclosure(text("Figures of the curve"), curve_table) if steps else NOTHING,
        ]
    )


def _promise_row(promise: Document) -> list[Html]:
    seen = promise["observed"]
    kept = {True: "yes", False: "no", None: "–"}[promise["is_kept"]]
    return [
        text(promise["label"]),
        text(f"{float(promise['precision']):g}"),
        text(_threshold(promise["fitted"])),
        text(seen["n"]),
        text(figure(seen["precision"])),
        text(_interval(seen) if seen["n"] else "–"),
        text(kept),
        text(_threshold(promise["threshold"])),
    ]


def _facts(document: Document) -> Html:
    rows = [
        [text(name), parts.code("–" if value is None else fact(value))]
        for name, value in document["facts"].items()
    ]
    return table("What the run was made of", ["fact", "value"], rows)


def _interval(row: Document) -> str:
    low, high = row["interval"]
    return f"{low:.3f} … {high:.3f}"


def _threshold(value: float | None) -> str:
    return "out of reach" if value is None else f"{value:.4f}"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
