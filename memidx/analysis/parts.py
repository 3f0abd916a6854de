"""What is a word made of, and under which terms is it indexed?

A word without joints, such as `retries`, is a *leaf*. A compound is divided at its loosest
joint, and the pieces again, so that `memidx/max_retries.py` is found whole, as `max_retries.py`,
as `max_retries` and by each leaf. From loose to tight:

    / @ & ::     .     -     '     _     capitals, letters before a number

What a text is divided into depends on the text alone, so results are kept: the compounds of a
corpus share most of their pieces.
"""

from __future__ import annotations

from memidx.analysis.base import NOT_COUNTED
from memidx.analysis.normalise import fold
from memidx.analysis.shapes import shape
from memidx.analysis.stems import stem
from memidx.analysis.vocabulary import STOP_WORDS
from memidx.light import pattern
from memidx.values import NamedTuple

MAX_WHOLE = 100
"""Longest compound, in characters, that is indexed whole; longer ones only in parts."""
MAX_TERM = 200
"""Longest term in characters; a longer word is cut, in documents and queries alike."""
MAX_CAMEL = 64
"""Longest run that is divided at capitals: beyond it stand encoded blobs, not names."""
MAX_KEPT = 1 << 16
"""How many parts are kept; then all are forgotten, which costs time and changes nothing."""


class Part(NamedTuple):
    """A word or compound and its terms.

    Attributes:
        pieces: What it is divided into, in order; empty for a leaf.
        own: The term of a leaf; empty for a compound.
        wholes: Terms of the compound as a whole.
        forms: Further terms that only documents are indexed under, so that a query stays
            exact: `2.1` of `2.1.9`.
        terms: Every term of the part and its pieces, with repeats, and `NOT_COUNTED` as often
            as there are wholes and forms among them; stop words have none: they are known by name.
    """

    pieces: tuple[str, ...]
    own: str
    wholes: tuple[str, ...]
    forms: tuple[str, ...]
    terms: tuple[str, ...]


class Leaf(NamedTuple):
    """A leaf in its place: `text[start:end]`, its own term, and those of what begins with it."""

    start: int
    end: int
    own: str
    wholes: tuple[str, ...]
    forms: tuple[str, ...]


class Parts(dict[str, Part]):
    """Text -> part, divided when first asked for."""

    def __missing__(self, text: str) -> Part:
        part = self.divide(text)
        if len(self) >= MAX_KEPT:
            self.clear()
        self[text] = part
        return part

    def leaves(self, text: str, start: int = 0) -> list[Leaf]:
        """Leaves of a text in reading order; `start` is where the text stands."""
        found: list[Leaf] = []
        self._add_leaves(found, text, start, (), ())
        return found

    def is_identifier(self, text: str) -> bool:
        """Whether a compound is a name of code, not of natural language.

        `max_retries`, `a.b`, `a::b`, `user@host` and `parseHTML` are; `well-known`, `and/or`,
        `Alice's`, `sha256` and `16GB` are not.
        """
        if any(joint in text for joint in "_.:@"):
            return True
        pieces = self[text].pieces
        if any(joint in text for joint in "/&-'"):
            return any(map(self.is_identifier, pieces))
        return len(pieces) > 1 and not any(map(str.isdecimal, pieces[:2]))

    def whole(self, text: str) -> str:
        """The term that stands for all of a text; empty when it has no term."""
        part = self[text]
        while not (part.wholes or part.own) and part.pieces:
            part = self[part.pieces[0]]
        return part.wholes[0] if part.wholes else part.own

    def _add_leaves(
        self,
        found: list[Leaf],
        text: str,
        start: int,
        wholes: tuple[str, ...],
        forms: tuple[str, ...],
    ) -> None:
        pieces, own, of_whole, of_forms, _ = self[text]
        if of_whole or of_forms:
            wholes += of_whole
            forms += of_forms
        if not pieces:
            if own:
                found.append(Leaf(start, start + len(text), own, wholes, forms))
            return
        at = 0
        for piece in pieces:
            at = text.index(piece, at)
            self._add_leaves(found, piece, start + at, wholes, forms)
            wholes = forms = ()
            at += len(piece)

    def divide(self, text: str) -> Part:
        """The part of a text; its pieces are kept, itself is not."""
        if text.isalnum():
            if text.isalpha() and (text[1:].islower() or text.isupper()):
                return _leaf(word_term(text))
            return self._name(text)
        if "/" in text or ":" in text or "@" in text or "&" in text:
            plain = not (":" in text or "@" in text or "&" in text)
            pieces = [p for p in text.split("/") if p] if plain else _split_at_joints(text)
            if len(pieces) > 1:
                return self._compound(text, pieces)
        if "." in text:
            pieces = _split_at_points(text)
            if len(pieces) > 1:
                return self._compound(text, pieces, (), _initials(pieces))
        if "-" in text:
            pieces = [piece for piece in text.split("-") if piece]
            if len(pieces) > 1:
                return self._compound(text, pieces, _dates(text, pieces))
        if "'" in text:
            return self._apostrophes(text, [p for p in text.split("'") if p])
        if "_" in text:
            if text[0].isdecimal() and _is_in_thousands(text):
                return _leaf(fold(text.replace("_", ""))[:MAX_TERM])
            pieces = text.replace("\\_", "_").split("_")
            pieces = [piece for piece in pieces if piece]
            if len(pieces) == 1 and not (text.startswith("__") and text.endswith("__")):
                return self._group(pieces, (), ())
            return self._compound(text, pieces) if pieces else _NOTHING
        return self._name(text)

    def _compound(
        self,
        text: str,
        pieces: list[str],
        forms: tuple[str, ...] = (),
        more_wholes: tuple[str, ...] = (),
    ) -> Part:
        if len(text) > MAX_WHOLE:
            return self._group(pieces, more_wholes, forms)
        if "\\" in text:
            text = text.replace("\\_", "_")
        return self._group(pieces, (fold(text), *more_wholes), forms)

    def _group(self, pieces: list[str], wholes: tuple[str, ...], forms: tuple[str, ...]) -> Part:
        terms: list[str] = []
        for piece in pieces:
            of_piece = self[piece].terms
            if not of_piece:  # `__` of `__.x`
                pieces = [piece for piece in pieces if self[piece].terms]
                return self._group(pieces, () if len(pieces) == 1 else wholes, forms)
            terms += of_piece
        if not pieces:
            return _NOTHING
        if forms or len(wholes) != 1:
            terms += _not_counted(wholes + forms)
        elif wholes[0] in STOP_WORDS:
            terms += wholes
        else:
            terms += (wholes[0], NOT_COUNTED)
        return Part(tuple(pieces), "", wholes, forms, tuple(terms))

    def _apostrophes(self, text: str, pieces: list[str]) -> Part:
        """Cuts a possessive or contracted verb; `n't` makes one word with what it negates."""
        suffix = fold(pieces[-1])
        if len(pieces) > 1 and suffix == "t":
            return _leaf(fold(text).replace("'", ""))
        if len(pieces) > 1 and suffix in ("s", "re", "ve", "ll", "d", "m"):
            pieces = pieces[:-1]
        joined = "'".join(pieces)
        if len(pieces) < 2 or len(joined) > MAX_WHOLE:
            return self._group(pieces, (), ())
        return self._group(pieces, (word_term(joined.replace("'", "")),), ())

    def _name(self, text: str) -> Part:
        """A run without joints: `C++`, `v2.1.9`, `parseHTML`, `word`."""
        if "+" in text or "#" in text:
            return self._signed(text)
        kinds = shape(text)
        if "." in text:
            return self._version(text, kinds)
        if "A" in kinds and "a" in kinds and 3 < len(text) <= MAX_CAMEL:
            pieces = at_capitals(text, kinds)
            if len(pieces) > 1:
                # In lower case the name is a plain word, so that is what it is as a whole.
                whole = fold(text) if "0" in kinds else word_term(text)
                return self._group(pieces, (whole,), ())
        if "0" not in kinds:
            return _leaf(word_term(text))
        if len(text) > 8 and text[8] == "T" and pattern("0{8}A0{4,6}[Aa]?").fullmatch(kinds):
            return self._compound(text, [text[:8], text[8:]])  # 20240501T100000Z
        n_before = len(kinds.rstrip("0"))
        if 2 <= n_before < len(kinds) and not kinds[:n_before].strip("Aam"):
            return self._compound(text, [text[:n_before], text[n_before:]])  # `sha256`: `sha 256`
        n_behind = len(kinds.lstrip("0"))
        is_unit = 2 <= n_behind <= min(5, len(kinds) - 1) and not kinds[-n_behind:].strip("Aa")
        if is_unit and fold(text[-2:]) not in ("st", "nd", "rd", "th"):  # `16GB` is `16 GB`
            return self._compound(text, [text[:-n_behind], text[-n_behind:]])
        return _leaf(fold(text)[:MAX_TERM])

    def _signed(self, text: str) -> Part:
        """`C++17` is also found by `C++`, `notepad++` by `notepad`."""
        forms: tuple[str, ...] = ()
        plus = text.find("++")
        if plus > 1:
            forms += (word_term(text[:plus]),)
        if 0 < plus < len(text) - 2:
            forms += (fold(text[: plus + 2]),)
        return _leaf(fold(text)[:MAX_TERM], forms)

    def _version(self, text: str, kinds: str) -> Part:
        """`v2.1.9` is `2.1.9`, also found by `2.1`; `python3.11` is `python` and `3.11`."""
        # As the pattern `([Aa]*)((?:0+\.)+0+)[Aa0]*` divides it.
        begin = len(kinds) - len(kinds.lstrip("Aa"))
        behind = kinds[begin:].lstrip("0.")
        numbers = text[begin : len(text) - len(behind)]
        if "." not in numbers or not all(numbers.split(".")) or behind.strip("Aa0"):
            return _leaf(fold(text)[:MAX_TERM])
        if begin and text[:begin] not in ("v", "V"):
            return self._compound(text, [text[:begin], text[begin:]])
        number = fold(text[begin:])[:MAX_TERM]
        components = fold(numbers).split(".")
        prefixes = [".".join(components[:n]) for n in range(2, min(len(components), 5) + 1)]
        return _leaf(number, tuple(prefix for prefix in prefixes if prefix != number))


def word_term(word: str) -> str:
    """The term of a plain word: folded, then stemmed unless it is a stop word."""
    folded = fold(word)
    if not folded or folded in STOP_WORDS:
        return folded
    return stem(folded[:MAX_TERM])


_NOTHING = Part((), "", (), (), ())


def _leaf(own: str, forms: tuple[str, ...] = ()) -> Part:
    if not own:
        return _NOTHING
    return Part((), own, (), forms, (own, *_not_counted(forms)) if forms else (own,))


def _not_counted(terms: tuple[str, ...]) -> tuple[str, ...]:
    return terms + (NOT_COUNTED,) * sum(term not in STOP_WORDS for term in terms)


def _is_in_thousands(text: str) -> bool:
    """Whether a text is a number such as `1_000_000`."""
    first, *others = text.split("_")
    return (
        len(first) < 4
        and first.isdecimal()
        and all(len(digits) == 3 and digits.isdecimal() for digits in others)
    )


def _split_at_joints(text: str) -> list[str]:
    """Pieces between the loosest joints: `/`, `@`, `&` and `::`."""
    for joint in ("::", "@", "&"):
        text = text.replace(joint, "/")
    return [piece for piece in text.split("/") if piece]


def _split_at_points(text: str) -> list[str]:
    """Pieces between full stops, but for those that stand between digits."""
    pieces: list[str] = []
    before = ""
    for piece in text.split("."):
        if before[-1:].isdecimal() and piece[:1].isdecimal():
            pieces[-1] += "." + piece
        elif piece:
            pieces.append(piece)
        before = piece
    return pieces


def _initials(pieces: list[str]) -> tuple[str, ...]:
    """`phd` of `Ph.D` and `us` of `U.S`: as they are written without points."""
    if len(pieces[0]) > 2 or len(pieces[-1]) > 2:
        return ()
    if all(len(piece) < 3 and piece.isalpha() and piece[0].isupper() for piece in pieces):
        joined = fold("".join(pieces))
        return () if joined in STOP_WORDS else (joined,)
    return ()


def _dates(text: str, pieces: list[str]) -> tuple[str, ...]:
    """The month of a date, and the like: `2024-05` of `2024-05-01`."""
    if len(pieces) < 3 or not all(map(str.isdecimal, pieces)):
        return ()
    return tuple(fold("-".join(pieces[:n])) for n in range(2, min(len(pieces), 5)))


def _runs(kinds: str) -> list[str]:
    """Kinds divided where a name of code is read as if there were a space.

    As the pattern `AA+a(?![am])|A+(?=A[am])|A?[am0]+|A+0*` finds them.
    """
    found: list[str] = []
    at = 0
    while at < len(kinds):
        small = at
        while kinds[small : small + 1] == "A":
            small += 1
        n_capitals = small - at
        end = small
        if n_capitals < 2 and kinds[small : small + 1] in _SMALL:
            while kinds[end : end + 1] in _SMALL:
                end += 1
        elif n_capitals > 1 and kinds[small : small + 1] in ("a", "m"):
            is_plural = kinds[small] == "a" and kinds[small + 1 : small + 2] not in ("a", "m")
            end = small + 1 if is_plural else small - 1  # `IDs`, `HTMLParser`
        elif n_capitals:
            while kinds[end : end + 1] == "0":
                end += 1
        else:
            at += 1  # no part of a name
            continue
        found.append(kinds[at:end])
        at = end
    return found


_SMALL = ("a", "m", "0")


def at_capitals(text: str, kinds: str) -> list[str]:
    """Pieces of a camel-case name; no single letter is split off at its ends (`iPhone`, `PhD`)."""
    found = _runs(kinds)
    if len(found) > 1 and len(found[0]) == 1:
        found[:2] = [found[0] + found[1]]
    if len(found) > 1 and len(found[-1]) == 1:
        found[-2:] = [found[-2] + found[-1]]
    if len(found) == 1:
        return [text]
    shortest = 5 if "0" in kinds and len(text) > 15 else 3
    if len(found) > 4 and len(found) * shortest > len(text):
        return [text]  # encoded blobs change case every other character; names do not
    pieces = []
    begin = 0
    for piece in found:
        end = begin + len(piece)
        pieces.append(text[begin:end])
        begin = end
    return pieces
