r"""Which runs of characters are tokens whose issuer gave them a shape of their own?

A shape is a beginning (`ghp_`) and a pattern of the whole. A token starts where no run of its
characters is under way, so each run is tried once at most; what writing wraps around a token is no
part of the run: emphasis (`_AKIA…_`), a written-out escape (`\nghp_…`, `%3Dghp_…`), a colour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

# Tokens are looked for only where a run of these characters has this length; the shortest known
# token has 20.
_RUN_CHARACTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
RUN_TABLE = bytes(120 if byte in _RUN_CHARACTERS else 32 for byte in range(256))
RUN_LENGTH = 20
_RUN = b"x" * RUN_LENGTH

_END = r"(?![A-Za-z0-9])"
# A number in base64, three digits at a time: how the first part of a Discord token is written.
_DIGITS = r"[MNO][DTjz][AEIMQUYcgk][w-z0-5]"
# (how the token begins, pattern of the whole token)
_SHAPES: tuple[tuple[str, str], ...] = (
    # Amazon, Google, other clouds
    ("AKIA ASIA ABIA ACCA", rf"A...[A-Z0-9]{{16}}{_END}"),
    ("AIza", r"AIza[A-Za-z0-9_-]{35,}"),
    ("ya29.", r"ya29\.[A-Za-z0-9_.-]{20,}"),
    ("GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    ("dapi", rf"dapi[a-f0-9]{{32}}(?:-[0-9])?{_END}"),
    ("LTAI", rf"LTAI[A-Za-z0-9]{{16,24}}{_END}"),
    ("fo1_", r"fo1_[A-Za-z0-9_-]{39,}"),
    ("fm1_ fm1a_ fm1r_ fm2_", r"fm[12][ar]?_[A-Za-z0-9+/=_-]{40,}"),
    # Forges and registries
    ("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,}"),
    ("github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
    (
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- gloas- glimt-",
        r"gl[a-z]{2,5}-[A-Za-z0-9_-]{20,}",
    ),
    ("npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-", r"pypi-[A-Za-z0-9_-]{40,}"),
    ("rubygems_", r"rubygems_[a-f0-9]{48}"),
    ("dckr_pat_ dckr_oat_", r"dckr_[a-z]{3}_[A-Za-z0-9_-]{20,}"),
    ("ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{50,}"),
    ("ATBB", r"ATBB[A-Za-z0-9]{28,}"),
    # Language models
    ("sk-", r"sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}"),
    ("hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("gsk_ xai- pplx- r8_", r"(?:gsk_|xai-|pplx-|r8_)[A-Za-z0-9]{32,}"),
    # Chat, mail, payment
    ("xox", r"xox[a-z]-(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{15,}"),
    ("xapp-", r"xapp-(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{15,}"),
    (
        "MD MT Mj Mz ND NT Nj Nz OD OT Oj Oz",
        rf"(?:{_DIGITS}){{5,6}}[A-Za-z0-9_-]{{0,4}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,}}",
    ),
    ("sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_[a-z]{4}_[A-Za-z0-9]{16,}"),
    ("whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    ("SG.", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}"),
    ("key-", rf"key-[a-f0-9]{{32}}{_END}"),
    ("SK", rf"SK[a-f0-9]{{32}}{_END}"),
    ("sq0atp- sq0csp-", r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,}"),
    ("shpat_ shpca_ shppa_ shpss_", r"shp[a-z]{2}_[a-fA-F0-9]{32}"),
    # Services
    ("hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    (
        "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.",
        r"dp\.[a-z]{2,5}\.(?:[a-z0-9_-]{1,35}\.)?[A-Za-z0-9]{40,}",
    ),
    ("glsa_ glc_", r"glc?s?a?_[A-Za-z0-9+/=_]{30,}"),
    ("lin_api_ lin_oauth_", r"lin_[a-z]{3,5}_[A-Za-z0-9]{32,}"),
    ("ntn_ secret_", r"(?:ntn|secret)_[A-Za-z0-9]{40,}"),
    ("sbp_ sb_secret_", r"sb(?:p|_secret)_[A-Za-z0-9_-]{24,}"),
    ("PMAK- NRAK-", r"[PN][MR]AK-[A-Za-z0-9-]{24,}"),
    ("tskey-", r"tskey-[A-Za-z0-9-]{20,}"),
    ("sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    ("pul-", rf"pul-[a-f0-9]{{40}}{_END}"),
    ("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    # Marks of what `_AROUND` finds
    (":AA .atlasv1.", r"(?!)"),
    # JSON web tokens; the signature may be missing
    ("eyJ", r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?"),
)


def _by_first_two() -> dict[bytes, tuple[tuple[bytes, str], ...]]:
    found: dict[bytes, list[tuple[bytes, str]]] = {}
    for beginnings, shape in _SHAPES:
        for beginning in beginnings.split():
            found.setdefault(beginning[:2].encode(), []).append((beginning.encode(), shape))
    return {first: tuple(whole) for first, whole in found.items()}


# First two bytes -> the beginnings that have them, each with the pattern of its token. Few texts
# hold any token, so a pattern is compiled when it is asked for (`re` keeps it): all take 4 ms.
_BEGINNINGS = _by_first_two()
# Secrets that do not begin with their mark.
_AFTER_ESCAPE = r"(?<=\\[nrt])"
_AROUND = (
    (
        ":AA",
        re.compile(
            rf"(?:(?<![0-9A-Za-z])|(?<=bot)|{_AFTER_ESCAPE})[0-9]{{8,10}}:AA[\w-]{{32,}}", re.ASCII
        ),
    ),
    ("hooks.slack.com/", re.compile(r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9_/-]{20,}")),
    (
        "/IncomingWebhook/",
        re.compile(r"(?<=/IncomingWebhook/)[a-f0-9]{32}(?:/[a-f0-9-]{36})?"),
    ),
    ("/api/webhooks/", re.compile(r"(?<=/api/webhooks/)[0-9]{16,20}/[A-Za-z0-9_-]{40,}")),
    (
        "Q~",
        re.compile(
            rf"(?:(?<![A-Za-z0-9.~-])|{_AFTER_ESCAPE})[\w~.-]{{3}}[0-9]Q~[\w~.-]{{31,34}}"
            r"(?![A-Za-z0-9.~-])",
            re.ASCII,
        ),
    ),
    (
        ".atlasv1.",
        re.compile(
            rf"(?:(?<![A-Za-z0-9])|{_AFTER_ESCAPE})[A-Za-z0-9]{{14}}\.atlasv1\.[\w-]{{60,}}",
            re.ASCII,
        ),
    ),
)

# What may stand in a run before its token: the end of an escape or of a colour, then emphasis or a
# bullet. The first character is no part of the run.
_LEAD = re.compile(
    rb"(?:\\(?:[abefnrtv0]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|%[0-9a-fA-F]{2}|[\[;][0-9]{0,3}m)?"
    rb"[_-]{0,3}"
)
_ESCAPES = frozenset(b"\\%[;")
LEADING = _ESCAPES | frozenset(b".:")
DASHES = frozenset(b"_-")
# A run whose token began before it, where a `.` broke the token in two.
_BROKEN = re.compile(
    rb"(?:SG(?:\.[\w-]{16,19})?|ya29(?:\.[\w-]{1,19})?|hv[sbr]|dp\.[a-z]{2,5}(?:\.[a-z0-9_-]{1,35})?|\.atlasv1)"
    rb"\.\Z"
)
_DOT, _COLON = b".:"
# Parts of what `_AROUND` finds where no run begins as a token does.
ELSEWHERE = (b"Q~", b"hooks", b"ebhook/")


def may_hold_token(data: bytes) -> bool:
    """Whether a text, given in any encoding that leaves ASCII as it is, may hold a token."""
    for _ in _places(data):
        return True
    return any(mark in data for mark in ELSEWHERE)


def token_spans(text: str) -> list[tuple[int, int]]:
    """`(start, end)` of each token."""
    spans = []
    for at, shape in _places(text.encode("ascii", "replace")):  # one byte a character
        found = re.compile(shape).match(text, at)
        if found:
            spans.append((at, found.end() - _emphasis(text, at, found[0])))
    for mark, pattern in _AROUND:
        if mark in text:
            spans += [found.span() for found in pattern.finditer(text)]
    return spans


def _places(data: bytes) -> Iterator[tuple[int, str]]:
    """Where a long run of token characters begins as a token does, and that token's pattern."""
    coded = data.translate(RUN_TABLE)
    start = coded.find(_RUN)
    while start >= 0:
        yield from places_in_run(data, start)
        end = coded.find(b" ", start + RUN_LENGTH)
        start = coded.find(_RUN, end) if end > 0 else -1


def places_in_run(data: bytes, start: int) -> list[tuple[int, str]]:
    """Where the run that begins at `start` begins as a token does, and that token's pattern."""
    # Most runs are ruled out by the byte before them and the two they begin with.
    at = start
    if data[start] in DASHES or (start and data[start - 1] in LEADING):
        at = _token_start(data, start)
    return [
        (at, shape)
        for beginning, shape in _BEGINNINGS.get(data[at : at + 2], ())
        if data.startswith(beginning, at)
    ]


def heads() -> Iterator[bytes]:
    """The first two bytes of tokens; in a run, up to three of `DASHES` may stand before them."""
    yield from _BEGINNINGS


def odd_starts() -> Iterator[bytes]:
    """The byte before a run and its first, where its token may begin at yet another place."""
    anything = frozenset(range(256))
    for before, firsts in (
        (b".\\%", anything),
        (b"[;", frozenset(b"m0123456789")),
        (b":", frozenset(b"A")),
    ):
        yield from (bytes(pair) for pair in product(before, firsts))


def _token_start(data: bytes, start: int) -> int:
    """Where the token of a run begins: after what leads to it, or before what broke it in two."""
    before = data[start - 1] if start else 32
    if before == _COLON and data.startswith(b"AA", start):
        return start - 1
    if before == _DOT:
        broken = _BROKEN.search(data, max(0, start - 60), start)
        if broken and not (broken.start() and data[broken.start() - 1] in _RUN_CHARACTERS):
            return broken.start()
    if data.startswith(b"----", start):
        return start
    lead = _LEAD.match(data, start - (before in _ESCAPES))
    return max(start, lead.end()) if lead else start


def _emphasis(text: str, at: int, token: str) -> int:
    """How much of the token is emphasis around it: as many `_` as stand in front."""
    before = text[max(0, at - 3) : at]
    opening = len(before) - len(before.rstrip("_"))
    return min(opening, len(token) - len(token.rstrip("_")))
