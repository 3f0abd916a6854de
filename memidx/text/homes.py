r"""Where does a text name somebody's home folder?

Shapes: `/home/NAME`, `/home2/NAME`, `/Users/NAME`, `/root`; below a mount (`/mnt/c/users/NAME`,
`/var/home/NAME`, `/Volumes/Macintosh HD/Users/NAME`); `C:\Users\NAME` with one to four backslashes
or slashes; UNC paths; file URLs, percent-encoded or not; JSON's `\/` and `\u002f`, HTML's `&#47;`;
and the folder names that agents make of a path (`-Users-NAME-code`), of which one word is taken for
the name.
What stays: `https://host/root/x`, `src/home/index`, `/rootfs`, `/home/<user>`, `/Users/$USER`,
`/users/NAME` (an address of an API rather than a folder), `/homes/NAME`, `-home-dir` (an option).

A name with spaces is taken whole where its end is certain enough: a separator follows one more
word, or words that begin with capitals, or particles and one word (`anna van der lopez`), or any
words of a path that begins at a quote; or the path stands in quotes; or capitals go on to the end
of the line, to a comma or to a word like `and`. `see /home/alice and src/x` is the other side,
so such words end a name (`Anna and Bob` is cut at `Anna`). `Smith, John` and `Anna (work)` go whole
where a separator follows at once; a capital word after a comma may then go that is part of no name.
"""

from __future__ import annotations

import re
import string
from collections.abc import Collection

from memidx.text.spans import fold, occurrences

# One separator of a path, as written in plain text, in JSON and in a percent-encoded URL.
_SLASH = r"(?:\\{0,3}/{1,4}|%2[fF]|\\{1,4}u002[fF]|&#(?:47|x2[fF]);)"
_ANY_SEPARATOR = (
    r"(?:\\{1,4}(?!u00(?:2[fF]|5[cC]))/?|/{1,4}|%5[cC]|%2[fF]"
    r"|\\{1,4}u00(?:2[fF]|5[cC])|&#(?:47|92|x2[fF]|x5[cC]);)"
)
# A name may hold what file systems let it hold, but here ends where quoting, code or prose begin.
_NAME = (
    r"(?P<name>(?:[^\s\\/:*?\"'<>|{}$%`(),;\[\]&=#!^]"
    r"|%(?!2[fF]|5[cC])[0-9A-Fa-f]{2}|\\ |'(?=[^\W\d_])){1,255})"
)
_SLASH_NAME = re.compile(rf"{_SLASH}(?:\.{_SLASH}){{0,3}}{_NAME}")
_ANY_NAME = re.compile(rf"{_ANY_SEPARATOR}(?:\.{_ANY_SEPARATOR}){{0,3}}{_NAME}")
_AGAIN = re.compile(rf"{_SLASH}(?:home|Users)(?={_SLASH})")
_MORE_WORDS = re.compile(r",?(?: (?:& )?[^\W_][\w.'\u2019-]{0,63}){1,4}")
_ASIDE = re.compile(r" (?:\([^()\n/\\]{1,40}\)|\[[^\[\]\n/\\]{1,40}\])")
_WORD = re.compile(r"[^\W_][\w.'\u2019-]{0,63}")
_FOLLOWS = re.compile(r"[,;)](?!\w)| (?P<word>[a-z]{1,6})(?!\w)")
_INITIALS = re.compile(r"(?:[^\W\d_]\.){1,3}")
_SEPARATORS = ("/", "\\/", "%5C", "%5c", "%2F", "%2f", "\\u002", "\\\\u002", "&#47;", "&#x2")
_LINE_ENDS = ("\n", " |", "\\n", "\\r", '\\"')
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
# One that stands alone has to go on, for options look alike: `-home-dir`, `-Users-only`.
_ALONE_BEFORE = re.compile(r"(?:\A|(?<=[\s\"'`(=:,|*\[]))(?:[A-Za-z]-)?-\Z")
_ALONE_NAME = re.compile(r"-(?P<name>[^\W_]{1,64})(?=-[^\W_])")
_NO_NAMES = frozenset(
    """a all app assistant base based brew button dir directory env folder grown icon in link list
    made menu of office on only or page path screen server tab team the to url view work""".split()  # noqa: SIM905 - as a list it would take a page
)
_MOUNT_BEFORE = re.compile(
    r"(?:/mnt/[a-z]|/cygdrive/[a-z]|/host_mnt/[a-z]|(?<![\w./-])/[cd])/\Z", re.IGNORECASE
)

_DIGITS = frozenset(string.digits)
_LOOK_BACK = 100
_WORDS = ("users", "home", "documents and settings", "documents%20and%20settings")
_TOKEN_CHARACTERS = string.ascii_letters + string.digits + "_.~@+$%:/\\-"
# What may stand before `/home/NAME` and still leave it somebody's home.
_PARENT = re.compile(
    r"(?:\A|[^\w.~/\\-])(?P<parent>/(?:usr|var|private/var|srv|exports?|net|nfs\d*|data|private|media|host|hostfs|"
    r"rootfs|storage|scratch|work|lustre|mnt(?:/[\w-]{1,40})?|cygdrive/[a-zA-Z]|[a-zA-Z]|"
    r"host_mnt/[a-zA-Z]|System/Volumes/Data|Volumes/[\w.-]{1,40}(?:\\? [\w.-]{1,30}){0,4}|"
    r"run/host|afs/[\w.-]{1,40}|\.|[\w-]{1,40}/\.\.))\Z",
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


# A name of several words goes on over these, capitals or not.
_PARTICLES = frozenset(
    """af al av bin da de del della den der di dos du el ibn la le los op ter ten van vom von zu zum
    zur""".split()  # noqa: SIM905 - as above
)


def home_spans(
    text: str, *, slugs: bool = True, words: Collection[str] | None = None
) -> list[tuple[int, int]]:
    """`(start, end)` of each home path's private prefix.

    Args:
        text: The text.
        slugs: Whether to take the folder names that agents make of a path.
        words: As in `memidx.text.redact.Suspects`.
    """
    return _named_spans(text, words, dashed=slugs) + _root_spans(text, words)


def _named_spans(
    text: str, words: Collection[str] | None, *, dashed: bool
) -> list[tuple[int, int]]:
    spans = []
    done = 0
    for at, word in sorted(occurrences(fold(text), _WORDS, words)):
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
    if not before.endswith(("/", "\\", "F", "f", "C", "c", "-", ";")):
        return None
    word = text[at:end]
    if before.endswith("-"):
        return _slug_span(text, at, end, before) if dashed else None
    if word == "home":  # `/home2`
        while end < at + 6 and text[end : end + 1] in _DIGITS:
            end += 1
    name = _ANY_NAME.match(text, end)
    if not name:
        return None
    if word != "home":
        drive = _DRIVE_BEFORE.search(before)
        if drive:
            return _to_name(text, at - len(drive[0]), name, windows=True)
    slash = _SLASH_BEFORE.search(before)
    usual = word in ("home", "Users")
    if slash and (usual or (word == "users" and _MOUNT_BEFORE.search(before))):
        slash_name = _SLASH_NAME.match(text, end)
        start = _home_start(text, at - len(slash[0]), named=True) if slash_name else None
        if slash_name and start is not None:
            return _to_name(text, start, slash_name, windows=False)
    elif before.endswith("\\") and not word.startswith(("d", "D")):
        rooted = _ROOTED_BEFORE.search(text[max(0, at - _LOOK_BACK) : at])
        if rooted and not text.endswith(("<path>", "<secret>"), 0, at - len(rooted[0])):
            return _to_name(text, at - len(rooted[0]), name, windows=True)
    return None


def _slug_span(text: str, at: int, end: int, before: str) -> tuple[int, int] | None:
    """The span of `-home-NAME` or `-Users-NAME`, in the name of a folder or as one."""
    word = text[at:end]
    if word not in ("home", "Users", "users"):
        return None
    mark = _DASHED_BEFORE.search(before)
    name = _DASHED_NAME.match(text, end) if mark else None
    if not mark and word != "users":
        mark = _ALONE_BEFORE.search(before)
        name = _ALONE_NAME.match(text, end) if mark else None
        if name and name["name"].lower() in _NO_NAMES:
            return None
    return (at - len(mark[0]), name.end()) if mark and name else None


def _root_spans(text: str, words: Collection[str] | None) -> list[tuple[int, int]]:
    spans = []
    for at, _ in occurrences(text, ("/root",), words):
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
    if len(stem) < len(name) and not _INITIALS.fullmatch(name):
        return end
    return _further_end(text, start, found.end(), stem, windows=windows) or end


def _further_end(text: str, start: int, end: int, stem: str, *, windows: bool) -> int | None:
    """Where a name of several words ends, given the end of its first; None when it has but one."""
    if not text.startswith((" ", ","), end):
        return None
    more = _MORE_WORDS.match(text, end)
    words: list[re.Match[str]] = []
    for word in _WORD.finditer(text, end, more.end()) if more else ():
        bare = word[0].rstrip(".,")
        if bare.lower() in _JOINING_WORDS and bare not in _PARTICLES:
            break
        words.append(word)
        if word[0].endswith(".") and not _INITIALS.fullmatch(word[0]) and len(bare) > 3:
            break
    for count in range(len(words), 0, -1):
        stop = words[count - 1].end()
        if _ends_name(text, start, stop, [stem, *(w[0] for w in words[:count])], windows=windows):
            return stop
        aside = _ASIDE.match(text, stop)
        if aside and _separates(text, aside.end(), windows=windows) and count == 1:
            return aside.end()
    aside = _ASIDE.match(text, end)
    return aside.end() if aside and _separates(text, aside.end(), windows=windows) else None


def _ends_name(text: str, start: int, stop: int, words: list[str], *, windows: bool) -> bool:
    titled = all(word[0].isupper() for word in words[1:])
    if _separates(text, stop, windows=windows):
        if "," in text[stop - sum(map(len, words[1:])) - len(words) : stop]:
            return titled and words[0][0].isupper() and len(words) < 4
        named = all(word[0].isupper() or word in _PARTICLES for word in words[1:-1])
        particles = any(word in _PARTICLES for word in words[1:-1])
        return len(words) == 2 or titled or (named and particles) or _quote_before(text, start)
    if _quote_before(text, start) and text.startswith(
        (text[start - 1], "\\" + text[start - 1]), stop
    ):
        return True
    if not titled:
        return False
    # A path that ends its line or cell: names of people begin with capitals.
    if stop == len(text) or text.startswith(_LINE_ENDS, stop):
        return True
    follows = _FOLLOWS.match(text, stop)
    return (
        follows is not None
        and (follows["word"] is None or follows["word"] in _JOINING_WORDS)
        and all(word[0].isupper() and word[1:].islower() for word in words)
    )


def _separates(text: str, at: int, *, windows: bool) -> bool:
    return text.startswith(_SEPARATORS, at) or (windows and text.startswith("\\", at))


def _quote_before(text: str, start: int) -> bool:
    return start > 0 and text[start - 1] in "\"'`"


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
    if "u002" in token:  # what is left of `\u002fmnt\u002fc` is nobody's name
        return start
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
