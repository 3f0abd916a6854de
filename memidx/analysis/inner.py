"""Which words does markup stand inside?

`**bold**word` is read as one word, and so are `un~~do~~`, `` `Vec`tor `` and `H<sub>2</sub>O`.
Tokens end at markup, so that `bold` and `word` are words; here the word without its markup is
found, to be indexed as well.

A run of words with markup between them is one word if the markup comes in pairs: `2**3`, `a==b`
and `x=y` have none. `a*b*c` has a pair, but is a product. Nothing found reaches across white
space, so a chunk and the text it stands in have the same words.
"""

from __future__ import annotations

import sys

from memidx.analysis.shapes import WORD, shape
from memidx.analysis.tokens import may_join
from memidx.light import TYPE_CHECKING
from memidx.values import NamedTuple

if TYPE_CHECKING:
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
    # Most texts have none, and it takes a closer look to find that out.
    if not may_join(text.encode("utf-8", "surrogatepass")):
        return
    at = 0
    space = feed = -1
    for hit in _hits(text):
        if hit < at:
            continue
        # All of the chunk that it stands in, perhaps more: white space of other kinds is rare.
        start = max(text.rfind(" ", at, hit), text.rfind("\n", at, hit), at - 1) + 1
        space = space if space > hit else _next(text, " ", hit)
        feed = feed if feed > hit else _next(text, "\n", hit)
        at = min(space, feed)
        for word in joined_in(text[start:at]):
            yield word._replace(start=word.start + start)


def _next(text: str, character: str, at: int) -> int:
    """Where a character stands next, or the text ends."""
    found = text.find(character, at)
    return len(text) if found < 0 else found


def _hits(text: str) -> list[int]:
    """Where markup stands between what may be letters: a guess, not a verdict."""
    hits = []
    for mark, (least, most) in _MARKS.items():
        at = text.find(mark)
        while at >= 0:
            end = _behind(text, at, mark)
            if least <= end - at <= most and _may_be_letter(text, at - 1, end):
                hits.append(at)
            at = text.find(mark, end)
    at = text.find("<") if "</" in text else -1
    while at >= 0:
        end = at
        while (behind := _tag_end(text, end)) > end:
            end = behind
        if end > at and _may_be_letter(text, at - 1, end):
            hits.append(at)
        at = text.find("<", max(end, at + 1))
    return sorted(hits)


# Of each mark, how often it stands in a row.
_MARKS = {"*": (1, sys.maxsize), "`": (1, 1), "~": (1, 2), "=": (2, sys.maxsize)}


def _may_be_letter(text: str, *places: int) -> bool:
    """Whether an ASCII letter, a digit, `_` or a character beyond ASCII stands at each place."""
    return all(
        0 <= at < len(text) and (text[at].isalnum() or text[at] == "_" or text[at] > "\x7f")
        for at in places
    )


def _behind(text: str, at: int, characters: str) -> int:
    """Where the run of these characters ends that begins here; `at` when none does."""
    while text[at : at + 1] and text[at] in characters:
        at += 1
    return at


def _tag_end(text: str, at: int) -> int:
    """Where the tag of a word ends that begins here; `at` when none does."""
    if not text.startswith("<", at):
        return at
    end = text.find(">", at, at + _LONGEST_TAG)
    return end + 1 if end > 0 and text[at + 1 : end].removeprefix("/") in INLINE else at


INLINE = frozenset({
    "a", "abbr", "b", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "s", "small", "span",
    "strong", "sub", "sup", "tt", "u",
})  # fmt: skip
_LONGEST_TAG = len("</strong>")


def joined_in(text: str) -> Iterator[Joined]:
    """The same of a text without blanks."""
    kinds = shape(text)
    if "</" in text:
        kinds = _with_tags(text, kinds)
    for run in _runs(kinds):
        words = []
        at = run.start
        while at < run.end:
            begin, at = at, max(at + 1, _behind(kinds, at, WORD))
            if kinds[begin] in WORD:
                words.append((begin, at))
        pieces = tuple(text[begin:end] for begin, end in words)
        word = "".join(pieces)
        if len(pieces) > 1 and _is_word(word, run, kinds):
            yield Joined(words[0][0], word, pieces)


def _with_tags(text: str, kinds: str) -> str:
    """Kinds with opening tags as `O` and closing ones as `E`, which no character is."""
    made = []
    begin, at = 0, text.find("<")
    while at >= 0:
        end = _tag_end(text, at)
        if end > at:
            made.append(kinds[begin:at])
            made.append(("E" if text[at + 1] == "/" else "O") * (end - at))
            begin = end
        at = text.find("<", max(end, at + 1))
    return "".join(made) + kinds[begin:]


class _Run(NamedTuple):
    """Words with markup between them, among the kinds of a chunk.

    Attributes:
        start: Where the run begins.
        end: Where it ends.
        mark: What stands at both sides of every other word; empty where tags do.
        is_inside: Whether a word stands before the first mark and one behind the last.
    """

    start: int
    end: int
    mark: str = ""
    is_inside: bool = False


def _is_word(word: str, run: _Run, kinds: str) -> bool:
    """Whether it is a word rather than a formula."""
    mark = run.mark
    if not mark:
        return "E" in kinds[run.start : run.end] and not word.isdecimal()
    if len(word) < 3 or word.isdecimal():
        return False
    if run.is_inside:  # nothing but its meaning tells it from `a*b*c`
        return mark in ("`", "~", "~~") or (mark == "**" and word.isalpha() and len(word) > 5)
    return True


def _runs(kinds: str) -> Iterator[_Run]:
    """Runs of words with markup between them, from left to right."""
    at = 0
    while at < len(kinds):
        run = _marked(kinds, at) or _tagged(kinds, at)
        if run is not None:
            yield run
            at = run.end
        else:  # within a word none begins
            at = max(at + 1, _behind(kinds, at, WORD))


# A run begins where no word or mark ends. One that begins with a word does not begin
# behind a joint: in `O'Re**il**ly` the word is longer than the run.
_JOINTS = "'./&@:+-"
_NOT_BEFORE_WORD = frozenset(WORD + "*~=`" + _JOINTS + "\\")
_NOT_BEFORE_MARK = frozenset(WORD + "*~=`\\")
_NOT_BEHIND = frozenset(WORD + "*~=`")
_NOT_BEFORE_TAG = frozenset(WORD + "OE")
_NOT_BEFORE_TAGGED = frozenset(WORD + "OE" + _JOINTS + "\\")
_MOST_MARKS = {"*": 3, "~": 2, "=": 2, "`": 1}


def _marked(kinds: str, at: int) -> _Run | None:
    """The run that begins here whose marks come in pairs, if one does."""
    opening = _behind(kinds, at, WORD)  # behind a word before the first mark
    if kinds[at - 1 : at] in (_NOT_BEFORE_WORD if opening > at else _NOT_BEFORE_MARK):
        return None
    character = kinds[opening : opening + 1]
    first = _behind(kinds, opening, character) if character in _MOST_MARKS else opening
    mark = kinds[opening:first]
    if not mark or len(mark) > _MOST_MARKS[character] or mark == "=":
        return None
    end = _pair_end(kinds, opening, mark)
    if end == opening:
        return None
    while True:
        behind = _behind(kinds, end, WORD)
        further = _pair_end(kinds, behind, mark)
        if further == behind:
            break
        end = further
    if kinds[behind : behind + 1] in _NOT_BEHIND:
        return None
    return _Run(at, behind, mark, opening > at and behind > end)


def _pair_end(kinds: str, at: int, mark: str) -> int:
    """Where a word between marks ends that begins here with a mark; `at` when none does."""
    if not kinds.startswith(mark, at):
        return at
    begin = at + len(mark)
    end = _behind(kinds, begin, WORD)
    return end + len(mark) if end > begin and kinds.startswith(mark, end) else at


def _tagged(kinds: str, at: int) -> _Run | None:
    """The run that begins here in whose words tags stand, if one does."""
    is_tag = kinds[at] in "OE"
    if kinds[at - 1 : at] in (_NOT_BEFORE_TAG if is_tag else _NOT_BEFORE_TAGGED):
        return None
    n_words = 0
    end = _behind(kinds, at, "OE")
    while (behind := _behind(kinds, end, WORD)) > end:
        n_words += 1
        end = _behind(kinds, behind, "OE")
    return _Run(at, end) if n_words > 1 else None
