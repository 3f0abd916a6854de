"""What did the caller ask for?

The query language: words are OR-ed; `"exact phrase"`; `-word` excludes, but only beside positive
words; `title:word`; `source:name`. Everything else is text, `--word` and an unmatched quote too.
No input raises.
"""

from __future__ import annotations

import re

from memidx.values import dataclass

# A clause is a run without spaces, in which a closed quotation may hold spaces.
_CLAUSE = re.compile(
    r"""(?<!\S)(?P<sign>-?)(?:
            (?:(?P<field>title|source):)?"(?P<quoted>[^"]*)"(?!\S)
          | (?P<named>title|source):(?P<value>[^\s":][^\s"]*)(?!\S)
          | (?P<word>\S+)
        )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query, taken apart.

    Attributes:
        text: As given.
        words: Free text whose words are OR-ed, phrases' words included, in the caller's order.
        title_words: Text that is looked for in titles and paths only.
        phrases: Exact phrases a document must hold.
        excluded: Words and phrases a document must not hold.
        sources: Names of the sources to search; empty means all.
    """

    text: str
    words: str = ""
    title_words: str = ""
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def parse(text: str) -> ParsedQuery:
    """Take a query apart; every string is a query."""
    words: list[str] = []
    title_words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    sources: list[str] = []
    for clause in _CLAUSE.finditer(text):
        name = clause["field"] or clause["named"]
        value = clause["quoted"] if clause["quoted"] is not None else clause["value"]
        if name == "source" and value and not clause["sign"]:
            sources.append(value)
        elif name == "title" and value and not clause["sign"]:
            title_words.append(value)
        elif name is None and value is not None:
            if not _has_word(value):
                continue
            if clause["sign"]:
                excluded.append(value)
            else:
                phrases.append(value)
                words.append(value)
        elif name is None and clause["sign"] and _is_exclusion(clause["word"]):
            excluded.append(clause["word"])
        else:
            words.append(clause[0])
    return ParsedQuery(
        text=text,
        words=" ".join(words),
        title_words=" ".join(title_words),
        phrases=tuple(phrases),
        excluded=tuple(excluded),
        sources=tuple(sources),
    )


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _is_exclusion(word: str) -> bool:
    """`-race` excludes; `--limit`, `-` and `->` are text, and so is a negative number."""
    return word[0].isalnum() and not word[0].isdigit()
