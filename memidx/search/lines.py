"""On which lines of its file does a snippet stand?

The text of most documents is a run of lines of a file. Where it is told in other words, or lines
were taken out of it, only the line where the document begins is known, and none is made up.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING
from memidx.search.answer import Snippet
from memidx.text import CUT, TOLD_KINDS
from memidx.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence


def in_file(
    snippets: Sequence[Snippet], *, kind: str, text: str, begin: int
) -> tuple[Snippet, ...]:
    """The snippets with lines of the file.

    Args:
        snippets: With lines as if the text were in the file as it is.
        kind: Kind of the document's source.
        text: Of the document.
        begin: Line of the file where the document begins.
    """
    if kind in TOLD_KINDS:
        last = 0
    elif kind == "code" and CUT in text:
        last = begin + text.count("\n", 0, text.index(CUT))
    else:
        return tuple(snippets)
    return tuple(
        snippet if snippet.line_end <= last else replace(snippet, line_start=begin, line_end=begin)
        for snippet in snippets
    )
