"""What is shown of a document in which no word of the question stands?

Only its title may hold one, or none at all: then the title, or the document's first passage.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING
from memidx.search.answer import Snippet
from memidx.search.passages import cut_out, cut_right
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from memidx.search.blocks import Outline
    from memidx.search.pages import Page
    from memidx.search.places import Finder


def beginning(
    page: Page, finder: Finder, title: str, line_offset: int, width: int
) -> tuple[Snippet, ...]:
    """The title if it matches, else the first passage, else the title."""
    first = None if finder.stand_in(title) else next(iter(passages(page.outline)), None)
    if first is not None:
        bounds = first.start, first.end
        end = cut_right(page.text, *bounds, width)
        return (cut_out(page.text, bounds, first.start, end, line_offset),)
    shown = title[: cut_right(title, 0, len(title), width)].strip()
    return (Snippet(shown, line_offset + 1, line_offset + 1),) if shown else ()


class Passage(NamedTuple):
    """`text[start:end]`, on lines `line_start` to `line_end`, 1-based."""

    line_start: int
    line_end: int
    start: int
    end: int


def passages(outline: Outline) -> list[Passage]:
    """Passages of a text; all blocks when there is nothing but tables, comments and the like."""
    text = outline.text
    numbers = range(len(outline.starts))
    shown = [number for number in numbers if outline.is_passage(number)] or list(numbers)
    bounds = dict.fromkeys(outline.span(number) for number in shown)
    found: list[Passage] = []
    line = 1
    counted = 0
    for first, last in bounds:
        start, end = outline.starts[first], outline.ends[last]
        line += text.count("\n", counted, start)
        n_lines = text.count("\n", start, end)
        found.append(Passage(line, line + n_lines, start, end))
        line += n_lines
        counted = end
    return found
