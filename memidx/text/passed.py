"""Which secrets are passed to a program, or from one to another, in a place known for them?

`mysql -pX`, `sshpass -p X`, `curl -u bob:X`, a line of netrc, a cookie. The place says that it is a
secret, so it need not look random; a stand-in (`-p$PASS`, `user:password`) stays. Each looks at the
rest of its own line, and at no character twice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from memidx.text.random_values import is_given, is_passed, is_random
from memidx.text.spans import occurrences

_LONGEST_COMMAND = 1_000
# The rest of a command, lines that `\` continues included.
_COMMAND = re.compile(rf"(?:[^\n\\;|]|\\[\s\S]?|[;|](?!\s)){{0,{_LONGEST_COMMAND}}}")
_QUOTED = r"\\?[\"']?(?P<value>[^\s\"'`<>|;\\]{4,256})"
_PROGRAMS = (
    ("mysql", re.compile(rf"(?<!\S)-p{_QUOTED}")),
    ("mariadb", re.compile(rf"(?<!\S)-p{_QUOTED}")),
    ("sshpass", re.compile(rf"(?<!\S)-p[ ]?{_QUOTED}")),
    (
        "curl",
        re.compile(
            r"(?<!\S)(?:-[a-zA-Z]{0,5}[uU][ ]?|--(?:proxy-)?user[ =])\\?[\"']?"
            rf"[^\s:\"'`<>]{{1,64}}:{_QUOTED}"
        ),
    ),
)
_COOKIE = re.compile(r"cookie[\"'\\]{0,3}[ ]?[:= ][ ]{0,3}[\"'`\\]{0,3}(?=[\w.-]{1,64}=)")
_COOKIE_LINE = re.compile(r"[^\n\"'`<>\\]{0,4096}")
_PAIR = re.compile(r"(?<![^;\s])(?P<name>[\w.-]{1,64})=(?P<value>[^;\s,]{8,2048})")
_SESSION = re.compile(r"sess|sid\Z|auth|token|jwt|csrf|xsrf|remember|\Aid\Z", re.IGNORECASE)
_LOGIN = re.compile(
    r"(?:(?P<machine>(?<!\S)machine\s{1,9}\S{1,80}\s{1,9})|(?<!\S))(?:login|user|account)"
    r"\s{1,9}[^\s<>]{1,80}\s{1,9}\Z"
)
_PASSWORD = re.compile(r"password[ \t]{1,9}(?P<value>[^\s\"'`<>|]{4,256})")


def passed_spans(
    text: str, folded: str, words: Collection[str] | None = None
) -> list[tuple[int, int]]:
    """`(start, end)` of each passed secret.

    Args:
        text: The text.
        folded: The same in lower case, position by position.
        words: As in `memidx.text.redact.Suspects`.
    """
    return [
        *_to_programs(text, folded, words),
        *_in_netrc(text, folded, words),
        *_in_cookies(text, folded, words),
    ]


def _to_programs(
    text: str, folded: str, words: Collection[str] | None
) -> Iterator[tuple[int, int]]:
    for program, option in _PROGRAMS:
        done = 0  # one command may name the program again
        for at, _ in occurrences(folded, (program,), words):
            if at < done:
                continue
            command = _COMMAND.match(text, at)
            done = command.end() if command else at
            for found in option.finditer(text, at, done):
                if is_given(found["value"]):
                    yield found.span("value")


def _in_netrc(text: str, folded: str, words: Collection[str] | None) -> Iterator[tuple[int, int]]:
    for at, _ in occurrences(folded, ("password",), words):
        found = _PASSWORD.match(text, at)
        if not found or not text[at - 1 : at].isspace():
            continue
        login = _LOGIN.search(folded, max(0, at - 200), at)
        if login and (is_given if login["machine"] else is_passed)(found["value"]):
            yield found.span("value")


def _in_cookies(text: str, folded: str, words: Collection[str] | None) -> Iterator[tuple[int, int]]:
    done = 0
    for at, _ in occurrences(folded, ("cookie",), words):
        begin = _COOKIE.match(folded, at) if at >= done else None
        line = _COOKIE_LINE.match(text, begin.end()) if begin else None
        if not line:
            continue
        done = line.end()
        for found in _PAIR.finditer(text, line.start(), done):
            value = found["value"]
            if is_random(value) or (_SESSION.search(found["name"]) and is_passed(value)):
                yield found.span("value")
