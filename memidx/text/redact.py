"""Which characters must never reach the store?

Home folders become `<path>`, known shapes of secrets become `<secret>`. Of a home path only the
private prefix goes: `/home/alice/project/a.py` stays findable as `<path>/project/a.py`.
Ordinary text pays for one cheap look (`suspects`); only a text in which that look sees something
is searched in earnest, by `memidx.text.homes` and `memidx.text.secrets`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from memidx.text.homes import home_spans
from memidx.text.secrets import secret_spans
from memidx.text.spans import replace_spans, visible
from memidx.text.tokens import may_hold_token

PLACEHOLDERS = ("<path>", "<secret>")
_PATH, _SECRET = PLACEHOLDERS

_ROUNDS = 4
# By so many parts, each line in which something is seen costs three looks at some thousand lines.
_PARTS = 16
# A shorter text holds nothing private.
SHORTEST = 5
# Letters in lower case; what may stand between a name and its value is `:`, what may stand before a
# part of a query `&`; `/` stays and all else goes, so that `api_key =`, `| **API key** |` and
# `"api-key":` are alike, and so are `/home`, `/home2` and one with a soft hyphen inside.
FOLD_TABLE = bytes(
    byte + 32 if 65 <= byte <= 90 else {61: 58, 124: 58, 63: 38, 59: 38}.get(byte, byte)
    for byte in range(256)
)
LEFT_OUT = bytes(
    byte for byte in range(256) if not bytes((byte,)).isalpha() and byte not in b"/:=|&?;"
)
HOME_MARKS = (b"users", b"home", b"/root", b"documentsandset")
# Marks of secrets that can be told only by what stands around them.
NAME_MARKS = (
    b"secret",
    b"token",
    b"pwd",
    b"credential",
    b"bearer",
    b"cookie",
    b"curl",
    b"mysql",
    b"mariadb",
    b"&code:",
)
# A name's beginning, and what of it tells: several names for one search. `d` is that of `%3D`.
BEGINNINGS = (
    (b"auth", (b"orization", b":")),
    (b"sig", (b":", b"d", b"nature:", b"natured")),
)
PASS_ENDS = (b"w", b":", b"phrase")
PRIVATE_KEYS = (b"privatekey", b"privatelines")
KINDS_OF_KEY = (b"api", b"cess", b"ount", b"vate", b"tion", b"ning", b"auth", b"user")


# Words of the close search that are not spelt as the mark that stands for them.
_WORDS_OF = {
    b"documentsandset": ("documents and settings", "documents%20and%20settings"),
    b"passw": ("password",),
    **{kind + b"key": ("key",) for kind in KINDS_OF_KEY},
}
# Their lower case has a `k` and an `i`, which the quick look does not see.
_ODD_LETTERS = ("\u212a", "\u0130")


class Suspects(NamedTuple):
    """What a text may hold; never wrongly False.

    Attributes:
        homes: Whether paths of home folders.
        tokens: Whether tokens known by their shape.
        names: Whether secrets told by what stands around them.
        words: Of the words in lower case that a close search begins at, those that may stand there:
            in a long text each costs as much as the quick look. None where nobody looked for each.
    """

    homes: bool
    tokens: bool
    names: bool
    words: frozenset[str] | None = None


def words_of(text: str, marks: Iterable[bytes]) -> frozenset[str] | None:
    """The words of a close search that may stand in a text in which just these marks stand."""
    if not text.isascii() and any(letter in text for letter in _ODD_LETTERS):
        return None
    # No mark has what else may stand behind `pass`: `DB_PASS_TEST=…`.
    words = {"pass"}
    for mark in marks:
        words.update(_WORDS_OF.get(mark) or (mark.decode(),))
    return frozenset(words)


def redact(text: str, seen: Suspects | None = None) -> str:
    """Takes home paths and secrets out of a text.

    Doing it again changes nothing. Time is linear in the length of the text.

    Args:
        seen: What `suspects` says of it, where that is known.
    """
    # A replacement can bring a second one into view (`KEY=` before a path that went), so this goes
    # on until nothing changes. Each round has fewer places left to change; two are usual.
    for _ in range(_ROUNDS):
        before = text
        found, seen = seen or suspects(text), None
        if found.tokens or found.names:
            text = _without_secrets(text, found)
        if found.homes:
            text = _without_homes(text, words=found.words)
        if text == before:
            break
    return text


def redact_local_paths(text: str) -> str:
    """The text with every home path's private prefix replaced by `<path>`; secrets stay."""
    return _without_homes(text) if suspects(text).homes else text


def holds_secret(text: str) -> bool:
    """Whether the text holds something in the shape of a secret (home paths do not count)."""
    found = suspects(text)
    return (found.tokens or found.names) and _without_secrets(text, found) != text


def holds_private(path: str) -> bool:
    """Whether a file's path holds a secret or somebody's home folder.

    Folder names that agents make of a path (`-Users-NAME-code`) are let through: they are what
    the file is called, and a memory folder full of them would otherwise not be searchable at all.
    """
    found = suspects(path)
    return (found.homes and _without_homes(path, slugs=False) != path) or (
        (found.tokens or found.names) and _without_secrets(path, found) != path
    )


def may_hold_private(lines: Sequence[str]) -> list[str]:
    """Those of many short texts, each of one line, that something may be private in.

    A quick look, never wrongly no. It takes most of its time for the first character, so it looks
    at all of them together, and at a part of them after the other where it sees something.
    """
    if not lines or not any(suspects("\n".join(lines))):
        return []
    if len(lines) == 1:
        return [*lines]
    size = -(-len(lines) // _PARTS)
    parts = (lines[begin : begin + size] for begin in range(0, len(lines), size))
    return [line for part in parts for line in may_hold_private(part)]


def _without_secrets(text: str, found: Suspects) -> str:
    def spans(text: str) -> list[tuple[int, int]]:
        return secret_spans(text, tokens=found.tokens, names=found.names, words=found.words)

    return replace_spans(text, _seen_through(text, spans), _SECRET)


def _without_homes(text: str, *, slugs: bool = True, words: Collection[str] | None = None) -> str:
    def spans(text: str) -> list[tuple[int, int]]:
        return home_spans(text, slugs=slugs, words=words)

    return replace_spans(text, _seen_through(text, spans), _PATH)


def _seen_through(
    text: str, spans: Callable[[str], list[tuple[int, int]]]
) -> list[tuple[int, int]]:
    """The spans of the text as it is, and of the text as it looks without invisible characters."""
    shown = visible(text)
    if not shown:
        return spans(text)
    plain, places = shown
    return spans(text) + [(places[start], places[end - 1] + 1) for start, end in spans(plain)]


def suspects(text: str) -> Suspects:
    """A quick look: a few searches for plain words, which is all that most texts cost."""
    if len(text) < SHORTEST:
        return Suspects(False, False, False)
    data = text.encode("utf-8", "surrogatepass")
    squeezed = data.translate(FOLD_TABLE, LEFT_OUT)
    tokens = may_hold_token(data)
    if not tokens and len(data) > len(text):
        shown = visible(text)
        tokens = shown is not None and may_hold_token(shown[0].encode("utf-8", "surrogatepass"))
    names, keys = _names(squeezed)
    return Suspects(
        homes=_holds_any(squeezed, HOME_MARKS),
        tokens=tokens or (keys and _holds_any(squeezed, PRIVATE_KEYS)),
        names=names or (b"@" in data and b"://" in data),
    )


def _holds_any(data: bytes, marks: tuple[bytes, ...]) -> bool:
    # A loop, because a generator takes as long as the search in a short text.
    for mark in marks:  # noqa: SIM110 - for the reason above
        if mark in data:
            return True
    return False


def _names(squeezed: bytes) -> tuple[bool, bool]:
    """Whether a telling name may stand in the text, and whether it is the name of a key."""
    keys = named = False
    at = squeezed.find(b"key")
    while at >= 0 and not keys:
        keys = squeezed.endswith(KINDS_OF_KEY, max(0, at - 4), at)
        named |= squeezed.startswith(b"&key:", max(0, at - 1))
        at = squeezed.find(b"key", at + 3)
    if keys or named or _holds_any(squeezed, NAME_MARKS):
        return True, keys
    for beginning, ends in BEGINNINGS:
        at = squeezed.find(beginning)
        while at >= 0:
            if squeezed.startswith(ends, at + len(beginning)):
                return True, keys
            at = squeezed.find(beginning, at + len(beginning))
    at = squeezed.find(b"pass")
    while at >= 0:
        if squeezed.startswith(PASS_ENDS, at + 4) or squeezed.endswith(b"ssh", 0, at):
            return True, keys
        at = squeezed.find(b"pass", at + 4)
    return False, keys
