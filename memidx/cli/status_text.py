"""How are a store's figures laid out?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tabulate import tabulate

from memidx.cli.terminal import printable


def status_text(status: Mapping[str, Any]) -> str:
    """Names and values in two columns; what is nested is named `outer.inner`."""
    return tabulate(_rows(status), tablefmt="plain", disable_numparse=True)


def _rows(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in values.items():
        name = printable(f"{prefix}{key}")
        if isinstance(value, Mapping) and value:
            rows += _rows(value, prefix=f"{name}.")
        else:
            rows.append((name, _shown(value)))
    return rows


def _shown(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case Mapping():
            return ", ".join(f"{key} {_shown(inner)}" for key, inner in value.items()) or "none"
        case Sequence() if not isinstance(value, str):
            return "; ".join(_shown(inner) for inner in value) or "none"
        case _:
            return printable(str(value)) or "none"
