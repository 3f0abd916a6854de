"""Where are the words of a text?

A *token* is what stands together: a word, a compound (`src/a/b.ts`, `max_retries`,
`v2.1.9-9-g3bf04290`), a number, or a run of a script without spaces. What it is made of is
the business of `parts`.

Input is normalised text without white space. A token never depends on what stands around its
white-space-delimited chunk, so a chunk can be analysed once and remembered.
"""

from __future__ import annotations

from memidx.analysis.normalise import PLACEHOLDERS, may_refer
from memidx.analysis.shapes import shape
from memidx.values import NamedTuple


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
    kinds = chunk
    if chunk.isascii():
        word = chunk.lstrip(BEFORE).rstrip(AFTER)
        if word.isalpha():  # as most words of a question; by hand it takes ten times as long
            start = chunk.index(word)
            return [Token(start, start + len(word), "word", word)]
    else:
        kinds = shape(chunk)
    found = _by_hand(chunk, kinds)
    if found is None:
        from memidx.analysis.token_patterns import look_closely  # seldom, and it loads `re`

        return list(look_closely(chunk))
    return found


def only_word(chunk: str) -> tuple[str, int] | None:
    """Text and place of the only token of an ASCII chunk, if it is a word as it stands there.

    As `plain_text` of `token_patterns`, without a pattern: for a process that asks once, to load
    `re` takes longer.
    """
    word = chunk.lstrip(BEFORE).rstrip(AFTER)
    if word.isalpha():
        return word, chunk.index(word)
    found = tokens(chunk)
    if len(found) != 1:
        return None
    start, end, kind, text, dotted = found[0]
    return (text, start) if kind == "word" and not dotted and len(text) == end - start else None


def _by_hand(chunk: str, kinds: str) -> list[Token] | None:
    """Tokens of a chunk as `look_closely` finds them; None where that has to be asked.

    For the words of a question and of what is shown for it: to load `re` and to compile the pattern
    would take a process that asks once longer than all of its search.

    Args:
        chunk: Any.
        kinds: Of its characters; of ASCII characters themselves will do.
    """
    if kinds is not chunk and not _SPECIAL_KINDS.isdisjoint(kinds):
        return None
    found: list[Token] = []
    at, size = 0, len(kinds)
    while at < size:
        start = at
        is_dotted = False
        if kinds[at] in _IN_WORDS:
            if _may_be_special(kinds, at):
                return None
        elif kinds[at] != "\\":
            at += 1
            is_dotted = kinds[start] == "." and kinds[at : at + 1].isalpha()
            if not is_dotted or (start and kinds[start - 1] in _NOT_BEFORE_DOT):
                continue
            start = at
        end = _word_end(kinds, start)
        if end == start:  # a backslash before something else
            at += 1
            continue
        while (joint := _joint(kinds, end)) and (
            behind := _word_end(kinds, end + joint)
        ) > end + joint:
            end = behind
        text = chunk[start:end]
        dotted = "." + text[: _name_length(kinds[start:end])] if is_dotted else ""
        found.append(Token(start, end, "word", text, dotted))
        at = end
    return found


def _may_be_special(chunk: str, at: int) -> bool:
    """Whether a date before a time, a number in thousands or an acronym may begin here."""
    if chunk[at].isdigit():
        comma = chunk.find(",", at + 1, at + 4)
        is_thousands = comma > 0 and chunk[comma + 3 : comma + 4].isdigit()
        return is_thousands or chunk[at + 4 : at + 5] == "-" == chunk[at + 7 : at + 8]
    return chunk[at + 1 : at + 2] == "." == chunk[at + 3 : at + 4]


def _word_end(chunk: str, at: int) -> int:
    """Where the word ends that begins here; `at` when none does."""
    end = len(chunk) - len(chunk[at:].lstrip(_WORD_CHARACTERS))
    behind = chunk[end : end + 1]
    if behind == "\\":
        end = _escaped_end(chunk, at, end)
        behind = chunk[end : end + 1]
    if behind == "#":
        is_sharp = (
            end == at + 1 and chunk[at].isalpha() and chunk[end + 1 : end + 2] not in _IN_WORDS
        )
        return end + 1 if is_sharp else end
    if behind == "+" and end > at and chunk.startswith("++", end):
        behind_sign = end + 2
        while chunk[behind_sign : behind_sign + 1].isdigit():
            behind_sign += 1
        following = chunk[behind_sign : behind_sign + 1]
        if following != "+" and following not in _IN_WORDS:
            return behind_sign
    return end


def _escaped_end(chunk: str, at: int, end: int) -> int:
    """Where the word ends whose first run ends before a backslash: markdown escapes underscores."""
    if end == at:
        while chunk.startswith("\\_", end):
            end += 2
        begin, end = end, _run_end(chunk, end)
        if end == begin:
            return at
    while chunk.startswith("\\_", end):
        end = _run_end(chunk, end + 2)
    return end


def _run_end(chunk: str, at: int) -> int:
    """Where letters, digits and underscores end that stand here."""
    return len(chunk) - len(chunk[at:].lstrip(_WORD_CHARACTERS))


def _joint(chunk: str, at: int) -> int:
    """Length of the joint that stands here, or 0."""
    if chunk[at : at + 1] in _JOINTS:
        return 1
    return 2 if chunk.startswith("::", at) else 0


def _name_length(kinds: str) -> int:
    """How much of a word belongs to the name at its beginning."""
    length = 0
    while kinds[length : length + 1] in _IN_NAMES:
        length += 1
    return length


def blanked(text: str) -> str | None:
    """A text with a blank for each character that parts its words, or None.

    None where a token, a placeholder or a joined word may go across a blank; else what stands
    between two blanks has its words wherever it stands.
    """
    if not text.isascii():
        return None
    if text.isalnum():
        return text
    if "<" in text and any(placeholder in text for placeholder in PLACEHOLDERS):
        return None
    if may_refer(text) or may_join(text.encode()):
        return None
    return text.translate(_BLANKED)


def may_join(data: bytes) -> bool:
    """Whether `joined_words` may find any in a text, given in UTF-8: a cheap look.

    Never wrongly no. Nearly every text has markup, hardly any has it between letters, and a text
    of which each character is replaced by its kind shows that to a plain search.
    """
    kinds = data.translate(MARKS_AND_LETTERS)
    return (
        b"a*a" in kinds
        or b"a**a" in kinds
        or b"a***a" in kinds
        or b"a==a" in kinds
        or (b"</" in data and b"a<" in kinds and b">a" in kinds)
    )


# Punctuation that is never part of a token, before and behind a word.
BEFORE = "\"'([{<*,:;!?"
AFTER = "\"')]}>*,:;!?."

_WORD_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_IN_WORDS = frozenset(_WORD_CHARACTERS)
_NOT_BEFORE_DOT = _IN_WORDS | {"."}
_IN_NAMES = _IN_WORDS | {"+", "#", "-"}
_JOINTS = frozenset("./&@'-")
# Scripts without spaces, and marks that are no letters.
_SPECIAL_KINDS = frozenset("CTm")

# ASCII characters that never join the parts of a token: blanked before splitting, so that
# `(budget)` and `budget` are one chunk. Without effect on the terms.
APART = '()[]{}<>;"*=|`!?~^%$'
_WHITE = "\t\n\v\f\r\x1c\x1d\x1e\x1f"
_BLANKED = str.maketrans(APART + _WHITE, " " * len(APART + _WHITE))
# Letters, digits and `_`, or nearly, as one letter, and what marks words at both sides as one mark.
MARKS_AND_LETTERS = bytes.maketrans(
    _WORD_CHARACTERS.encode() + bytes(range(128, 256)) + b"`~",
    b"a" * (len(_WORD_CHARACTERS) + 128) + b"**",
)
