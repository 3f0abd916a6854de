r"""Which parameters of an address let whoever has the address in?

Signed addresses (Azure's `sig=`, Amazon's `X-Amz-Signature=`, Google's `X-Goog-Signature=`,
CloudFront's `Signature=`) and tokens in a query or a fragment (`?token=`, `#access_token=`). The
separator before the name says that it is a parameter, so the value of a name that only secrets
have needs no more than a digit and a letter; behind a name that other things have too (`key`,
`code`) it must look random. `&` may be written `&amp;`, `\u0026` or `%26`, and `=` `%3D`.
What stays: every other parameter (`?ref=` and a git SHA), `sig=0.05`, `signature=f(x)`, a hash
named `signature` that is no part of an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memidx.text.random_values import is_passed, is_random
from memidx.text.spans import occurrences

_BEFORE = re.compile(r"(?:[?&#;]|\\u0026|%26|%3f|%23|\\u003f)(?:amp;|#38;|#x26;)?[a-z_.-]{0,24}\Z")
_START = re.compile(r"(?:\A|[\s\"'`(,:|*])(?:x-(?:amz|goog|oss|cos)-|oauth_)?\Z")
_VALUE = re.compile(
    r"(?:=|%3[dD]|\\u003[dD])"
    r"(?P<value>(?:[A-Za-z0-9+/=_.~-]|%(?!26|3[bB]|2[3267]|3[eE])[0-9A-Fa-f]{2}){8,4096})"
)
# How the name ends -> whether only secrets are called so.
_NAMES = {
    "sig": True,
    "signature": True,
    "token": True,
    "secret": True,
    "auth": True,
    "apikey": True,
    "api_key": True,
    "api-key": True,
    "key": False,
    "code": False,
}
_ENDS = tuple(_NAMES)
# What gives a value, in lower case.
_GIVES = ("=", "%3d", "\\u003d")
_SIGNED_HEADERS = re.compile(r"signedheaders=[\w;-]{1,400},[ ]{0,4}\Z")
# The name may be a whole word before its end: `design=` is no `sig=`.
_WORD_BEFORE = re.compile(r"[a-z0-9]\Z")


def signed_spans(text: str, folded: str) -> Iterator[tuple[int, int]]:
    """`(start, end)` of each value that is a secret.

    Args:
        text: The text.
        folded: The same in lower case, position by position.
    """
    done, last = 0, ""
    for at, name in _given(folded):
        # No value holds a separator, so what begins inside one is no parameter.
        if at < done and name == last:
            continue
        found = _VALUE.match(text, at + len(name))
        if not found:
            continue
        done, last = found.end(), name
        if _WORD_BEFORE.search(_joined(folded, at)):
            continue
        before = folded[max(0, at - 40) : at]
        value = found["value"].rstrip(".")
        if (
            _is_secret(value, known=_NAMES[name])
            if _BEFORE.search(before)
            else name in ("sig", "signature") and _stands_alone(folded, at, before, value)
        ):
            yield found.start("value"), found.start("value") + len(value)


def _given(folded: str) -> list[tuple[int, str]]:
    """Places and names of what is given a value at once, name by name.

    What stands behind names is looked for, for there is less of it and it is sooner found.
    """
    given: dict[str, list[tuple[int, str]]] = {name: [] for name in _NAMES}
    # One character is looked for at a hundred times the speed of three.
    gives = [give for give in _GIVES if give[0] in folded]
    for end, _ in sorted(occurrences(folded, gives)):
        if folded.endswith(_ENDS, 0, end):
            for name in _NAMES:
                if folded.endswith(name, 0, end):
                    given[name].append((end - len(name), name))
    return [found for places in given.values() for found in places]


def _joined(folded: str, at: int) -> str:
    """What the name goes on from; the escape of a separator (`%26sig`) is none of it."""
    before = folded[max(0, at - 6) : at]
    return "" if before.endswith(("%26", "%3f", "%23", "\\u0026", "\\u003f")) else before


def _is_secret(value: str, *, known: bool) -> bool:
    return is_random(value) or (known and is_passed(value) and _is_mixed(value))


def _is_mixed(value: str) -> bool:
    """Digits inside letters or letters inside digits, more than once: `0a9d8f7e6c5b`."""
    return len(re.findall(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", value[:64])) > 2


def _stands_alone(folded: str, at: int, before: str, value: str) -> bool:
    """A signature told without its address: as base64 writes it, or in the header that Amazon has.

    A plain hexadecimal one could as well be any hash.
    """
    if _SIGNED_HEADERS.search(folded[max(0, at - 440) : at]):
        return is_random(value)
    start = _START.search(before)
    if not start:
        return False
    if start[0].rstrip("_-").endswith(("amz", "goog", "oss", "cos", "oauth")):
        return is_random(value)
    is_base64 = len(value) >= 40 and ("%" in value or value.endswith("="))
    return is_base64 and is_random(value)
