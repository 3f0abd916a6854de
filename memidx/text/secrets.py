"""Where does a text hold a secret?

Three kinds: tokens whose issuer gave them a recognisable shape; structures (private key blocks,
passwords in URLs, authorization headers); and values assigned to a telling name (`api_key = "…"`),
if they look random enough. A git SHA, a UUID or a long word is none of these.
Every pattern is linear: a repeat that could start inside itself is guarded by a look-behind.
"""

from __future__ import annotations

import math
import re

from memidx.text.spans import fold, occurrences, replace_spans

PLACEHOLDER = "<secret>"

# Tokens are looked for only where a run of these characters has this length (`redact._suspects`)
# and begins with two of the characters below; the shortest known token has 20.
RUN_CHARACTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
RUN_LENGTH = 20

_EDGE = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9])"
# (how the token begins, pattern of the whole token)
_SHAPES: tuple[tuple[str, str], ...] = (
    # Amazon, Google, other clouds
    ("AKIA ASIA ABIA ACCA", rf"A...[A-Z0-9]{{16}}{_END}"),
    ("AIza", r"AIza[A-Za-z0-9_-]{35,}"),
    ("ya29.", r"ya29\.[A-Za-z0-9_.-]{20,}"),
    ("GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    ("dapi", rf"dapi[a-f0-9]{{32}}{_END}"),
    ("LTAI", rf"LTAI[A-Za-z0-9]{{16,24}}{_END}"),
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
    ("hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("gsk_ xai- pplx- r8_", r"(?:gsk_|xai-|pplx-|r8_)[A-Za-z0-9]{32,}"),
    # Chat, mail, payment
    ("xox", r"xox[a-z]-(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{15,}"),
    ("xapp-", r"xapp-(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{15,}"),
    ("sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_[a-z]{4}_[A-Za-z0-9]{16,}"),
    ("whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    ("SG.", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}"),
    ("key-", rf"key-[a-f0-9]{{32}}{_END}"),
    ("SK", rf"SK[a-f0-9]{{32}}{_END}"),
    ("sq0atp- sq0csp-", r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,}"),
    ("shpat_ shpca_ shppa_ shpss_", r"shp[a-z]{2}_[a-fA-F0-9]{32}"),
    # Services
    ("hvs. hvb.", r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    ("glsa_ glc_", r"glc?s?a?_[A-Za-z0-9+/=_]{30,}"),
    ("lin_api_", r"lin_api_[A-Za-z0-9]{32,}"),
    ("ntn_ secret_", r"(?:ntn|secret)_[A-Za-z0-9]{40,}"),
    ("sbp_ sb_secret_", r"sb(?:p|_secret)_[A-Za-z0-9_-]{24,}"),
    ("PMAK- NRAK-", r"[PN][MR]AK-[A-Za-z0-9-]{24,}"),
    ("tskey-", r"tskey-[A-Za-z0-9-]{20,}"),
    ("sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    ("pul-", rf"pul-[a-f0-9]{{40}}{_END}"),
    ("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    # JSON web tokens; the signature may be missing
    ("eyJ", r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?"),
)
# A token starts where no run of its characters is under way, so each run is tried once at most.
_TOKENS = tuple((beginnings.split(), re.compile(_EDGE + shape)) for beginnings, shape in _SHAPES)
# Secrets that do not begin with their mark.
_AROUND = (
    (":AA", re.compile(r"(?<![0-9A-Za-z])[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}")),
    ("hooks.slack.com/", re.compile(r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9_/-]{20,}")),
    ("/api/webhooks/", re.compile(r"(?<=/api/webhooks/)[0-9]{16,20}/[A-Za-z0-9_-]{40,}")),
    (
        "Q~",
        re.compile(r"(?<![\w.~-])[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w.~-])", re.ASCII),
    ),
)

# How a token begins, in its first three or four bytes, and the three bytes before a run where `.`
# broke the token in two (`SG.`, `ya29.`, `hvs.`).
RUN_STARTS_3 = frozenset(b"sk- hf_ eyJ xox r8_ sk_ rk_ sq0 ntn sbp AAA AAE AAF AAG AAH".split())
RUN_STARTS_4 = frozenset(
    b"""AKIA ASIA ABIA ACCA AIza GOCS dop_ doo_ dor_ dapi LTAI ghp_ gho_ ghu_ ghs_ ghr_ gith glpa
    glpt gldt glrt glcb glft glso glag gloa glim npm_ pypi ruby dckr ATAT ATCT ATBB gsk_ xai- pplx
    xapp whse key- shpa shpc shps glsa glc_ lin_ secr sb_s PMAK NRAK tske sntr pul- AGE-""".split()
)
RUN_BREAKS = frozenset((b"SG.", b"29.", b"vs.", b"vb."))
# Marks of what no run of token characters shows.
LOOSE_MARKS = (b"-----BEGIN", b"hooks.slack.com", b"/api/webhooks/")
# Lower-cased, `=` as `:`, with `_`, `-`, spaces and quotes dropped, so that `api_key =`, `apiKey:`
# and `"api-key":` are alike.
NAME_MARKS = (
    b"secret",
    b"token",
    b"passw",
    b"passphrase",
    b"pwd",
    b"key:",
    b"credential",
    b"authorization",
    b"bearer",
)

_BEGIN_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END_KEY = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:(?:\s|\\[nr]|[>|*#\"',+])*+[A-Za-z0-9+/=]{24,}+)*+")
_LONGEST_KEY = 20_000

_URL_PASSWORD = re.compile(r"(?<=://)([^\s/:@\"'`<>]{0,200}):([^\s/\"'`<>]{1,400})@(?=[\w\[$%{.-])")
_URL_TOKEN = re.compile(r"(?<=://)([^\s/:@\"'`<>]{20,400})@(?=[\w\[])")
_HEADER = re.compile(
    r"(authorization[\"']?[ ]{0,3}(?:=>|[:=,])[ ]{0,3}[\"']?"
    r"(?:(?:bearer|basic|token|digest|apikey)[ ]{1,3})?)"
    r"([A-Za-z0-9._~+/=:-]{8,})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?<![A-Za-z0-9_])(bearer[ ]{1,3})([A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE)
_NAMES = ("key", "secret", "token", "passw", "passphrase", "pwd", "credential")
_KINDS_OF_KEY = ("api", "access", "account", "private", "encryption", "signing", "auth")
# From the end of such a word to the end of the value assigned to it.
_ASSIGNED = re.compile(
    r"[A-Za-z0-9_-]{0,24}[\"'`\])]{0,3}[ ]{0,4}(?::=|=>|[=:])[ ]{0,4}[\"'`]{0,3}"
    r"(?P<value>[^\s\"'`<>,;(){}\[\]|\\]{8,512})"
)
_CODE_NAME = re.compile(
    r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", re.ASCII
)
_WORD = r"(?:[A-Za-z]{2,}\d{0,3}|\d{1,20}|[A-Za-z0-9]{1,3})"
_WORDS = re.compile(rf"{_WORD}(?:[-_./:+@#=?~]+{_WORD})*[-_./:=]*", re.ASCII)
_TEMPLATE = ("$", "%", "{", "*", "...", "xxx", "XXX")


def replace_secrets(text: str, *, tokens: bool = True, names: bool = True) -> str:
    """The text with each secret replaced by `<secret>`; what names it (`api_key =`) stays.

    Args:
        tokens: Whether to look for shapes of tokens and for private keys.
        names: Whether to look for passwords in URLs, headers and assigned values.
    """
    if tokens:
        if "-----BEGIN" in text:
            text = _replace_keys(text)
        text = replace_spans(text, _token_spans(text), PLACEHOLDER)
    if not names:
        return text
    if "@" in text and "://" in text:
        text = _URL_PASSWORD.sub(_hide_password, text)
        text = _URL_TOKEN.sub(_hide_url_token, text)
    folded = fold(text)
    if "authorization" in folded:
        text = _HEADER.sub(_hide_header, text)
    if "bearer" in folded:
        text = _BEARER.sub(_hide_bearer, text)
    return replace_spans(text, _assigned_spans(text), PLACEHOLDER)


def _token_spans(text: str) -> list[tuple[int, int]]:
    spans = []
    for beginnings, token in _TOKENS:
        for at, _ in occurrences(text, beginnings):
            found = token.match(text, at)
            if found:
                spans.append(found.span())
    for mark, pattern in _AROUND:
        if mark in text:
            spans += [found.span() for found in pattern.finditer(text)]
    return spans


def _assigned_spans(text: str) -> list[tuple[int, int]]:
    spans = []
    folded = fold(text)
    for at, name in occurrences(folded, _NAMES):
        before = folded[max(0, at - 12) : at].rstrip(" _-")
        if name == "key" and not before.endswith(_KINDS_OF_KEY):
            continue
        if before.endswith(("public", "publickey")):
            continue
        found = _ASSIGNED.match(text, at + len(name))
        if found:
            value = found["value"].rstrip(".:!?")
            if name[0] != "p":
                value = value.partition("&")[0]
            if _is_password(value, name) if name[0] == "p" else _is_random(value):
                spans.append((found.start("value"), found.start("value") + len(value)))
    return spans


def _replace_keys(text: str) -> str:
    """Private key blocks: whole ones, and what there is of one that was cut off."""
    pieces = []
    done = 0
    ending: re.Match[str] | None = None
    ended = False
    for begin in _BEGIN_KEY.finditer(text):
        if begin.start() < done:
            continue
        # The next end is looked for once, not once for every beginning.
        if not ended and (ending is None or ending.start() < begin.end()):
            ending = _END_KEY.search(text, begin.end())
            ended = ending is None
        if ending is not None and ending.end() - begin.end() <= _LONGEST_KEY:
            end = ending.end()
        else:
            body = _KEY_BODY.match(text, begin.end())
            end = body.end() if body else begin.end()
            if end == begin.end():
                continue
        pieces += [text[done : begin.start()], PLACEHOLDER]
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _hide_password(found: re.Match[str]) -> str:
    return found[0] if found[2].startswith(_TEMPLATE) else f"{found[1]}:{PLACEHOLDER}@"


def _hide_url_token(found: re.Match[str]) -> str:
    return f"{PLACEHOLDER}@" if _is_random(found[1]) else found[0]


def _hide_bearer(found: re.Match[str]) -> str:
    return found[1] + PLACEHOLDER if _is_random(found[2]) else found[0]


def _hide_header(found: re.Match[str]) -> str:
    value = found[2]
    if (
        value.startswith(_TEMPLATE)
        or not (
            _is_random(value)
            or (any(c.isdigit() or c.isupper() for c in value[1:]) and not _WORDS.fullmatch(value))
            # `user:password` in base64 may be letters only.
            or ("basic" in found[1].lower() and any(c.isupper() for c in value[1:]))
        )
    ):
        return found[0]
    return found[1] + PLACEHOLDER


def _is_password(value: str, name: str) -> bool:
    """Whether a value given to a name like `password` is one: shorter ones count too."""
    if value.startswith(_TEMPLATE) or "://" in value or _CODE_NAME.fullmatch(value):
        return False
    if name == "pwd" and value.startswith(("/", "~", "./")):  # the shell's working folder
        return False
    kinds = (
        any(c.islower() for c in value),
        any(c.isupper() for c in value),
        any(c.isdigit() for c in value),
        any(not c.isalnum() for c in value),
    )
    return (kinds[2] and sum(kinds) >= 3) or _is_random(value)


def _is_random(value: str) -> bool:
    """Whether a value looks drawn by a machine: long, letters and digits, no words."""
    if len(value) < 16 or value.startswith(_TEMPLATE) or "://" in value:
        return False
    sample = value[:128]
    if not (any(c.isdigit() for c in sample) and any(c.isalpha() for c in sample)):
        return False
    if _CODE_NAME.fullmatch(sample) or _WORDS.fullmatch(sample):
        return False
    counts: dict[str, int] = {}
    for character in sample:
        counts[character] = counts.get(character, 0) + 1
    size = len(sample)
    return -sum(n / size * math.log2(n / size) for n in counts.values()) >= 3.0
