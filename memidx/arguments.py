"""Can these arguments be used?

What a program passes to the API is checked before anything is read; a misspelt name must not look
like an empty answer.
"""

from __future__ import annotations

from memidx.config import SourceConfig
from memidx.errors import InputError
from memidx.light import TYPE_CHECKING
from memidx.search.ranking import STRATEGIES
from memidx.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memidx.search.filters import Filters


def check_names(
    filters: Filters | None, sources: Sequence[SourceConfig], snapshot: Snapshot
) -> None:
    """Refuse a source or kind that is neither configured nor in the index.

    Raises:
        InputError: Naming the ones there are.
    """
    if filters is None:
        return
    if filters.sources:
        names = {source.name for source in sources}
        _check_known("source", filters.sources, names.union(snapshot.sources))
    if filters.kinds:
        kinds = {source.kind for source in sources}
        _check_known("kind", filters.kinds, kinds.union(snapshot.kinds))


def check_arguments(
    k: int, offset: int, strategy: str | None, min_score: float | None, dedupe: str | None
) -> None:
    """Refuse numbers out of range and unknown choices."""
    if k < 1 or offset < 0:
        raise InputError("k must be at least 1 and offset at least 0", found=f"{k}, {offset}")
    if strategy is not None and strategy not in STRATEGIES:
        raise InputError("unknown strategy", expected=", ".join(STRATEGIES), found=repr(strategy))
    if min_score is not None and not 0.0 <= min_score <= 1.0:
        raise InputError("min_score is out of range", expected="0 to 1", found=str(min_score))
    if dedupe not in (None, "content", "title"):
        raise InputError("unknown dedupe", expected="content or title", found=repr(dedupe))


def check_caps(per_source: int | None, per_path: int | None) -> None:
    """Refuse a cap that leaves no place."""
    for name, cap in (("per_source", per_source), ("per_path", per_path)):
        if cap is not None and cap < 1:
            raise InputError(f"{name} is out of range", expected="1 or more", found=str(cap))


def check_excerpt(line: int | None, count: int | None, max_bytes: int) -> None:
    """Refuse a place in a document that cannot be, and a bound that holds no line."""
    for name, value, least in (("line", line, 1), ("count", count, 1), ("max_bytes", max_bytes, 8)):
        if value is not None and value < least:
            raise InputError(
                f"{name} is out of range", expected=f"{least} or more", found=str(value)
            )


def day_of(given: str) -> str:
    """The day ages count from, in its normal form."""
    from memidx.text.dates import parse_time  # most ages count from today

    parsed = parse_time(str(given))  # a `date` is as good as its text
    if parsed is None:
        raise InputError("as_of is not a date", expected="an ISO date", found=repr(given))
    return parsed


def _check_known(what: str, wanted: Sequence[str], known: Collection[str]) -> None:
    for name in wanted:
        if name not in known:
            raise InputError(
                f"no {what} has this name",
                expected="one of " + ", ".join(sorted(known)),
                found=repr(name),
            )
