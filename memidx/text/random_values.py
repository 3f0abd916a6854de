"""Does a value look like a secret, or like a word, a name in code, a template?"""

from __future__ import annotations

import math
import re

TEMPLATE = ("$", "%", "{", "*", "...", "xxx", "XXX")
CODE_NAME = re.compile(
    r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", re.ASCII
)
_WORD = r"(?:[A-Za-z]{2,}\d{0,3}|\d{1,20}|[A-Za-z0-9]{1,3})"
WORDS = re.compile(rf"{_WORD}(?:[-_./:+@#=?~]+{_WORD})*[-_./:=]*", re.ASCII)
# What stands in examples where a password would stand.
_STAND_INS = re.compile(
    r"(?:your?|my|the|some|new|old|db|api|app|root|user|access|personal)?[-_]?"
    r"(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|key|port|protocol|x+|\.+|\W+)\d?",
    re.IGNORECASE,
)
_ELSEWHERE = ("env:", "file:", "pass:", "/", "./", "~/", "-", "@", "<", "[", "(")


def is_random(value: str) -> bool:
    """Whether a value looks drawn by a machine: long, letters and digits, no words."""
    if len(value) < 16 or value.startswith(TEMPLATE) or "://" in value:
        return False
    sample = value[:128]
    if not (any(c.isdigit() for c in sample) and any(c.isalpha() for c in sample)):
        return False
    if CODE_NAME.fullmatch(sample) or WORDS.fullmatch(sample):
        return False
    counts: dict[str, int] = {}
    for character in sample:
        counts[character] = counts.get(character, 0) + 1
    size = len(sample)
    return -sum(n / size * math.log2(n / size) for n in counts.values()) >= 3.0


def is_given(value: str) -> bool:
    """Whether a value, where only a secret can stand (`mysql -pX`), is one and not its stand-in."""
    return not (
        value.startswith((*TEMPLATE, *_ELSEWHERE))
        or _STAND_INS.fullmatch(value)
        or all(c.isdigit() or c in ":." for c in value)  # a port, an address
    )


def is_passed(value: str) -> bool:
    """As `is_given`, where prose can stand too (`--password is required`): a digit is a must."""
    return (
        is_given(value)
        and any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and "://" not in value
    )
