"""Where are the words of a text?

A *token* is what stands together: a word, a compound (`src/a/b.ts`, `max_retries`,
`v2.1.9-9-g3bf04290`), a number, or a run of a script without spaces. What it is made of is
the business of `parts`.

Input is normalised text without white space. A token never depends on what stands around its
white-space-delimited chunk, so a chunk can be analysed once and remembered.
"""

from __future__ import annotations

from memidx.analysis.shapes import shape
from memidx.light import TYPE_CHECKING, pattern
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Token(NamedTuple):
    """What stands together in a chunk, at `chunk[start:end]`.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        kind: `word`, `C` (run of CJK) or `T` (run of another script without spaces).
        text: What `parts` divides; not always `chunk[start:end]`: `10,000` is `10000`.
        dotted: `.net` for `.NET` and other names that begin with a dot; else empty.
    """

    start: int
    end: int
    kind: str
    text: str
    dotted: str = ""


def tokens(chunk: str) -> Iterator[Token]:
    """Tokens of a chunk in reading order."""
    token = plain_token(chunk) if chunk.isascii() else None
    return look_closely(chunk) if token is None else iter((token,))


def plain_token(chunk: str) -> Token | None:
    """The only token of an ASCII chunk of the usual kind; None = look closer."""
    text = plain_text(chunk)
    if not text:
        return None
    start = chunk.index(text)
    return Token(start, start + len(text), "word", text)


def plain_text(chunk: str) -> str:
    """The text of the only token of an ASCII chunk of the usual kind; empty = look closer.

    A word, perhaps with punctuation, needs no pattern at all; a compound a small one.
    """
    word = chunk.lstrip(_BEFORE).rstrip(_AFTER)
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


# Punctuation that is never part of a token, before and behind a word.
_BEFORE = "\"'([{<*,:;!?"
_AFTER = "\"')]}>*,:;!?."


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
