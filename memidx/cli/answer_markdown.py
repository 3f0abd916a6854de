"""How is an answer pasted into an agent's context?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memidx.cli.answer_words import closing_line, cut, nearest_lines, place, why_empty
from memidx.cli.terminal import printable

if TYPE_CHECKING:
    from memidx.search.answer import Answer, Hit


def answer_markdown(answer: Answer) -> str:
    """A heading, what the answer is worth, and a numbered list of quotes with their places."""
    lines = [f"### Memory: {cut(answer.text, 120)}", "", closing_line(answer), ""]
    for hit in answer.hits:
        lines += _hit_lines(hit)
    if not answer.hits:
        lines.append(" ".join(why_empty(answer)))
    lines += nearest_lines(answer)
    lines += [f"Note: {printable(note)}" for note in answer.notes]
    if answer.cursor is not None:
        lines.append(f"More: --cursor {answer.cursor}")
    return "\n".join(lines).rstrip("\n")


def _hit_lines(hit: Hit) -> list[str]:
    indent = " " * (len(str(hit.rank)) + 2)
    facts = [hit.confidence, hit.source, *([hit.time] if hit.time else []), *hit.flags]
    return [
        f"{hit.rank}. **{cut(hit.title, 120)}** `{place(hit.doc_id, hit.line_start)}` "
        f"({printable(', '.join(facts))})",
        "",
        f"{indent}> {printable(hit.snippet)}",
        *(
            line
            for snippet in hit.snippets[1:]
            for line in (f"{indent}>", f"{indent}> {printable(snippet.text)}")
        ),
        "",
    ]
