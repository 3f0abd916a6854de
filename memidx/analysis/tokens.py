"""Where are the words of a text, and what are they made of?

A *token* is what stands together: a word, a compound (`src/a/b.ts`, `max_retries`,
`v2.1.9-9-g3bf04290`), a number, or a run of a script without spaces. A token has *leaves*, the
parts that cannot be divided further, in reading order. A leaf carries its own term; the terms
of the compounds that begin with it (`wholes`); and `forms`, further spellings that only
documents are indexed under (`2.1` of `2.1.9`), so that a query stays exact.

Input is normalised text without white space. What a token is never depends on what stands
around its white-space-delimited chunk, so a chunk can be analysed once and remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from memidx.analysis.normalise import fold
from memidx.analysis.shapes import shape
from memidx.analysis.stems import stem
from memidx.analysis.vocabulary import STOP_WORDS

MAX_WHOLE = 100
"""Longest compound, in characters, that is indexed whole; longer ones only in parts."""
MAX_TERM = 200
"""Longest term in characters; a longer word is cut, in documents and queries alike."""
MAX_CAMEL = 64
"""Longest run that is divided at capitals: beyond it stand encoded blobs, not names."""


class Leaf(NamedTuple):
    """An undivided part of a token: `chunk[start:end]` and its terms."""

    start: int
    end: int
    own: str
    wholes: list[str]
    forms: list[str]


class Token(NamedTuple):
    """What stands together in a text.

    Attributes:
        start: Where it begins in the chunk.
        end: Where it ends.
        kind: `word`, `C` (run of CJK) or `T` (run of a script without spaces); runs have no leaves.
        whole: Term of the whole token.
        leaves: Its parts in reading order; may be empty when nothing is left after folding.
    """

    start: int
    end: int
    kind: str
    whole: str
    leaves: list[Leaf]


def tokens(chunk: str) -> Iterator[Token]:
    """Tokens of a chunk in reading order."""
    kinds = shape(chunk)
    for match in _token_pattern().finditer(kinds):
        group = match.lastgroup
        start, end = match.span(group or 0)
        if group == "C" or group == "T":
            yield Token(start, end, group, chunk[start:end], [])
        elif group == "acronym" or group == "thousands":
            own = fold(chunk[start:end].replace("." if group == "acronym" else ",", ""))
            yield Token(start, end, "word", own, [Leaf(start, end, own, [], [])])
        else:
            yield _compound(chunk, kinds, start, end)


def word_term(word: str) -> str:
    """The term of a plain word: folded, then stemmed unless it is a stop word."""
    folded = fold(word)
    if not folded or folded in STOP_WORDS:
        return folded
    return stem(folded[:MAX_TERM])


@cache
def _token_pattern() -> re.Pattern[str]:
    # Patterns are compiled on first use: a query of plain words needs none of them.
    run = r"(?:\\_)*[Aa0m_]+(?:\\_[Aa0m_]*)*"  # `\_` is an underscore that markdown escapes
    word = rf"(?:[Aa]\#(?![Aa0m_])|{run}(?:\+\+0*(?![Aa0m_+]))?)"
    return re.compile(
        rf"""
        (?P<C>C+) | (?P<T>T+)
        | (?P<date>0000-00-00)A(?=0)                   # a date with its time: 2024-05-01T10:00
        | (?P<thousands>0{{1,3}}(?:,000)+(?:\.0+)?)(?![Aa0m_]|,0)
        | (?P<acronym>(?:A\.){{2,}}(?:A(?![Aa0m_.]))?|(?:a\.){{2,}}(?![Aa0m_]))
        | (?P<compound>(?:(?<![Aa0m_CT.])\.(?=[Aa]))?{word}(?:(?:[./&@'-]|::){word})*)
        """,
        re.VERBOSE,
    )


# From the loosest joint to the tightest. A dot between digits belongs to the number.
_JOINTS = (r"[/@&]|::", r"(?<!0)\.|\.(?!0)", "-", "'", r"\\?_")
_HYPHEN, _APOSTROPHE, _LOW_LINE = 2, 3, 4


@cache
def _joint(level: int) -> re.Pattern[str]:
    return re.compile(_JOINTS[level])


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)


def _compound(chunk: str, kinds: str, start: int, end: int) -> Token:
    begin = start + (kinds[start] == ".")
    leaves: list[Leaf] = []
    _divide(chunk, kinds, begin, end, 0, leaves)
    if not leaves:
        return Token(start, end, "word", "", leaves)
    first = leaves[0]
    if begin > start:
        # `.NET`, `.gitignore`: the dot is part of the name.
        match = _pattern("[Aa0m_+#-]+").match(kinds, begin)
        name = "." + fold(chunk[begin : match.end() if match else end])
        first.wholes.append(name[:MAX_TERM])
    whole = first.wholes[-1] if first.wholes else first.own
    return Token(start, end, "word", whole, leaves)


def _divide(chunk: str, kinds: str, start: int, end: int, level: int, out: list[Leaf]) -> None:
    """Appends the leaves of `chunk[start:end]`, dividing at joints from `level` on."""
    if level == len(_JOINTS):
        _name(chunk, kinds, start, end, out)
        return
    pieces = _pieces(kinds, start, end, level)
    if level == _APOSTROPHE and len(pieces) > 1:
        pieces = _without_suffix(chunk, start, end, pieces, out)
    first = len(out)
    for piece_start, piece_end in pieces:
        _divide(chunk, kinds, piece_start, piece_end, level + 1, out)
    if first == len(out):
        return
    if len(pieces) > 1:
        _add_whole(chunk, pieces[0][0], pieces[-1][1], level, out[first])
        if level == _HYPHEN and "A" not in (part := kinds[start:end]) and "a" not in part:
            # The month of a date, and the like.
            for _, prefix_end in pieces[1:-1][:3]:
                out[first].forms.append(fold(chunk[start:prefix_end]))
    elif level == _LOW_LINE and kinds.startswith("__", start) and kinds.endswith("__", start, end):
        _add_whole(chunk, start, end, level, out[first])


def _pieces(kinds: str, start: int, end: int, level: int) -> list[tuple[int, int]]:
    """Parts of `[start, end)` between the joints of a level; none when there are only joints."""
    pieces: list[tuple[int, int]] = []
    at = start
    for match in _joint(level).finditer(kinds, start, end):
        if match.start() > at:
            pieces.append((at, match.start()))
        at = match.end()
    if at < end:
        pieces.append((at, end))
    return pieces


def _add_whole(chunk: str, start: int, end: int, level: int, leaf: Leaf) -> None:
    if end - start > MAX_WHOLE:
        return
    whole = fold(chunk[start:end].replace("\\_", "_"))
    leaf.wholes.append(whole.replace("'", "") if level == _APOSTROPHE else whole)


def _without_suffix(
    chunk: str, start: int, end: int, pieces: list[tuple[int, int]], out: list[Leaf]
) -> list[tuple[int, int]]:
    """Cuts a possessive or contracted verb; `n't` makes one word with what it negates."""
    suffix = fold(chunk[slice(*pieces[-1])])
    if suffix in ("s", "re", "ve", "ll", "d", "m"):
        return pieces[:-1]
    if suffix == "t":
        out.append(Leaf(start, end, fold(chunk[start:end]).replace("'", ""), [], []))
        return []
    return pieces


def _name(chunk: str, kinds: str, start: int, end: int, out: list[Leaf]) -> None:
    """A run without joints: `C++`, `v2.1.9`, `parseHTML`, `word`."""
    part = kinds[start:end]
    if "+" in part or "#" in part:
        _signed(chunk, part, start, end, out)
    elif "." in part:
        _version(chunk, part, start, end, out)
    elif "A" in part and "a" in part and 3 < len(part) <= MAX_CAMEL:
        _camel(chunk, kinds, start, end, out)
    else:
        _word(chunk, kinds, start, end, out)


def _signed(chunk: str, part: str, start: int, end: int, out: list[Leaf]) -> None:
    """`C#`, `C++17`: also found by `C++`; `notepad++` also by `notepad`."""
    forms: list[str] = []
    plus = part.find("++")
    if plus > 1:
        forms.append(word_term(chunk[start : start + plus]))
    if 0 < plus < len(part) - 2:
        forms.append(fold(chunk[start : start + plus + 2]))
    out.append(Leaf(start, end, fold(chunk[start:end])[:MAX_TERM], [], forms))


def _version(chunk: str, part: str, start: int, end: int, out: list[Leaf]) -> None:
    """`v2.1.9` is `2.1.9`, also found by `2.1`; `python3.11` is `python` and `3.11`."""
    match = _pattern(r"([Aa]*)((?:0+\.)+0+)([Aa0]*)").fullmatch(part)
    if match is None:
        out.append(Leaf(start, end, fold(chunk[start:end])[:MAX_TERM], [], []))
        return
    number = start + match.end(1)
    forms = []
    components = chunk[number : start + match.end(2)].split(".")
    for n in range(2, min(len(components) + (1 if match[3] else 0), 6)):
        forms.append(fold(".".join(components[:n])))
    own = fold(chunk[number:end])[:MAX_TERM]
    prefix = chunk[start:number]
    if prefix and prefix not in ("v", "V"):
        whole = fold(chunk[start:end])[:MAX_TERM]
        out.append(Leaf(start, number, word_term(prefix), [whole], []))
        start = number
    out.append(Leaf(start, end, own, [], forms))


def _camel(chunk: str, kinds: str, start: int, end: int, out: list[Leaf]) -> None:
    """`parseHTMLResponse`: at capitals, but no single letter is split off (`iPhone`, `PhD`)."""
    cuts = [
        match.start()
        for match in _pattern("AA+a(?![am])|A+(?=A[am])|A?[am0]+|A+0*|0+").finditer(
            kinds, start, end
        )
    ]
    cuts.append(end)
    if len(cuts) > 2 and cuts[1] - cuts[0] == 1:
        del cuts[1]
    if len(cuts) > 2 and cuts[-1] - cuts[-2] == 1:
        del cuts[-2]
    # Encoded blobs change case every other character; names do not.
    if len(cuts) == 2 or (len(cuts) > 5 and (len(cuts) - 1) * 3 > end - start):
        _word(chunk, kinds, start, end, out)
        return
    first = len(out)
    for at, cut in enumerate(cuts[1:]):
        _word(chunk, kinds, cuts[at], cut, out)
    if first < len(out):
        out[first].wholes.append(fold(chunk[start:end]))


def _word(chunk: str, kinds: str, start: int, end: int, out: list[Leaf]) -> None:
    """A plain word, or letters with a number behind them (`sha256`), also found apart."""
    if "0" in (part := kinds[start:end]):
        own = fold(chunk[start:end])[:MAX_TERM]
        match = _pattern("[Aam]{2,}(?=0+$)").match(part)
        if match:
            cut = start + match.end()
            out.append(Leaf(start, cut, word_term(chunk[start:cut]), [own], []))
            out.append(Leaf(cut, end, fold(chunk[cut:end])[:MAX_TERM], [], []))
        else:
            out.append(Leaf(start, end, own, [], []))
    elif own := word_term(chunk[start:end]):
        out.append(Leaf(start, end, own, [], []))
