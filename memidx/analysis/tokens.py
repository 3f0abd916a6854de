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


def tokens(chunk: str) -> list[Token]:
    """Tokens of a chunk in reading order."""
    if chunk.isascii():
        word = chunk.lstrip(_BEFORE).rstrip(_AFTER)
        if word.isalpha():  # as most words of a question; by hand it takes ten times as long
            start = chunk.index(word)
            return [Token(start, start + len(word), "word", word)]
        found = _by_hand(chunk)
    else:
        found = None
    return list(look_closely(chunk)) if found is None else found


def only_word(chunk: str) -> tuple[str, int] | None:
    """Text and place of the only token of an ASCII chunk, if it is a word as it stands there.

    As `plain_text`, without a pattern: for a process that asks once, to load `re` takes longer.
    """
    word = chunk.lstrip(_BEFORE).rstrip(_AFTER)
    if word.isalpha():
        return word, chunk.index(word)
    found = tokens(chunk)
    if len(found) != 1:
        return None
    start, end, kind, text, dotted = found[0]
    return (text, start) if kind == "word" and not dotted and len(text) == end - start else None


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


def _by_hand(chunk: str) -> list[Token] | None:
    """Tokens of an ASCII chunk as `look_closely` finds them; None where that has to be asked.

    For the words of a question and of what is shown for it: to load `re` and to compile the pattern
    would take a process that asks once longer than all of its search.
    """
    if "\\_" in chunk:
        return None
    found: list[Token] = []
    at, size = 0, len(chunk)
    while at < size:
        start = at
        if chunk[at] not in _IN_WORDS:
            at += 1
            is_dotted = chunk[start] == "." and chunk[at : at + 1].isalpha()
            if not is_dotted or (start and chunk[start - 1] in _NOT_BEFORE_DOT):
                continue
            start = at
        elif _may_be_special(chunk, at):
            return None
        else:
            is_dotted = False
        end = _word_end(chunk, start)
        while (joint := _joint(chunk, end)) and (
            behind := _word_end(chunk, end + joint)
        ) > end + joint:
            end = behind
        dotted = "." + _name(chunk[start:end]) if is_dotted else ""
        found.append(Token(start, end, "word", chunk[start:end], dotted))
        at = end
    return found


def _may_be_special(chunk: str, at: int) -> bool:
    """Whether a date before a time, a number in thousands or an acronym may begin here."""
    if chunk[at].isdigit():
        return chunk[at + 4 : at + 5] == "-" == chunk[at + 7 : at + 8] or "," in chunk[at : at + 4]
    return chunk[at + 1 : at + 2] == "." == chunk[at + 3 : at + 4]


def _word_end(chunk: str, at: int) -> int:
    """Where the word ends that begins here; `at` when none does."""
    end = len(chunk) - len(chunk[at:].lstrip(_WORD_CHARACTERS))
    if chunk[end : end + 1] == "#":
        is_sharp = (
            end == at + 1 and chunk[at].isalpha() and chunk[end + 1 : end + 2] not in _IN_WORDS
        )
        return end + 1 if is_sharp else end
    if end > at and chunk.startswith("++", end):
        behind = end + 2
        while chunk[behind : behind + 1].isdigit():
            behind += 1
        if chunk[behind : behind + 1] != "+" and chunk[behind : behind + 1] not in _IN_WORDS:
            return behind
    return end


def _joint(chunk: str, at: int) -> int:
    """Length of the joint that stands here, or 0."""
    if chunk[at : at + 1] in _JOINTS:
        return 1
    return 2 if chunk.startswith("::", at) else 0


def _name(text: str) -> str:
    """What of a text belongs to the name at its beginning."""
    end = 0
    while text[end : end + 1] in _IN_NAMES:
        end += 1
    return text[:end]


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

_WORD_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_IN_WORDS = frozenset(_WORD_CHARACTERS)
_NOT_BEFORE_DOT = _IN_WORDS | {"."}
_IN_NAMES = _IN_WORDS | {"+", "#", "-"}
_JOINTS = frozenset("./&@'-")

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
