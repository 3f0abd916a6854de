r"""Where does a text name somebody's home folder?

Shapes: `/home/NAME`, `/Users/NAME`, `/root`; below a mount (`/mnt/c/Users/NAME`, `/var/home/NAME`);
`C:\Users\NAME` with one to four backslashes or slashes; UNC paths; file URLs, percent-encoded or
not; JSON's `\/`; and the folder names some agents make of a path (`projects/-Users-NAME-code`).
What stays: `https://host/root/x`, `src/home/index`, `/rootfs`, `/home/<user>`, `/Users/$USER`.

A name with spaces is taken whole where its end is certain enough: a separator follows, or the path
stands in quotes, or capitals go on to the end of the line. `see /home/alice and src/x` is the other
side of that, so words like `and` end a name.
"""

from __future__ import annotations

import re
import string

from memidx.text.spans import fold, occurrences, replace_spans

PLACEHOLDER = "<path>"

# One separator of a path, as written in plain text, in JSON and in a percent-encoded URL.
_SLASH = r"(?:\\{0,3}/{1,4}|%2[fF])"
_ANY_SEPARATOR = r"(?:\\{1,4}/?|/{1,4}|%5[cC]|%2[fF])"
# A name may hold what file systems let it hold, but here ends where quoting, code or prose begin.
_NAME = (
    r"(?P<name>(?:[^\s\\/:*?\"'<>|{}$%`(),;\[\]&=#!^]"
    r"|%(?!2[fF]|5[cC])[0-9A-Fa-f]{2}|\\ |'(?=[^\W\d_])){1,255}+)"
)
_SLASH_NAME = re.compile(_SLASH + _NAME)
_ANY_NAME = re.compile(_ANY_SEPARATOR + _NAME)
_AGAIN = re.compile(rf"{_SLASH}(?:home|Users)(?={_SLASH})")
_MORE_WORDS = re.compile(r"(?: [^\W_][\w.'\u2019-]{0,63}){1,3}")
_AFTER_ROOT = re.compile(r"(?![\w-]|\.\w)")

# What stands before the word `home` or `Users`; matched at the end of a short piece of text.
_SLASH_BEFORE = re.compile(rf"{_SLASH}\Z")
_DRIVE_BEFORE = re.compile(
    rf"(?:file:/{{1,4}})?(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))[A-Za-z](?::|%3[aA]){_ANY_SEPARATOR}\Z",
    re.IGNORECASE,
)
_ROOTED_BEFORE = re.compile(r"(?<![\w.\\/-])\\{1,4}(?:[\w.$-]{1,64}\\{1,4}){0,3}\Z")
_DASHED_BEFORE = re.compile(r"(?<=[/\\])(?:[A-Za-z]-)?-\Z")
_DASHED_NAME = re.compile(r"-[^\W_]{1,64}")

_LOOK_BACK = 100
_TOKEN_CHARACTERS = string.ascii_letters + string.digits + "_.~@+$%:/\\-"
# What may stand before `/home/NAME` and still leave it somebody's home.
_PARENT = re.compile(
    r"(?:\A|[^\w.~/\\-])(?P<parent>/(?:usr|var|exports?|net|nfs\d*|data|private|media|host|hostfs|"
    r"rootfs|storage|scratch|work|lustre|mnt(?:/[\w-]{1,40})?|cygdrive/[a-zA-Z]|[a-zA-Z]|"
    r"System/Volumes/Data|Volumes/[\w.-]{1,40}|run/host|afs/[\w.-]{1,40}))\Z",
    re.ASCII,
)
_WEB_SCHEMES = ("http", "https", "ws", "wss", "ftp")
# A written-out line break, a terminal's colour, a compiler's `-I`: none of them is part of a path.
_NOT_PATH = re.compile(
    r"(?:\\[nrt]|\x1b\[[0-9;]{0,12}m|(?:\A|[\s\"'`(=,])-{1,2}[A-Za-z][\w-]{0,40})\Z", re.ASCII
)
# A name of several words does not go on over these: they join a path to what is said about it.
_JOINING_WORDS = frozenset(
    """a an and are as at be but by can did do does for from had has have if in into is it its no
    not of on onto or out over per see so than that the then these this to under up use uses using
    via vs was were what when where which while who will with und oder et ou y o e i""".split()  # noqa: SIM905 - as a list it would take a page
)


def replace_homes(text: str) -> str:
    """The text with each home path's private prefix replaced by `<path>`."""
    return replace_spans(text, _named_spans(text, dashed=True) + _root_spans(text), PLACEHOLDER)


def replace_plain_homes(text: str) -> str:
    """As `replace_homes`, without the folder names that agents make of a path."""
    return replace_spans(text, _named_spans(text, dashed=False) + _root_spans(text), PLACEHOLDER)


def _named_spans(text: str, *, dashed: bool) -> list[tuple[int, int]]:
    spans = []
    folded = fold(text)
    done = 0
    words = ("users", "home", "documents and settings", "documents%20and%20settings")
    for at, word in sorted(occurrences(folded, words)):
        if at < done:
            continue
        span = _named_span(text, at, at + len(word), dashed=dashed)
        if span:
            spans.append(span)
            done = span[1]
    return spans


def _named_span(text: str, at: int, end: int, *, dashed: bool) -> tuple[int, int] | None:
    """The span of a home whose word `home`, `Users`, … stands at `text[at:end]`."""
    before = text[max(0, at - 16) : at]
    if not before.endswith(("/", "\\", "F", "f", "C", "c", "-")):
        return None
    word = text[at:end]
    if dashed and before.endswith("-") and word in ("home", "Users", "users"):
        mark = _DASHED_BEFORE.search(before)
        name = _DASHED_NAME.match(text, end) if mark else None
        return (at - len(mark[0]), name.end()) if mark and name else None
    name = _ANY_NAME.match(text, end)
    if not name:
        return None
    if word != "home":
        drive = _DRIVE_BEFORE.search(before)
        if drive:
            return _to_name(text, at - len(drive[0]), name, windows=True)
    slash = _SLASH_BEFORE.search(before)
    if slash and word in ("home", "Users"):
        slash_name = _SLASH_NAME.match(text, end)
        start = _home_start(text, at - len(slash[0]), named=True) if slash_name else None
        if slash_name and start is not None:
            return _to_name(text, start, slash_name, windows=False)
    elif before.endswith("\\") and not word.startswith(("d", "D")):
        rooted = _ROOTED_BEFORE.search(text[max(0, at - _LOOK_BACK) : at])
        if rooted and not text.endswith(("<path>", "<secret>"), 0, at - len(rooted[0])):
            return _to_name(text, at - len(rooted[0]), name, windows=True)
    return None


def _root_spans(text: str) -> list[tuple[int, int]]:
    spans = []
    for at, _ in occurrences(text, ("/root",)):
        if _AFTER_ROOT.match(text, at + 5):
            start = at
            while start > 0 and at - start < 3 and text[start - 1] == "\\":
                start -= 1
            home = _home_start(text, start, named=False)
            if home is not None:
                spans.append((home, at + 5))
    return spans


def _to_name(
    text: str, start: int, found: re.Match[str], *, windows: bool
) -> tuple[int, int] | None:
    """From `start` to the end of the name, over further homes mounted in this one."""
    end = _name_end(text, start, found, windows=windows)
    further = end
    while further:
        end = further
        again = _AGAIN.match(text, end)
        name = _SLASH_NAME.match(text, again.end()) if again else None
        further = _name_end(text, start, name, windows=False) if name else None
    return (start, end) if end else None


def _name_end(text: str, start: int, found: re.Match[str], *, windows: bool) -> int | None:
    """Where the home's name ends; None when there is no name after all (`/Users/...`)."""
    name = found["name"]
    stem = name.rstrip(".")
    if not stem:
        return None
    end = found.end() - (len(name) - len(stem))
    if len(stem) < len(name) or not text.startswith(" ", end):
        return end
    more = _MORE_WORDS.match(text, end)
    if more:
        words = more[0].split()
        certain = len(words) == 1 or all(word[0].isupper() for word in words)
        if certain and not any(word.lower() in _JOINING_WORDS for word in words):
            stop = more.end()
            if _ends_name(text, start, stop, [stem, *words], windows=windows):
                return stop
    return end


def _ends_name(text: str, start: int, stop: int, words: list[str], *, windows: bool) -> bool:
    if text.startswith(("/", "\\/", "%5C", "%5c", "%2F", "%2f"), stop):
        return True
    if text.startswith("\\", stop):
        return windows
    if start and text[start - 1] in "\"'`" and text.startswith(text[start - 1], stop):
        return True
    # A path that ends its line or cell: names of people begin with capitals.
    at_end = stop == len(text) or text.startswith(("\n", " |"), stop)
    return at_end and all(word[0].isupper() for word in words)


def _home_start(text: str, start: int, *, named: bool) -> int | None:
    """Where the private prefix begins, given where `/home/NAME` or `/root` was seen.

    None when what stands before makes it part of a longer path or of a web address.
    """
    before = text[max(0, start - _LOOK_BACK) : start]
    if before.endswith(("<path>", "<secret>")):
        return None
    if not _joins(before, named=named):
        if before[-6:].lower().endswith(("http:", "https:")):
            return None
        return start - 5 if before[-5:].lower() == "file:" else start
    token = before[len(before.rstrip(_TOKEN_CHARACTERS)) :]
    plain = token.replace("\\/", "/").replace("%3A", ":").replace("%2F", "/")
    scheme, found, _ = plain.partition("://")
    if found:
        scheme = scheme[len(scheme.rstrip(string.ascii_letters + "+.-")) :].lower()
        if scheme in _WEB_SCHEMES:
            return None
        return start - len(token) if scheme == "file" and token[:4].lower() == "file" else start
    if named:
        parent = _PARENT.search(before)
        if parent:
            scheme_end = before[: parent.start("parent")]
            start -= len(parent["parent"])
            return start - 5 if scheme_end[-5:].lower() == "file:" else start
    elif before.endswith("/var"):  # macOS
        return start - 4 if not _joins(before[:-4], named=False) else None
    return start if _NOT_PATH.search(before) else None


def _joins(before: str, *, named: bool) -> bool:
    """Whether a path goes on from here: `src` + `/home/index` is no home."""
    if not before:
        return False
    last = before[-1]
    if last == "_":
        # Emphasis (`_/home/alice_`) is no part of a path, nor is `~~` below; `~/home/x` is one.
        return before[-2:-1].isalnum() or before[-2:-1] == "/"
    if last.isascii() and last.isalnum():
        return True
    return (last in ".-/~" and not before.endswith("~~")) or (not named and last in "})\\")
