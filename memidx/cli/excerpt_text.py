"""What is said beside an excerpt?"""

from __future__ import annotations

from shlex import quote

from memidx.cli.terminal import printable
from memidx.results import Excerpt


def aside_of_excerpt(found: Excerpt) -> str:
    """How to read on, or what there is instead; empty when the excerpt says it all."""
    if not found.doc_id:
        lines = [f"No document is indexed as {printable(found.place)}."]
        if found.near:
            lines.append("Near it: " + ", ".join(map(printable, found.near)))
        return "\n".join(lines)
    if found.is_line_cut:
        return f"Line {found.line_start} is longer than the bound; --max-bytes shows more of it."
    if not found.text:
        return f"The document ends at line {found.doc_line_end}."
    if found.next_line is not None:
        return (
            f"Lines {found.line_start} to {found.line_end} of {found.doc_line_end}; "
            "read on: memidx get " + quote(f"{printable(found.doc_id)}:{found.next_line}")
        )
    return ""
