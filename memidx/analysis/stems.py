"""Which word is this a form of?

The stemmer follows the script of the word: English for Latin letters, and Russian, Greek,
Arabic and Hindi for theirs. Other scripts keep their words as they are.
"""

from __future__ import annotations

import Stemmer

from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_SCRIPTS = (
    (0x0370, 0x03FF, "greek"),
    (0x1F00, 0x1FFF, "greek"),
    (0x0400, 0x052F, "russian"),
    (0x0600, 0x06FF, "arabic"),
    (0x0750, 0x077F, "arabic"),
    (0x0900, 0x097F, "hindi"),
)
_LATIN_ENDS = 0x0250


def stemmer_version() -> str:
    """Version of the stemming algorithms."""
    return str(Stemmer.version())


def stem(word: str) -> str:
    """The stem of a folded word, by the script of its first character."""
    code = ord(word[0])
    if code < _LATIN_ENDS:
        return _english(word)
    language = _language(code)
    if language is None:
        return word
    stemmed = _stemmers.get(language)
    if stemmed is None:
        stemmed = _stemmers[language] = _stemmer(language)
    return stemmed(word) or word


def stems(words: list[bytes]) -> list[bytes]:
    """`stem` of many ASCII words in one call."""
    return _stems(words)


def _stemmer(language: str) -> Callable[[str], str]:
    # Without PyStemmer's own cache: the analyzer keeps whole words already.
    stem_word: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return stem_word


_in_english = Stemmer.Stemmer("english", 0)
_english: Callable[[str], str] = _in_english.stemWord
_stems: Callable[[list[bytes]], list[bytes]] = _in_english.stemWords
_stemmers: dict[str, Callable[[str], str]] = {}


def _language(code: int) -> str | None:
    for first, last, language in _SCRIPTS:
        if first <= code <= last:
            return language
    return None
