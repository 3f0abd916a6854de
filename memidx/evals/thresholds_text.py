"""How does a person read fitted thresholds?

Tables for a terminal (`simple`) and in Markdown (`pipe`), shared by the reports of tuning and of
calibration. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from memidx.evals.statistics import Interval
from memidx.evals.thresholds import Bin, Promise, Thresholds

_KEPT = {True: "yes", False: "no", None: "–"}


def threshold_blocks(found: Thresholds, style: str, *, at: str = "") -> list[str]:
    """What they rest on, the curve, the published labels, and the promises."""
    curve = as_table(
        [[f">= {float(row.name):.2f}", *_bin(row)] for row in found.curve],
        ["relevance", "answers", "share", "precision", "95 % interval"],
        style,
    )
    published = as_table(
        [[row.name, *_bin(row)] for row in found.published],
        ["published label", "answers", "share", "precision", "95 % interval"],
        style,
    )
    counts = f"{found.n_answers} answers by the {found.strategy} strategy"
    if found.n_fallback:
        counts += f"; {found.n_fallback} more came from the fallback and take no part"
    basis = f"{counts}{at}. They hold for this corpus, analyzer, strategy and setting alone."
    return [_prose(basis, style), curve, published, _promises(found.promises, style)]


def as_table(rows: Sequence[Sequence[str]], heads: Sequence[str], style: str) -> str:
    """A table whose cells cannot break it."""
    # tabulate is only needed when a table is drawn.
    from tabulate import tabulate

    clean = escaped if style == "pipe" else plain
    cells = [[clean(cell) for cell in row] for row in rows]
    return tabulate(cells, headers=list(heads), tablefmt=style, disable_numparse=True)


def interval(found: Interval, *, signed: bool = False) -> str:
    """Both ends of it."""
    if signed:
        return f"[{found.low:+.4f}, {found.high:+.4f}]"
    return f"[{found.low:.3f}, {found.high:.3f}]"


def plain(text: str) -> str:
    """Text that cannot break a line or steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def escaped(text: str) -> str:
    """Text that Markdown and a browser show as it is."""
    shown = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for character in "\\`*_|":
        shown = shown.replace(character, f"\\{character}")
    return shown


def _promises(promises: Sequence[Promise], style: str) -> str:
    rows = [
        [
            promise.label,
            f"{promise.precision:g}",
            _threshold(promise.fitted),
            *_bin(promise.observed)[:1],
            *_bin(promise.observed)[2:],
            _KEPT[promise.is_kept],
            _halvings(promise),
            _threshold(promise.threshold),
            f"{promise.on_all.share:.0%}" if promise.on_all.n else "–",
        ]
        for promise in promises
    ]
    heads = ["label", "promised", "half: threshold", "other half", "observed", "95 % interval"]
    heads += ["kept", "kept of halvings", "all: threshold", "share"]
    return as_table(rows, heads, style)


def _halvings(promise: Promise) -> str:
    found = promise.halvings
    if found.observed is None:
        return f"0/0 of {found.n}"
    return f"{found.n_kept}/{found.n_fitted} of {found.n}, mean {found.observed:.3f}"


def _bin(row: Bin) -> list[str]:
    if row.precision is None:
        return [str(row.n), "–", "–", "–"]
    return [str(row.n), f"{row.share:.0%}", f"{row.precision:.3f}", interval(row.interval)]


def _threshold(value: float | None) -> str:
    return "out of reach" if value is None else f"{value:.4f}"


def _prose(text: str, style: str) -> str:
    return escaped(text) if style == "pipe" else plain(text)
