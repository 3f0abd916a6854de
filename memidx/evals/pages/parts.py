"""What is a page made of?

Headings, tables, lists and cards, as text of HTML. Everything that is written through `text` is
escaped; a string of markup is an `Html`, so that the type checker tells the two apart. Pure.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import NewType

from memidx.evals.cells import one_line
from memidx.evals.pages.style import style_sheet
from memidx.evals.report import ARTIFACT_TYPE

Html = NewType("Html", str)
NOTHING = Html("")
# Nothing is loaded from anywhere, whatever a name in the report looks like.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# Classes of a state; a state is a word too, so that nothing depends on seeing a colour.
STATE_CLASSES = {"passed": "passed", "failed": "failed", "inconclusive": "open"}
_STATE_MARKS = {"passed": "✓", "failed": "✗", "inconclusive": "?"}


def text(value: object) -> Html:
    """A value as a browser shows it, whatever characters it holds."""
    return Html(html.escape(one_line(str(value)), quote=True))


def joined(parts: Iterable[Html], gap: str = "\n") -> Html:
    """Parts in a row, those that are empty left out."""
    return Html(gap.join(part for part in parts if part))


def element(name: str, content: Html, **attributes: object) -> Html:
    """An element; `class_` is written `class`, `data_x` is `data-x`, and None is left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{content}</{name}>")


def section(title: str, anchor: str, *content: Html) -> Html:
    """A part with its heading; empty where there is nothing in it."""
    inside = joined(content)
    if not inside:
        return NOTHING
    heading = element("h2", text(title), id=f"{anchor}-title")
    return element(
        "section", joined([heading, inside]), id=anchor, aria_labelledby=f"{anchor}-title"
    )


def table(
    caption: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[Html]],
    *,
    numbers: Sequence[int] = (),
    states: Sequence[str] | None = None,
    stacked: bool = False,
) -> Html:
    """A table whose first column heads its rows; empty without rows.

    Args:
        caption: What it shows; it names the part that can be scrolled, too.
        heads: Of the columns.
        rows: Cells, a row each.
        numbers: Columns, counted from 0, that hold figures.
        states: A class of state for each row, by which rows can be chosen.
        stacked: On a narrow screen each row is a list of its cells.
    """
    if not rows:
        return NOTHING
    kinds = ["number" if n in numbers else "words" for n in range(len(heads))]
    # A browser forgets what a cell is when its style makes it a line of a list: it is told.

    def role(name: str) -> str | None:
        return name if stacked else None

    head = joined(
        element(
            "th",
            text(name),
            scope="col",
            role=role("columnheader"),
            class_=kind if kind == "number" else None,
        )
        for name, kind in zip(heads, kinds, strict=True)
    )
    body = []
    for at, row in enumerate(rows):
        cells = [element("th", row[0], scope="row", role=role("rowheader"), class_=kinds[0])]
        for name, cell, kind in zip(heads[1:], row[1:], kinds[1:], strict=True):
            head_of = name if stacked else None
            cells.append(element("td", cell, role=role("cell"), class_=kind, data_head=head_of))
        data_state = states[at] if states else None
        body.append(element("tr", joined(cells, ""), role=role("row"), data_state=data_state))
    inside = joined(
        [
            element("caption", text(caption)),
            element("thead", element("tr", head, role=role("row")), role=role("rowgroup")),
            element("tbody", joined(body), role=role("rowgroup")),
        ]
    )
    whole = element("table", inside, class_="stacked" if stacked else None, role=role("table"))
    # What can be scrolled can be reached by the keyboard, and says what it is.
    return element("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def bullets(lines: Iterable[str]) -> Html:
    """A list of sentences; empty without any."""
    items = joined(element("li", text(line)) for line in lines)
    return element("ul", items) if items else NOTHING


def terms(pairs: Iterable[tuple[str, Html]], class_: str | None = None) -> Html:
    """A list of names and what they are; pairs without content are left out."""
    rows = [(name, content) for name, content in pairs if content]
    if not rows:
        return NOTHING
    inside = joined(
        joined([element("dt", text(name)), element("dd", content)], "") for name, content in rows
    )
    return element("dl", inside, class_=class_)


def figures(entries: Iterable[tuple[str, str, str]]) -> Html:
    """Figures that stand out: name, value, and what else is to be said of it."""
    tiles = []
    for name, value, note in entries:
        small = element("small", text(note)) if note else NOTHING
        value_and_note = joined([text(value), small], "")
        pair = joined([element("dt", text(name)), element("dd", value_and_note)], "")
        tiles.append(element("div", pair))
    return element("dl", joined(tiles), class_="figures")


def disclosure(
    summary: Html, content: Html, *, class_: str | None = None, is_open: bool = False
) -> Html:
    """What is shown when it is asked for, by mouse or keyboard, without a script."""
    inside = joined([element("summary", summary), content])
    return element("details", inside, class_=class_, open="open" if is_open else None)


def state(status: str) -> Html:
    """A state by mark, word and colour."""
    mark = element("span", text(_STATE_MARKS.get(status, "·")), aria_hidden="true")
    return element(
        "span", joined([mark, text(status)], " "), class_=f"state {STATE_CLASSES.get(status, '')}"
    )


def state_line(status: str, words: str) -> Html:
    """A state, and what is to be said of it."""
    return joined([state(status), text(words)], " ")


def code(value: object) -> Html:
    """A name of the corpus or of the suite."""
    return element("code", text(value))


def figure(plot: Html, caption: str, *, wide: bool = False) -> Html:
    """A plot and what it shows; empty without a plot."""
    if not plot:
        return NOTHING
    inside = joined([plot, element("figcaption", text(caption))])
    return element("figure", inside, class_="wide" if wide else None)


def page(title: str, verdict: str, state_class: str, sections: Sequence[Html]) -> str:
    """A whole page, which needs no other file.

    Args:
        title: Its only heading of the first order.
        verdict: The line that says what came of it.
        state_class: One of `STATE_CLASSES`' values; empty for what is neither good nor bad.
        sections: Those that are not empty are listed at the top.
    """
    shown = [part for part in sections if part]
    links = [
        element("li", element("a", Html(name), href=f"#{anchor}"))
        for anchor, name in map(_anchor_and_title, shown)
        if anchor
    ]
    nav = element("nav", element("ul", joined(links)), aria_label="Parts")
    header = joined(
        [
            element("a", text("To the report"), class_="skip", href="#report"),
            element("h1", text(title)),
            element("p", text(verdict), class_=f"verdict {state_class}".strip(), id="verdict"),
            nav,
        ]
    )
    body = joined(
        [
            element("header", header),
            element("main", joined(shown), id="report"),
            element("footer", element("p", text("Made by memidx. Nothing here was loaded."))),
        ]
    )
    head = joined(
        [
            Html('<meta charset="utf-8">'),
            Html(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
            Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Html('<meta name="color-scheme" content="light dark">'),
            element("title", text(title)),
            Html(f"<style>{style_sheet()}</style>"),
        ]
    )
    # The first lines keep memidx from ever indexing it.
    return (
        f"<!doctype html>\n<!-- artifact_type: {ARTIFACT_TYPE} -->\n"
        f'<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'
    )


def _anchor_and_title(part: Html) -> tuple[str, str]:
    """Where a section is and what it is called, as it is written; empty for other parts."""
    if not part.startswith("<section "):
        return "", ""
    anchor = part.split(' id="', 1)[1].split('"', 1)[0]
    return anchor, part.split("<h2", 1)[1].split(">", 1)[1].split("</h2>", 1)[0]
