"""Which words does markup stand inside?

`**bold**word` is read as one word, and so are `un~~do~~`, `` `Vec`tor `` and `H<sub>2</sub>O`.
Tokens end at markup, so that `bold` and `word` are words; here the word without its markup is
found, to be indexed as well.

A run of words with markup between them is one word if the markup comes in pairs: `2**3`, `a==b`
and `x=y` have none. `a*b*c` has a pair, but is a product. Nothing found reaches across white
space, so a chunk and the text it stands in have the same words.
"""

from __future__ import annotations

from memidx.analysis.entities import may_refer
from memidx.analysis.normalise import PLACEHOLDERS
from memidx.analysis.shapes import shape
from memidx.light import TYPE_CHECKING, pattern
from memidx.values import NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator


class Joined(NamedTuple):
    """A word in which markup stands.

    Attributes:
        start: Where its first piece begins.
        text: The word without markup.
        pieces: What the markup divides it into.
    """

    start: int
    text: str
    pieces: tuple[str, ...]


def joined_words(text: str) -> Iterator[Joined]:
    """Words of a normalised text in which markup stands, in order."""
    # Most texts need none of the patterns, which take longer to compile than a search takes.
    if not may_join(text.encode("utf-8", "surrogatepass")):
        return
    at = 0
    for hit in _hits(text):
        if hit < at:
            continue
        # All of the chunk that it stands in, perhaps more: white space of other kinds is rare.
        start = max(text.rfind(" ", at, hit), text.rfind("\n", at, hit), at - 1) + 1
        end = pattern("[ \n]").search(text, hit)
        at = end.start() if end else len(text)
        for word in joined_in(text[start:at]):
            yield word._replace(start=word.start + start)


def may_join(data: bytes) -> bool:
    """Whether `joined_words` may find any in a text, given in UTF-8: a cheap look.

    Never wrongly no. Nearly every text has markup, hardly any has it between letters, and a text
    of which each character is replaced by its kind shows that to a plain search.
    """
    kinds = data.translate(LETTERS_AND_MARKS)
    return (
        b"a*a" in kinds
        or b"a**a" in kinds
        or b"a***a" in kinds
        or b"a==a" in kinds
        or (b"</" in data and b"a<" in kinds and b">a" in kinds)
    )


# What may be a letter, as in `_LETTER`, and what marks words of which letters stand at both sides.
LETTERS_AND_MARKS = bytes(
    97 if chr(byte).isalnum() or byte == 95 or byte >= 128 else 42 if byte in b"*`~" else byte
    for byte in range(256)
)


def _hits(text: str) -> list[int]:
    """Where markup stands between what may be letters."""
    # Nearly every text has markup, hardly any has it there. Each pattern begins with a plain
    # character, for which `re` searches as fast as `in`.
    hits: list[int] = []
    for mark, source in _MARKS:
        if mark in text:
            hits.extend(match.start() for match in pattern(source).finditer(text))
    return sorted(hits)


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


# ASCII characters that never join the parts of a token: blanked before splitting, so that
# `(budget)` and `budget` are one chunk. Without effect on the terms.
APART = '()[]{}<>;"*=|`!?~^%$'
_WHITE = "\t\n\v\f\r\x1c\x1d\x1e\x1f"
_BLANKED = str.maketrans(APART + _WHITE, " " * len(APART + _WHITE))


def joined_in(text: str) -> Iterator[Joined]:
    """The same of a text without blanks."""
    kinds = shape(text)
    if "</" in text:
        kinds = _with_tags(text, kinds)
    for match in pattern(_RUN).finditer(kinds):
        words = [word.span() for word in pattern(_WORD).finditer(kinds, *match.span())]
        pieces = tuple(text[start:end] for start, end in words)
        word = "".join(pieces)
        if len(pieces) > 1 and _is_word(word, match):
            yield Joined(words[0][0], word, pieces)


def _is_word(word: str, match: re.Match[str]) -> bool:
    """Whether it is a word rather than a formula."""
    mark = match["mark"]
    if not mark:
        return "E" in match[0] and not word.isdecimal()
    if len(word) < 3 or word.isdecimal():
        return False
    if match["head"] and match["tail"]:  # nothing but its meaning tells it from `a*b*c`
        return mark in ("`", "~", "~~") or (mark == "**" and word.isalpha() and len(word) > 5)
    return True


# A letter, digit or `_`, or nearly: a guess, not a verdict. Said by what it is not, because a class
# that reaches to U+10FFFF takes milliseconds to compile.
_LETTER = r"[^\x00-/:-@\[-^`{-\x7f]"
_INLINE = "(?:a|abbr|b|code|del|em|font|i|ins|kbd|mark|s|small|span|strong|sub|sup|tt|u)"
TAG = f"</?{_INLINE}>"
_MARKS = (
    ("*", rf"\*(?<={_LETTER}\*)\**(?={_LETTER})"),
    ("`", f"`(?<={_LETTER}`)(?={_LETTER})"),
    ("~", f"~(?<={_LETTER}~)~?(?={_LETTER})"),
    ("==", f"==(?<={_LETTER}==)=*(?={_LETTER})"),
    ("</", f"<(?<={_LETTER}<)/?{_INLINE}>(?:{TAG})*(?={_LETTER})"),
)
_WORD = "[Aa0m_]+"


def _with_tags(text: str, kinds: str) -> str:
    """Kinds with opening tags as `O` and closing ones as `E`, which no character is."""
    made = []
    at = 0
    for match in pattern(TAG).finditer(text):
        made.append(kinds[at : match.start()])
        made.append(("E" if text[match.start() + 1] == "/" else "O") * len(match[0]))
        at = match.end()
    return "".join(made) + kinds[at:]


# A run begins where no word or mark ends. One that begins with a word does not begin
# behind a joint: in `O'Re**il**ly` the word is longer than the run.
_RUN = rf"""(?x)
        (?: (?<![Aa0m_*~=`'./&@:+\\-])(?P<head>{_WORD}) | (?<![Aa0m_*~=`\\]) )
        (?P<mark>\*{{1,3}}|~~?|==|`) {_WORD} (?P=mark)
        (?: (?:{_WORD})? (?P=mark) {_WORD} (?P=mark) )*
        (?P<tail>{_WORD})? (?![Aa0m_*~=`])
        | (?: (?<![Aa0m_OE'./&@:+\\-]) | (?<![Aa0m_OE])(?=[OE]) )
        [OE]* {_WORD} (?: [OE]+ {_WORD} )+ [OE]*
        """
