"""What are the tokens of any chunk?

By patterns: those of a chunk that is taken apart by hand no more (`tokens`), by the kinds of its
characters; and, for who analyses many documents, the only one of a chunk of the usual kind.
"""

from __future__ import annotations

from memidx.analysis.shapes import shape
from memidx.analysis.tokens import AFTER, BEFORE, Token
from memidx.light import TYPE_CHECKING, pattern

if TYPE_CHECKING:
    from collections.abc import Iterator


def plain_text(chunk: str) -> str:
    """The text of the only token of an ASCII chunk of the usual kind; empty = look closer.

    A word, perhaps with punctuation, needs no pattern at all; a compound a small one.
    """
    word = chunk.lstrip(BEFORE).rstrip(AFTER)
    if word.isalpha():
        return word
    match = pattern(_PLAIN).match(chunk)
    if match is None:
        return ""
    text = match[1]
    # Acronyms are told apart by how they begin, and so is a date before a time.
    if text[0] in "0123456789":
        return "" if text[4:5] == "-" == text[7:8] else text
    return "" if text[1:2] == "." else text


def apart(chunk: str) -> list[str]:
    """Pieces of a chunk that have its tokens between them, most of them of the usual kind.

    `guide/setup.md#top` and `https://example.org` are divided at a character that no token holds
    where it stands.
    """
    return [piece for piece in pattern(_NEVER_INSIDE).split(chunk) if piece]


def look_closely(chunk: str) -> Iterator[Token]:
    """Tokens of any chunk, by the kinds of its characters."""
    kinds = shape(chunk)
    for match in pattern(_TOKEN).finditer(kinds):
        group = match.lastgroup or ""
        start, end = match.span(group)
        text = chunk[start:end]
        if group in ("C", "T"):
            yield Token(start, end, group, text)
        elif group == "acronym":
            yield Token(start, end, "word", text.replace(".", ""))
        elif group == "thousands":
            yield Token(start, end, "word", text.replace(",", ""))
        elif match["dot"]:
            name = pattern(_NAME).match(kinds, start)
            yield Token(start, end, "word", text, "." + text[: name.end() - start] if name else "")
        else:
            yield Token(start, end, "word", text)


# Compiled on first use: a query of plain words needs none of them.
_RUN = r"(?:\\_)*[Aa0m_]+(?:\\_[Aa0m_]*)*"  # `\_` is an underscore that markdown escapes
_WORD = rf"(?:[Aa]\#(?![Aa0m_])|{_RUN}(?:\+\+0*(?![Aa0m_+]))?)"
_TOKEN = rf"""(?x)
        (?P<C>C+) | (?P<T>T+)
        | (?P<date>0000-00-00)A(?=0)                  # before a time: 2024-05-01T10:00
        | (?P<thousands>0{{1,3}}(?:,000)+(?:\.0+)?)(?![Aa0m_]|,0)
        | (?P<acronym>(?:A\.){{2,}}(?:A(?![Aa0m_.]))?|(?:a\.){{2,}}(?![Aa0m_]))
        | (?P<dot>(?<![Aa0m_CT.])\.(?=[Aa]))?(?P<compound>{_WORD}(?:(?:[./&@'-]|::){_WORD})*)
        """

_NEVER_INSIDE = r"#(?=[A-Za-z0-9_])|(?<!:):(?!:)|,(?![0-9])|\\(?!_)"
_NAME = "[Aa0m_+#-]+"
_PLAIN = (
    r"(?:[-,:'/&@#]|\\(?!_)|\.(?=[./]))*"
    r"([A-Za-z0-9_]+(?:(?:[./&@'-]|::)[A-Za-z0-9_]+)*)"
    r"[-.,:'/&@]*\Z"
)
