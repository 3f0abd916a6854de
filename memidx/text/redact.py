"""Which characters must never reach the store?

Home folders become `<path>`, known shapes of secrets become `<secret>`. Of a home path only the
private prefix goes: `/home/alice/project/a.py` stays findable as `<path>/project/a.py`.
Ordinary text pays for one cheap look (`_suspects`); only a text in which that look sees something
is searched in earnest, by `memidx.text.homes` and `memidx.text.secrets`.
"""

from __future__ import annotations

from typing import NamedTuple

from memidx.text.homes import replace_homes, replace_plain_homes
from memidx.text.secrets import (
    LOOSE_MARKS,
    NAME_MARKS,
    RUN_BREAKS,
    RUN_CHARACTERS,
    RUN_LENGTH,
    RUN_STARTS_3,
    RUN_STARTS_4,
    replace_secrets,
)

PLACEHOLDERS = ("<path>", "<secret>")

_ROUNDS = 4
_RUN_TABLE = bytes(120 if byte in RUN_CHARACTERS else 32 for byte in range(256))
_RUN = b"x" * RUN_LENGTH
# ASCII to lower case, and `=` to `:`: either may stand between a name and its value.
_FOLD_TABLE = bytes(
    byte + 32 if 65 <= byte <= 90 else 58 if byte == 61 else byte for byte in range(256)
)
_HOME_MARKS = (b"users", b"home", b"/root", b"documents and set", b"documents%20and")


def redact(text: str) -> str:
    """Takes home paths and secrets out of a text.

    Doing it again changes nothing. Time is linear in the length of the text.
    """
    # A replacement can bring a second one into view (`KEY=` before a path that went), so this goes
    # on until nothing changes. Each round has fewer places left to change; two are usual.
    for _ in range(_ROUNDS):
        found = _suspects(text)
        before = text
        if found.tokens or found.names:
            text = replace_secrets(text, tokens=found.tokens, names=found.names)
        if found.homes:
            text = replace_homes(text)
        if text == before:
            break
    return text


def redact_local_paths(text: str) -> str:
    """The text with every home path's private prefix replaced by `<path>`; secrets stay."""
    return replace_homes(text) if _suspects(text).homes else text


def holds_secret(text: str) -> bool:
    """Whether the text holds something in the shape of a secret (home paths do not count)."""
    found = _suspects(text)
    return replace_secrets(text, tokens=found.tokens, names=found.names) != text


def holds_private(path: str) -> bool:
    """Whether a file's path holds a secret or somebody's home folder.

    Folder names that agents make of a path (`-Users-NAME-code`) are let through: they are what
    the file is called, and a memory folder full of them would otherwise not be searchable at all.
    """
    return holds_secret(path) or replace_plain_homes(path) != path


class _Suspects(NamedTuple):
    """What a text may hold; never wrongly False."""

    homes: bool
    tokens: bool
    names: bool


def _suspects(text: str) -> _Suspects:
    """A quick look: a few searches for plain words, which is all that most texts cost."""
    if len(text) < 5:
        return _Suspects(False, False, False)
    data = text.encode("utf-8", "surrogatepass")
    folded = data.translate(_FOLD_TABLE)
    return _Suspects(
        homes=any(mark in folded for mark in _HOME_MARKS),
        tokens=(b"~" in data and b"Q~" in data)
        or any(mark in data for mark in LOOSE_MARKS)
        or _holds_token(data),
        names=(b"@" in data and b"://" in data) or _holds_name(folded),
    )


def _holds_name(folded: bytes) -> bool:
    squeezed = folded.translate(None, b"_- \"'`")
    return any(mark in squeezed for mark in NAME_MARKS)


def _holds_token(data: bytes) -> bool:
    """Whether a long run of token characters begins as some issuer's tokens do."""
    coded = data.translate(_RUN_TABLE)
    start = coded.find(_RUN)
    while start >= 0:
        head = data[start : start + 4]
        if (
            head in RUN_STARTS_4
            or head[:3] in RUN_STARTS_3
            or data[max(0, start - 3) : start] in RUN_BREAKS
        ):
            return True
        end = coded.find(b" ", start + RUN_LENGTH)
        start = coded.find(_RUN, end) if end > 0 else -1
    return False
