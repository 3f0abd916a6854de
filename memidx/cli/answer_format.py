"""In which form does an answer leave, and how much of it fits?

An agent that reads an answer pays for every byte: hits that do not fit are left out from the
end, and the answer says how to get them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from memidx.cli.terminal import to_json
from memidx.values import replace

if TYPE_CHECKING:
    from memidx.search.answer import Answer

# About 2,000 tokens to paste, about 8,000 to read: five hits fit with room to spare.
DEFAULT_MAX_BYTES: Mapping[str, int] = {"md": 8 * 1024}
OTHER_MAX_BYTES = 32 * 1024


class Rendered(NamedTuple):
    """An answer in the form that was asked for.

    Attributes:
        result: For stdout.
        aside: For stderr: what the form has no room for.
    """

    result: str
    aside: str


def render_answer(
    answer: Answer, form: str, *, offset: int = 0, max_bytes: int | None = None
) -> Rendered:
    """Write an answer out, within a number of bytes (None: the form's default, 0: unbounded).

    At least one hit stays.
    """
    bound = DEFAULT_MAX_BYTES.get(form, OTHER_MAX_BYTES) if max_bytes is None else max_bytes
    write = _FORMS[form]
    text = write(answer)
    if not bound or _size(text) <= bound:
        return Rendered(text, _aside(answer, form))
    # The size grows with the number of hits: halve the range that the best number lies in.
    fits, most = min(1, len(answer.hits)), len(answer.hits)
    while fits < most:
        middle = (fits + most + 1) // 2
        if _size(write(_first(answer, middle, offset))) <= bound:
            fits = middle
        else:
            most = middle - 1
    shown = _first(answer, fits, offset)
    return Rendered(write(shown), _aside(shown, form))


def _first(answer: Answer, n_hits: int, offset: int) -> Answer:
    """The answer with its first hits, saying so."""
    left_out = len(answer.hits) - n_hits
    if left_out <= 0:
        return answer
    note = (
        f"{left_out} more hits of this page do not fit: "
        f"--offset {offset + n_hits} shows them, --max-bytes 0 lifts the bound"
    )
    return replace(answer, hits=answer.hits[:n_hits], notes=(*answer.notes, note))


def _aside(answer: Answer, form: str) -> str:
    """What the form itself cannot say: nothing, but for bare paths."""
    if form != "files":
        return ""
    from memidx.cli.answer_words import closing_line

    return "\n".join((*answer.notes, closing_line(answer)))


# A form is loaded when it is the one that is asked for: a program that reads JSON does not wait
# for the words of the table.
def _table(answer: Answer) -> str:
    from memidx.cli.answer_table import answer_table

    return answer_table(answer)


def _markdown(answer: Answer) -> str:
    from memidx.cli.answer_markdown import answer_markdown

    return answer_markdown(answer)


def _json(answer: Answer) -> str:
    return to_json(answer.to_dict())


def _jsonl(answer: Answer) -> str:
    """A line for each hit, then one for the answer without its hits."""
    whole = answer.to_dict()
    hits = whole.pop("hits")
    return "\n".join(to_json(line, one_line=True) for line in (*hits, whole))


def _files(answer: Answer) -> str:
    return "\n".join(dict.fromkeys(hit.path for hit in answer.hits))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


_FORMS: Mapping[str, Callable[[Answer], str]] = {
    "table": _table,
    "json": _json,
    "jsonl": _jsonl,
    "md": _markdown,
    "files": _files,
}
