"""Which documents may answer at all?

Filters are applied to every matching document before the best are chosen, so that one decision
among thousands of commits is found.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING, pattern
from memidx.values import Value, replace

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from memidx.snapshot.snapshot import Snapshot


class Filters(Value):
    """What the caller narrowed the search to; an empty field narrows nothing.

    Attributes:
        sources: Source names, any of them.
        kinds: Source kinds, any of them.
        tags: Tags, any of them.
        path_globs: Globs over the path in gitignore's syntax, any of them.
        since_day: Earliest day (days since 1970-01-01, UTC), inclusive.
        until_day: First moment that is too late, in the same unit.
        exclude_invalidated: Leave out what is superseded or invalidated.
    """

    sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path_globs: tuple[str, ...] = ()
    since_day: float | None = None
    until_day: float | None = None
    exclude_invalidated: bool = False


def make_filters(
    *,
    sources: Sequence[str] = (),
    kinds: Sequence[str] = (),
    tags: Sequence[str] = (),
    path_globs: Sequence[str] = (),
    since: str | None = None,
    until: str | None = None,
    exclude_invalidated: bool = False,
    as_of_day: float,
) -> Filters:
    """Filters from what a caller writes.

    Args:
        since: ISO date or `30d` (so many days before `as_of_day`), inclusive.
        until: The same; a date includes that whole day.
        as_of_day: Days since 1970-01-01 that relative dates count from.

    Raises:
        InputError: A date that is neither form.
    """
    return Filters(
        sources=tuple(sources),
        kinds=tuple(kinds),
        tags=tuple(tags),
        path_globs=tuple(path_globs),
        since_day=None if since is None else _bound("since", since, as_of_day, end=False),
        until_day=None if until is None else _bound("until", until, as_of_day, end=True),
        exclude_invalidated=exclude_invalidated,
    )


def named_too(filters: Filters | None, sources: Sequence[str]) -> Filters:
    """The filters with sources that the query itself names, if any, among them.

    A flag and a word of the query both narrow: what neither allows is not searched.
    """
    filters = filters or Filters()
    if not sources:
        return filters
    both = set(sources).intersection(filters.sources or sources)
    return replace(filters, sources=tuple(sorted(both)) or ("",))


def predicate(snapshot: Snapshot, filters: Filters) -> Callable[[int], bool] | None:
    """A test of one `doc_ord`, or None when nothing is filtered."""
    tests: list[Callable[[int], bool]] = []
    if filters.sources:
        wanted = {n for n, name in enumerate(snapshot.sources) if name in filters.sources}
        source_of = snapshot.source_of
        tests.append(lambda doc: source_of[doc] in wanted)
    if filters.kinds:
        kinds = {n for n, name in enumerate(snapshot.kinds) if name in filters.kinds}
        kind_of = snapshot.kind_of
        tests.append(lambda doc: kind_of[doc] in kinds)
    if filters.exclude_invalidated and snapshot.flags:
        from memidx.snapshot.standing import OUT  # few searches ask for it

        out = {doc for doc, flags in snapshot.flags.items() if not OUT.isdisjoint(flags)}
        tests.append(lambda doc: doc not in out)
    day_of = snapshot.day_of
    if filters.since_day is not None:
        since = filters.since_day
        tests.append(lambda doc: day_of[doc] >= since)
    if filters.until_day is not None:
        until = filters.until_day
        tests.append(lambda doc: float("-inf") < day_of[doc] < until)
    if filters.path_globs:
        patterns = [path_regex(glob) for glob in filters.path_globs]
        tests.append(lambda doc: any(p.fullmatch(snapshot.path(doc)) for p in patterns))
    if filters.tags:
        tags = set(filters.tags)
        tests.append(lambda doc: not tags.isdisjoint(snapshot.card(doc).tags))
    if not tests:
        return None
    return lambda doc: all(test(doc) for test in tests)


def path_regex(glob: str) -> re.Pattern[str]:
    """A glob over paths, read as gitignore reads it.

    Without a slash inside it is a name at any depth; a folder stands for what is in it.
    """
    import re  # most searches have no globs

    body = glob.strip("/")
    start = "" if "/" in body or glob.startswith("/") else "(?:.*/)?"
    return re.compile(f"{start}{glob_regex(body).pattern}(?:/.*)?", re.DOTALL)


def glob_regex(glob: str) -> re.Pattern[str]:
    """Compile a path glob: `*` and `?` stay within a folder, `**` crosses folders, `[x]` is a set.

    A `**/` also matches no folder at all, so that `**/a.md` finds `a.md` at the top.
    """
    import re  # see `path_regex`

    pieces: list[str] = []
    at = 0
    while at < len(glob):
        character = glob[at]
        if glob.startswith("**/", at):
            pieces.append("(?:[^/]+/)*")
            at += 3
        elif glob.startswith("**", at):
            pieces.append(".*")
            at += 2
        elif character == "*":
            pieces.append("[^/]*")
            at += 1
        elif character == "?":
            pieces.append("[^/]")
            at += 1
        elif character == "[" and (end := glob.find("]", at + 2)) > 0:
            inside = glob[at + 1 : end]
            negated = inside[0] in "!^"
            body = re.escape(inside[negated:]).replace(r"\-", "-")
            pieces.append(_character_set(body, negated=negated))
            at = end + 1
        else:
            pieces.append(re.escape(character))
            at += 1
    return re.compile("".join(pieces), re.DOTALL)


def _character_set(body: str, *, negated: bool) -> str:
    import re  # see `path_regex`

    candidate = f"[{'^' if negated else ''}{body}]"
    try:
        re.compile(candidate)
    except re.error:  # a range that runs backwards: no character is in it
        return "(?!)"
    return candidate


def _bound(name: str, value: str, as_of_day: float, *, end: bool) -> float:
    from memidx.errors import InputError  # most searches have no dates
    from memidx.text import days_since_epoch
    from memidx.text.dates import parse_time

    if days := pattern(r"(\d{1,6})d").fullmatch(value.strip()):
        day = as_of_day - int(days[1])
        return day + 1e-9 if end else day
    time = parse_time(value)
    if time is None:
        raise InputError(
            f"{name} is not a date",
            expected="an ISO date such as 2026-05-01, or a number of days such as 30d",
            found=repr(value),
        )
    start = days_since_epoch(time)
    if not end:
        return start
    return start + (1.0 if len(time) == len("2026-05-01") else 1e-9)
