"""Which places of a ranking does the caller want to see?

By default all of them: identical documents are separate hits, and a source may fill the list. On
request one of several alike is shown, and a source or a file has at most so many places.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from memidx.search.ranking import Scored
    from memidx.snapshot.snapshot import Snapshot


class Caps(NamedTuple):
    """What a list may hold of one kind.

    Attributes:
        dedupe: `content` or `title`: of hits that share it, only the first is listed.
        per_source: Places of one source, >= 1; None for as many as it has.
        per_path: Places of one file, >= 1; records, releases and functions share theirs.
    """

    dedupe: str | None = None
    per_source: int | None = None
    per_path: int | None = None


def listed(snapshot: Snapshot, best: Sequence[Scored], caps: Caps) -> tuple[Scored, ...]:
    """The places that are listed, in their order; from a whole ranking, the whole list."""
    limits: list[tuple[Callable[[int], Hashable], int]] = []
    if caps.dedupe == "content":
        limits.append((lambda doc: snapshot.card(doc).source_hash, 1))
    elif caps.dedupe == "title":
        limits.append((lambda doc: snapshot.card(doc).title.casefold(), 1))
    if caps.per_source is not None:
        limits.append((lambda doc: snapshot.sources[snapshot.source_of[doc]], caps.per_source))
    if caps.per_path is not None:
        # The same path below two roots is two files.
        limits.append((lambda doc: (snapshot.store_of(doc), snapshot.path(doc)), caps.per_path))
    counts: list[dict[Hashable, int]] = [{} for _ in limits]
    kept = []
    for scored in best:
        marks = [mark(scored.doc) for mark, _ in limits]
        if all(
            count.get(mark, 0) < most
            for count, mark, (_, most) in zip(counts, marks, limits, strict=True)
        ):
            kept.append(scored)
            # Only what is listed takes a place.
            for count, mark in zip(counts, marks, strict=True):
                count[mark] = count.get(mark, 0) + 1
    return tuple(kept)
