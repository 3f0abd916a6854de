"""In which other ways could the same question be written?

Each kind rewrites a query without changing what is asked, so that the same document should come
first. Clauses of the query language (`"phrase"`, `-word`, `source:name`) are left as they are: to
rewrite those is to ask something else. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence

from memidx.search.parse import parse

# A quotation with its sign or field, or a run without spaces.
_CLAUSE = re.compile(r'(?<!\S)-?(?:\w+:)?"[^"]*"(?!\S)|\S+')
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_BETWEEN_CJK = re.compile(rf"(?<=[{_CJK}])(?=[{_CJK}])")
_SPACE_IN_CJK = re.compile(rf"(?<=[{_CJK}])\s+(?=[{_CJK}])")
_END = "?!.,;:"
_NOUN = re.compile(r"[a-z]{4,}")
# Endings of words that have no plural, or are one.
_NO_PLURAL = re.compile(r"(?:s|ed|ing|ly|ous|ive|able|ible|ful|less)\Z")
_TAKES_ES = re.compile(r"(?:x|z|ch|sh)\Z")
_TAKES_IES = re.compile(r"[^aeiou]y\Z")
# Words that look like nouns in form only, and may come last.
_NOT_NOUN = re.compile(
    r"about|above|after|again|also|before|below|down|else|ever|from|have|here|into|just|like|many|"
    r"more|most|much|never|only|other|over|same|should|since|some|that|them|then|there|they|this|"
    r"under|until|upon|very|want|well|what|when|where|which|while|will|with|within|without|your"
)

Words = Sequence[str]
Rewrite = Callable[[Words], Iterator[str]]


def vary(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of every way to write a query that is not the way it is written."""
    clauses = _CLAUSE.findall(text)
    plain = [_is_plain(clause) for clause in clauses]
    seen = {text}
    for kind, rewrite in VARIATIONS.items():
        words = [clause for clause, is_plain in zip(clauses, plain, strict=True) if is_plain]
        rest = [clause for clause, is_plain in zip(clauses, plain, strict=True) if not is_plain]
        if not words:
            return
        for written in rewrite(words):
            other = " ".join([written, *rest])
            if other not in seen:
                seen.add(other)
                yield kind, other


def _is_plain(clause: str) -> bool:
    """Whether a clause is words that are looked for, and nothing else."""
    parsed = parse(clause)
    narrows = parsed.phrases or parsed.excluded or parsed.sources or parsed.title_words
    return not narrows and any(character.isalnum() for character in clause)


def _upper(words: Words) -> Iterator[str]:
    yield " ".join(words).upper()


def _lower(words: Words) -> Iterator[str]:
    yield " ".join(words).lower()


def _hyphens(words: Words) -> Iterator[str]:
    """Typographic hyphens: U+2010, and U+2011 that does not break."""
    text = " ".join(words)
    if any("-" in word.strip("-") for word in words):
        yield re.sub(r"(?<=\w)-(?=\w)", "\u2010", text)
        yield re.sub(r"(?<=\w)-(?=\w)", "\u2011", text)


def _hyphens_apart(words: Words) -> Iterator[str]:
    """A compound as its words."""
    if any("-" in word.strip("-") for word in words):
        yield re.sub(r"(?<=\w)-(?=\w)", " ", " ".join(words))


def _quotes(words: Words) -> Iterator[str]:
    """Typographic quotation marks around a word, and typographic apostrophes."""
    first, *rest = words
    yield " ".join([f"\u201c{first}\u201d", *rest])
    yield " ".join([f"\u2018{first}\u2019", *rest])
    yield " ".join(words).replace("'", "\u2019")


def _decomposed(words: Words) -> Iterator[str]:
    yield unicodedata.normalize("NFD", " ".join(words))


def _composed(words: Words) -> Iterator[str]:
    yield unicodedata.normalize("NFC", " ".join(words))


def _plural(words: Words) -> Iterator[str]:
    """The last word in the plural, where it can have one."""
    *rest, last = words
    noun = last.rstrip(_END)
    if not _NOUN.fullmatch(noun) or _NO_PLURAL.search(noun) or _NOT_NOUN.fullmatch(noun):
        return
    if _TAKES_IES.search(noun):
        plural = f"{noun[:-1]}ies"
    else:
        plural = f"{noun}es" if _TAKES_ES.search(noun) else f"{noun}s"
    yield " ".join([*rest, plural + last[len(noun) :]])


def _stop_words(words: Words) -> Iterator[str]:
    """Words that say nothing, before the query and inside it."""
    first, *rest = words
    yield " ".join(["the", *words])
    yield " ".join(["it is", first, "of the", *rest])


def _question_words(words: Words) -> Iterator[str]:
    """What turns words into a question; such words are scored, at a fraction of a weight."""
    if not words[-1].endswith(("?", "\uff1f")):
        yield " ".join(["what is the", *words])
        yield " ".join(["where is the", *words])


def _dashes(words: Words) -> Iterator[str]:
    """Dashes that exclude nothing: before the query, and two before its first word."""
    yield " ".join(["--", *words])
    first, *rest = words
    if not first.startswith("-"):
        yield " ".join([f"--{first}", *rest])


def _order(words: Words) -> Iterator[str]:
    """The other way round."""
    yield " ".join(reversed(words))


def _cjk_spacing(words: Words) -> Iterator[str]:
    """Han and kana with a space between any two, and with none."""
    text = " ".join(words)
    yield _BETWEEN_CJK.sub(" ", text)
    yield _SPACE_IN_CJK.sub("", text)


VARIATIONS: Mapping[str, Rewrite] = {
    "upper case": _upper,
    "lower case": _lower,
    "hyphens": _hyphens,
    "hyphens apart": _hyphens_apart,
    "quotes": _quotes,
    "NFD": _decomposed,
    "NFC": _composed,
    "plural": _plural,
    "stop words": _stop_words,
    "question words": _question_words,
    "leading dashes": _dashes,
    "word order": _order,
    "CJK spacing": _cjk_spacing,
}
