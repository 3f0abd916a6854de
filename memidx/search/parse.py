"""What did the caller ask for?

The query language: words are OR-ed; `"exact phrase"`; `-word` excludes, but only beside positive
words; `title:word`; `source:name`; `-title:word` and `-source:name` exclude as `-word` does.
Everything else is text, `--word` and an unmatched quote too. No input raises, and a long one is
read up to a bound: a pasted log must not become ten thousand searches.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING, pattern
from memidx.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_CHARACTERS = 4096
"""How much of a query is read."""
MAX_CLAUSES = 512
"""How many words, phrases and exclusions of a query are read."""

# A clause is a run without spaces, in which a closed quotation may hold spaces.
_CLAUSE = r"""(?x)
    (?<!\S)(?P<sign>-?)(?:
        (?:(?P<field>title|source):)?"(?P<quoted>[^"]*)"(?!\S)
      | (?P<named>title|source):(?P<value>[^\s":][^\s"]*)(?!\S)
      | (?P<word>\S+)
    )"""


class ParsedQuery(Value):
    """A query, taken apart.

    Attributes:
        text: As given, as far as it was read.
        words: Free text whose words are OR-ed, phrases' words included, in the caller's order.
        title_words: Text that is looked for in titles and paths only.
        phrases: Exact phrases a document must hold.
        excluded: Words and phrases a document must not hold.
        sources: Names of the sources to search; empty means all.
        excluded_titles: Words and phrases a document's title and path must not hold.
        excluded_sources: Names of sources to leave out.
        n_left_out: Characters behind the bound, which are not searched.
    """

    text: str
    words: str = ""
    title_words: str = ""
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    excluded_titles: tuple[str, ...] = ()
    excluded_sources: tuple[str, ...] = ()
    n_left_out: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether it is words that may stand anywhere, and nothing else."""
        return not (
            self.title_words
            or self.phrases
            or self.excluded
            or self.sources
            or self.excluded_titles
            or self.excluded_sources
        )

    @property
    def exclusions(self) -> tuple[str, ...]:
        """Everything that takes documents out, as an answer lists it."""
        return (
            *self.excluded,
            *(f"title:{value}" for value in self.excluded_titles),
            *(f"source:{name}" for name in self.excluded_sources),
        )


def parse(text: str) -> ParsedQuery:
    """Take a query apart; every string is a query."""
    plain = plain_words(text)
    if plain is not None:
        return ParsedQuery(text, plain, "", (), (), (), (), (), 0)
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    # Values of `title:` and `source:`, without and with a dash before them.
    named: dict[tuple[str, str], list[str]] = {}
    end = _bound(text)
    for n, clause in enumerate(pattern(_CLAUSE).finditer(text, 0, end)):
        if n == MAX_CLAUSES:
            end = clause.start()
            break
        name = clause["field"] or clause["named"]
        value = clause["quoted"] if clause["quoted"] is not None else clause["value"]
        if name and value:
            named.setdefault((name, clause["sign"]), []).append(value)
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
        text=text[:end],
        words=" ".join(words),
        title_words=" ".join(named.get(("title", ""), ())),
        phrases=_distinct(phrases),
        excluded=_distinct(excluded),
        sources=_distinct(named.get(("source", ""), ())),
        excluded_titles=_distinct(filter(_has_word, named.get(("title", "-"), ()))),
        excluded_sources=_distinct(named.get(("source", "-"), ())),
        n_left_out=len(text) - end,
    )


def plain_words(text: str) -> str | None:
    """The words of a query that is nothing but words, as most are; None where it may be more."""
    if len(text) > MAX_CHARACTERS or '"' in text:
        return None
    words = text.split()
    joined = " ".join(words)
    if len(words) > MAX_CLAUSES or joined.startswith("-") or " -" in joined:
        return None
    return None if "title:" in joined or "source:" in joined else joined


def _bound(text: str) -> int:
    """Where reading ends: before the word that would pass the bound, unless it is all of them."""
    if len(text) <= MAX_CHARACTERS:
        return len(text)
    end = MAX_CHARACTERS
    while end > 0 and not text[end].isspace():
        end -= 1
    return end or MAX_CHARACTERS


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _is_exclusion(word: str) -> bool:
    """`-race` excludes; `--limit`, `-` and `->` are text, and so is a negative number."""
    return word[0].isalnum() and not word[0].isdigit()
