"""Which words does a project use for the same thing?

An alias file has one entry a line, `everyday words = term, other term`; `#` begins a comment. A
query that has the left side is also searched for the right side, at a fraction of the weight.
Documents are not touched by it.
"""

from __future__ import annotations

from memidx.analysis.base import QueryWord
from memidx.errors import ConfigError
from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ALIAS_WEIGHT = 0.4


def parse_aliases(text: str, path: str) -> dict[str, tuple[str, ...]]:
    """Aliases of a file's text; entries for the same words add up.

    Args:
        path: Named in errors.

    Raises:
        ConfigError: A line without `=`, or with nothing on one side.
    """
    aliases: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        words, sign, meanings = entry.partition("=")
        terms = tuple(term.strip() for term in meanings.split(",") if term.strip())
        if not sign or not words.strip() or not terms:
            raise ConfigError(
                "this is no alias",
                path=path,
                line=number,
                expected="everyday words = term, other term",
                found=repr(entry[:60]),
            )
        key = words.strip()
        aliases[key] = aliases.get(key, ()) + terms
    return aliases


def alias_terms(
    aliases: Mapping[str, tuple[str, ...]], query: Callable[[str], tuple[QueryWord, ...]]
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Aliases by the wholes of their words; what a query looks for in addition.

    Args:
        aliases: As `parse_aliases` gives them.
        query: The words of a text.
    """
    return {
        tuple(word.whole for word in query(alias)): tuple(
            dict.fromkeys(word.whole for text in meanings for word in query(text))
        )
        for alias, meanings in aliases.items()
    }


def with_aliases(
    words: list[QueryWord], aliases: Mapping[tuple[str, ...], tuple[str, ...]]
) -> list[QueryWord]:
    """Words with the terms of their aliases, the longest alias first."""
    longest = max(map(len, aliases))  # in words
    expanded = list(words)
    wholes = [word.whole for word in words]
    at = 0
    while at < len(words):
        for size in range(min(longest, len(words) - at), 0, -1):
            extra = aliases.get(tuple(wholes[at : at + size]))
            if extra is not None:
                word = words[at]
                terms = dict(word.terms)
                for term in extra:
                    terms.setdefault(term, ALIAS_WEIGHT)
                expanded[at] = QueryWord(
                    word.surface, tuple(terms.items()), word.whole, word.content
                )
                break
        else:
            size = 1
        at += size
    return expanded
