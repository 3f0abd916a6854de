"""In which form does an answer leave, and how much of it fits?

An agent that reads an answer pays for every byte: the best passages are packed (`packing`), and
the answer says how to get the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from memidx.cli.packing import first_passages, pack
from memidx.cli.terminal import to_json
from memidx.text import FEEDS

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


def render_answer(answer: Answer, form: str, *, max_bytes: int | None = None) -> Rendered:
    """Write an answer out, within a number of bytes (None: the form's default, 0: unbounded).

    Raises:
        InputError: Not even the first hit fits into `max_bytes`.
    """
    bound = DEFAULT_MAX_BYTES.get(form, OTHER_MAX_BYTES) if max_bytes is None else max_bytes
    write = _FORMS[form]
    # Prose to paste has further passages only where a caller says what it may cost.
    if form in ("table", "files") or (form == "md" and not max_bytes):
        answer = first_passages(answer)
    shown = pack(answer, write, bound) if bound else answer
    return Rendered(write(shown), _aside(shown, form))


def _aside(answer: Answer, form: str) -> str:
    """What the form itself cannot say: nothing, but for bare paths."""
    if form != "files":
        return ""
    from memidx.cli.answer_words import closing_line

    more = () if answer.cursor is None else (f"More: --cursor {answer.cursor}",)
    return "\n".join((*answer.notes, closing_line(answer), *more))


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
    # A commit is no file, and what comes next in the pipe opens what it is given.
    return "\n".join(dict.fromkeys(hit.path for hit in answer.hits if hit.kind not in FEEDS))


_FORMS: Mapping[str, Callable[[Answer], str]] = {
    "table": _table,
    "json": _json,
    "jsonl": _jsonl,
    "md": _markdown,
    "files": _files,
}
