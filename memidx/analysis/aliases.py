"""Which words does a project use for the same thing?

An alias file has one entry a line, `everyday words = term, other term`; `#` begins a comment. A
query that has the left side is also searched for the right side, at a fraction of the weight.
Documents are not touched by it.
"""

from __future__ import annotations

from memidx.errors import ConfigError


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
