"""How does a person at a terminal read an answer?"""

from __future__ import annotations

import sys
from textwrap import wrap
from typing import TYPE_CHECKING

from memidx.cli.answer_words import closing_line, cut, nearest_lines, place, why_empty
from memidx.cli.terminal import bold, columns, dim, printable, wants_colour

if TYPE_CHECKING:
    from memidx.search.answer import Answer, Hit


def answer_table(answer: Answer) -> str:
    """Hits, each with rank, title, label, place and snippet; the last line says what they are."""
    width = columns(sys.stdout)
    colour = wants_colour(sys.stdout)
    lines: list[str] = []
    for hit in answer.hits:
        lines += _hit_lines(hit, width=width, colour=colour)
    if not answer.hits:
        lines += [*why_empty(answer), ""]
    if answer.nearest:
        lines += [*nearest_lines(answer), ""]
    lines += [f"Note: {printable(note)}" for note in answer.notes]
    lines.append(dim(closing_line(answer), colour=colour))
    return "\n".join(lines)


def _hit_lines(hit: Hit, *, width: int, colour: bool) -> list[str]:
    rank = f"{hit.rank}."
    indent = " " * (len(rank) + 1)
    title = cut(hit.title, width - len(indent) - len(hit.confidence) - 2)
    facts = [hit.source, *([hit.time] if hit.time else []), *hit.flags]
    return [
        f"{rank} {bold(title, colour=colour)}  {hit.confidence}",
        f"{indent}{place(hit.doc_id, hit.line_start)}  "
        + dim(f"[{printable(', '.join(facts))}]", colour=colour),
        *(
            indent + line
            for line in wrap(printable(hit.snippet), width - len(indent), break_on_hyphens=False)
        ),
        "",
    ]
