"""Which passages of which hits fit into so many bytes?

An agent that reads an answer pays for every byte. What is worth most goes in first: the passages
of all hits in order of their worth, the first of a hit by its composite, every further one by half
of the one before. So a much better document gives its second passage before a poor one its first.
What is around the hits (terms, notes, what was skipped) is shortened only where it would leave too
little room for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memidx.errors import InputError
from memidx.values import replace

if TYPE_CHECKING:
    from memidx.search.answer import Answer, Hit, Problem

FURTHER = 0.5
"""What a further passage of a hit is worth, of the one before it."""
FRAME_SHARE = 0.5
"""What share of the bytes the frame may take before it is shortened."""

Write = Callable[["Answer"], str]


def pack(answer: Answer, write: Write, max_bytes: int) -> Answer:
    """As much of an answer as fits, the best first.

    Args:
        answer: With all its hits and their passages.
        write: What makes text of it.
        max_bytes: Most bytes of that text and the line end behind it.

    Raises:
        InputError: Not even the frame and the first hit without its passage fit.
    """

    def fits(candidate: Answer, share: float = 1.0) -> bool:
        return size_of(write(candidate)) <= share * max_bytes

    if fits(answer):
        return answer
    frames = [shorten(answer) for shorten in (_short, _shorter, _shortest)]
    smallest = frames[-1]
    if not answer.hits:
        smallest = next(filter(fits, frames), smallest)
    else:
        pieces = _by_worth(answer.hits)
        roomy = [one for one in (answer, *frames) if fits(replace(one, hits=()), FRAME_SHARE)]
        for frame in (*roomy, frames[-1]):
            count = _longest(len(pieces), partial(_fits_with, frame, pieces, fits))
            if count:
                return _with(frame, pieces[:count])
        smallest = _with(smallest, pieces[:1])
    top = smallest.hits[0] if smallest.hits else None
    if top is not None:
        cut = _longest(len(top.snippet), lambda n: fits(replace(smallest, hits=(_bare(top, n),))))
        smallest = replace(smallest, hits=(_bare(top, cut),))
    if fits(smallest):
        return smallest
    raise InputError(
        "the answer does not fit",
        expected=f"{size_of(write(smallest))} bytes or more",
        found=str(max_bytes),
        hint="raise --max-bytes; 0 lifts the bound",
    )


def size_of(text: str) -> int:
    """Bytes of a result on stdout, with its line end."""
    return len(text.encode("utf-8", "surrogatepass")) + 1


def first_passages(answer: Answer) -> Answer:
    """The answer with one passage a hit."""
    return replace(
        answer, hits=tuple(replace(hit, snippets=hit.snippets[:1]) for hit in answer.hits)
    )


def _by_worth(hits: Sequence[Hit]) -> list[tuple[int, int]]:
    """`(hit, passage)` in order of worth; a hit without passages is a piece, too."""
    pieces = [
        (-hit.composite * FURTHER**passage, number, passage)
        for number, hit in enumerate(hits)
        for passage in range(max(1, len(hit.snippets)))
    ]
    # Hits stay in their order whatever their numbers: what is left out is what a cursor shows.
    firsts = -float("inf")
    ordered = []
    for worth, number, passage in pieces:
        firsts = max(firsts, worth) if passage == 0 else firsts
        ordered.append((max(worth, firsts), number, passage))
    return [(number, passage) for _, number, passage in sorted(ordered)]


def _with(frame: Answer, pieces: Sequence[tuple[int, int]]) -> Answer:
    """The frame with these passages, saying how many hits are left out."""
    n_snippets: dict[int, int] = {}
    for number, passage in pieces:
        n_snippets[number] = max(n_snippets.get(number, 0), passage + 1)
    hits = tuple(
        replace(frame.hits[number], snippets=frame.hits[number].snippets[:count])
        for number, count in sorted(n_snippets.items())
    )
    left_out = len(frame.hits) - len(hits)
    shown = replace(frame, hits=hits)
    if not left_out:
        return shown
    cursor = f" or --cursor {shown.cursor}" if shown.cursor else ""
    note = (
        f"{left_out} more hits of this page do not fit: --offset {hits[-1].rank}{cursor} "
        "shows them, --max-bytes 0 lifts the bound"
    )
    return replace(shown, notes=(*frame.notes, note))


def _fits_with(
    frame: Answer, pieces: Sequence[tuple[int, int]], fits: Callable[[Answer], bool], count: int
) -> bool:
    return fits(_with(frame, pieces[:count]))


def _bare(hit: Hit, n_characters: int) -> Hit:
    """The first hit with the beginning of its passage, when even that is too much."""
    snippets = tuple(
        replace(snippet, text=snippet.text[:n_characters]) for snippet in hit.snippets[:1]
    )
    return replace(
        hit,
        title=_cut(hit.title, 60),
        tags=(),
        snippet=hit.snippet[:n_characters],
        snippets=snippets if n_characters else (),
    )


def _longest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest number that fits, 0 when none does; size grows with the number."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _short(answer: Answer) -> Answer:
    return replace(
        answer,
        text=_cut(answer.text, 200),
        terms=answer.terms[:32],
        excluded=_cut_all(answer.excluded, 16, 60),
        also=_cut_all(answer.also, 8, 120),
        sources_failed=_problems(answer.sources_failed, 20, 160),
        skipped=_problems(answer.skipped, 3, 120),
        notes=_cut_all(answer.notes, 6, 240),
    )


def _shorter(answer: Answer) -> Answer:
    by_count = sorted(answer.n_by_source.items(), key=lambda item: (-item[1], item[0]))
    return replace(
        answer,
        text=_cut(answer.text, 80),
        terms=_cut_all(answer.terms, 8, 40),
        excluded=_cut_all(answer.excluded, 4, 40),
        also=_cut_all(answer.also, 2, 40),
        n_by_source=dict(by_count[:8]),
        sources_failed=_problems(answer.sources_failed, 4, 80),
        skipped=(),
        suggestions=answer.suggestions[:2],
        nearest=answer.nearest[:3],
        notes=_cut_all(answer.notes, 2, 120),
    )


def _shortest(answer: Answer) -> Answer:
    return replace(
        answer,
        text=_cut(answer.text, 30),
        terms=(),
        excluded=_cut_all(answer.excluded, 1, 20),
        also=(),
        n_by_source={},
        sources_failed=_problems(answer.sources_failed, 1, 40),
        skipped=(),
        suggestions=(),
        nearest=(),
        notes=(),
        timing={},
    )


def _problems(problems: Sequence[Problem], most: int, width: int) -> tuple[Problem, ...]:
    return tuple(
        replace(problem, reason=_cut(problem.reason, width), path=_cut(problem.path, width))
        for problem in problems[:most]
    )


def _cut_all(texts: Sequence[str], most: int, width: int) -> tuple[str, ...]:
    return tuple(_cut(text, width) for text in texts[:most])


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
