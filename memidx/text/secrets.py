"""Where does a text hold a secret?

Three kinds: tokens whose issuer gave them a recognisable shape (`memidx.text.tokens`); structures
(private key blocks, passwords in URLs, authorization headers), what is passed to a program
(`memidx.text.passed`) and what an address is signed with (`memidx.text.signed`); and values given
to a telling name (`api_key = "…"`), if they look random enough. A git SHA, a UUID or a long word is
none of these.
A name gives its value by `=`, `:`, `=>`, in the next cell of a table, on the next line (YAML) or as
an option (`--password X`); the quotes between may be escaped, as in a log of JSON.
What stays: a password that is one plain word (`password: hunter2` could as well be `password:
sha256`), values in XML elements, a table's values below a telling heading.
Every pattern is linear: a repeat that could start inside itself is guarded by a look-behind.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from memidx.text.passed import passed_spans
from memidx.text.random_values import CODE_NAME, TEMPLATE, WORDS, is_passed, is_random
from memidx.text.signed import signed_spans
from memidx.text.spans import fold, occurrences
from memidx.text.tokens import token_spans

_BEGIN_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END_KEY = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:(?:\s|\\[nr]|[>|*#\"',+])*[A-Za-z0-9+/=]{24,}+)*")
_LONGEST_KEY = 20_000
# What PuTTY writes.
_PRIVATE_LINES = re.compile(
    r"(?<=Private-Lines: )\d{1,4}\s{1,4}(?P<value>(?:[A-Za-z0-9+/=]{4,76}+(?:\s{1,4}|\Z))+)"
)

_URL_PASSWORD = re.compile(
    r"[^\s/:@\"'`<>]{0,200}:"
    # A password may hold a slash where no port and path can be meant.
    r"(?P<value>[^\s/\"'`<>]{1,400}|(?!\d{0,5}/)[^\s/:@?\"'`<>]{1,100}(?:/[^\s/:@?\"'`<>]{0,100}){1,4})"
    r"@(?=[\w\[$%{.-])"
)
_URL_TOKEN = re.compile(r"(?P<value>[^\s/:@\"'`<>]{20,400})(?::x-oauth-basic)?@(?=[\w\[])")
_HEADER = re.compile(
    r"(?P<head>\\?[\"']?[ ]{0,3}(?:=>|[:=,])[ ]{0,3}\\?[\"']?"
    r"(?:(?:bearer|basic|token|digest|apikey)[ ]{1,3})?(?:token=\\?[\"']?)?)"
    r"(?P<value>[A-Za-z0-9._~+/=:-]{8,})",
    re.IGNORECASE,
)
_BEARER = re.compile(
    r"(?:(?<![A-Za-z0-9]bearer)|(?<=\\[nrt]bearer))[ ]{1,3}(?P<value>[A-Za-z0-9._~+/=-]{16,})",
    re.IGNORECASE,
)
_NAMES = ("key", "secret", "token", "pass", "pwd", "credential")
_KINDS_OF_KEY = ("api", "access", "account", "private", "encryption", "signing", "auth")
_VALUE = r"(?P<value>[^\s\"'`<>,;(){}\[\]|\\]{8,512})"
# From the end of such a word to the end of the value given to it.
_ASSIGNED = re.compile(
    r"[A-Za-z0-9_-]{0,24}[\"'`\])*\\]{0,4}[ \t]{0,4}"
    r"(?:(?::=|=>|[=:])[*\"'`\\]{0,4}[ \t]{0,4}"
    r"|[ ]{0,40}\|[ ]{0,40}"  # the next cell of a table
    r"|:[ ]{0,2}[>|]?[+-]?[ ]{0,2}\n[ \t]{1,40}(?:- )?)"  # the next line, in YAML
    r"[*\"'`\\]{0,4}" + _VALUE
)
_PHRASE = re.compile(
    r"(?:w(?:or)?d|phrase)?[\"'`\]\\]{0,3}[ \t]{0,4}(?::=|=>|[=:])[ \t]{0,4}\\?"
    r"(?:\"(?P<double>[^\"\n\\<>]{8,100})\\?\"|'(?P<single>[^'\n\\<>]{8,100})\\?')"
)
_OPTION_BEFORE = re.compile(r"(?<![\w-])--[a-z0-9-]{0,40}\Z")
_OPTION_PASSWORD = re.compile(
    r"(?:w(?:or)?d|phrase)?(?:=|[ \t]{1,4})(?:\\\n[ \t]{0,40})?[\"']?(?P<value>[^\s\"'`<>|]{6,256})"
)
_OPTION_OTHER = re.compile(
    rf"[A-Za-z0-9-]{{0,24}}(?:=|[ \t]{{1,4}})(?:\\\n[ \t]{{0,40}})?[\"']?{_VALUE}"
)
# Beginnings (four letters) of the words of a form or a message about a password: no passphrase.
_MESSAGE = frozenset(
    """a acco agai an and are at be can can' cann chan char conf cont crea curr do don' emai
    empt ente expi for forg from has have here hide if in inco inva is kenn leas logi long matc mini
    miss mot must name new not of old on or pass plea reen repe requ rese secr senh set shor show
    sign stro that the this to toke type upda use user vali wach was we weak with wron you
    your""".split()  # noqa: SIM905 - as a list it would take a page
)


def secret_spans(
    text: str, *, tokens: bool = True, names: bool = True, words: Collection[str] | None = None
) -> list[tuple[int, int]]:
    """`(start, end)` of each secret; they may overlap. What names a secret (`api_key =`) stays.

    Args:
        tokens: Whether to look for shapes of tokens and for private keys.
        names: Whether to look for passwords in URLs, headers, passed and assigned values.
        words: As in `memidx.text.redact.Suspects`.
    """
    spans: list[tuple[int, int]] = []
    if tokens:
        if "-----BEGIN" in text:
            spans += _key_spans(text)
        if "Private-Lines: " in text:
            spans += [found.span("value") for found in _PRIVATE_LINES.finditer(text)]
        spans += token_spans(text)
    if not names:
        return spans
    if "@" in text:
        for at, _ in occurrences(text, ("://",)):
            found = _URL_PASSWORD.match(text, at + 3)
            if found and not found["value"].startswith(TEMPLATE):
                spans.append(found.span("value"))
            token = _URL_TOKEN.match(text, at + 3)
            if token and is_random(token["value"]):
                spans.append(token.span("value"))
    folded = fold(text)
    for at, name in occurrences(folded, ("authorization", "bearer"), words):
        found = (_BEARER if name == "bearer" else _HEADER).match(text, at + len(name))
        if found and (is_random(found["value"]) if name == "bearer" else _is_header(found)):
            spans.append(found.span("value"))
    spans += _named_spans(text, folded, words)
    return [*spans, *passed_spans(text, folded, words), *signed_spans(text, folded)]


def _named_spans(text: str, folded: str, words: Collection[str] | None) -> list[tuple[int, int]]:
    spans = []
    for at, name in occurrences(folded, _NAMES, words):
        end = at + len(name)
        before = folded[max(0, at - 12) : at].rstrip(" _-")
        if name == "key" and not before.endswith(_KINDS_OF_KEY):
            continue
        if before.endswith(("public", "publickey")):
            continue
        if (
            name == "pass"
            and not folded.startswith(("w", "phrase"), end)
            # `DB_PASS=…` is one, `PASS: TestNew_1` is not.
            and (text[at - 1 : at] != "_" or folded[end : end + 1].isalnum())
        ):
            continue
        span = (
            _assigned(text, end, name)
            or (name == "pass" and _phrase(text, end))
            or _option(text, folded, at, end, name)
        )
        if span:
            spans.append(span)
    return spans


def _assigned(text: str, end: int, name: str) -> tuple[int, int] | None:
    found = _ASSIGNED.match(text, end)
    if not found:
        return None
    value = found["value"].rstrip(".:!?")
    if name[0] != "p":
        value = value.partition("&")[0]
    if not (_is_password(value, name) if name[0] == "p" else is_random(value)):
        return None
    return found.start("value"), found.start("value") + len(value)


def _phrase(text: str, end: int) -> tuple[int, int] | None:
    """A quoted passphrase of several words: `password: 'correct horse X'`."""
    found = _PHRASE.match(text, end)
    if not found:
        return None
    group = "double" if found["double"] else "single"
    words = found[group].split()
    if len(words) < 2 or found[group].startswith(TEMPLATE) or found[group][-1] in ".?!:…":
        return None
    if len(words) < 3 and not any(c.isdigit() for c in found[group]):
        return None
    if any(fold(word)[:4].rstrip(".,:;") in _MESSAGE for word in words):
        return None
    return found.span(group)


def _option(text: str, folded: str, at: int, end: int, name: str) -> tuple[int, int] | None:
    """A value passed to an option of that name: `--password X`, `--api-key X`."""
    if not _OPTION_BEFORE.search(folded[max(0, at - 50) : at]):
        return None
    password = name in ("pass", "pwd")
    found = (_OPTION_PASSWORD if password else _OPTION_OTHER).match(text, end)
    if not found:
        return None
    value = found["value"].rstrip(".,;:)")
    if not (is_passed(value) if password else is_random(value)):
        return None
    return found.start("value"), found.start("value") + len(value)


def _key_spans(text: str) -> list[tuple[int, int]]:
    """Private key blocks: whole ones, and what there is of one that was cut off."""
    spans: list[tuple[int, int]] = []
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
        spans.append((begin.start(), end))
        done = end
    return spans


def _is_header(found: re.Match[str]) -> bool:
    value = found["value"]
    if value.startswith(TEMPLATE):
        return False
    return (
        is_random(value)
        or (any(c.isdigit() or c.isupper() for c in value[1:]) and not WORDS.fullmatch(value))
        # `user:password` in base64 may be letters only.
        or ("basic" in found["head"].lower() and any(c.isupper() for c in value[1:]))
    )


def _is_password(value: str, name: str) -> bool:
    """Whether a value given to a name like `password` is one: shorter ones count too."""
    if value.startswith(TEMPLATE) or "://" in value or CODE_NAME.fullmatch(value):
        return False
    if name == "pwd" and value.startswith(("/", "~", "./")):  # the shell's working folder
        return False
    kinds = (
        any(c.islower() for c in value),
        any(c.isupper() for c in value),
        any(c.isdigit() for c in value),
        any(not c.isalnum() for c in value),
    )
    return (kinds[2] and sum(kinds) >= 3) or is_random(value)
