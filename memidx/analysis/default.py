"""What counts as a term, by default?

Text is normalised (`normalise`), divided at white space into chunks, chunks into tokens and
tokens into leaves (`tokens`). This module turns those into field terms, query words and spans,
all three from the same tokens. docs/analysis.md says what is a term and what was measured.

A chunk's analysis depends on nothing around it, so an analyzer remembers it: most chunks of a
corpus are repeats, and a document costs one split, one count and a few dictionary look-ups.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from operator import add

from memidx.analysis.base import FieldTerms, QueryWord, Span
from memidx.analysis.normalise import aligned, normalise
from memidx.analysis.stems import stemmer_version
from memidx.analysis.tokens import Token, tokens, word_term
from memidx.analysis.vocabulary import FUNCTION_WORDS, STOP_WORDS

VERSION = 1
"""Raise it whenever any text could give other terms."""

FUNCTION_WEIGHT = 0.3
BIGRAM_WEIGHT = 0.4
UNIGRAM_WEIGHT = 0.3
TRIGRAM_WEIGHT = 0.4
PART_WEIGHT = 0.5
ALIAS_WEIGHT = 0.4

_MAX_CHUNKS = 1 << 18
_MAX_CHUNK = 64

# ASCII characters that never join the parts of a token: blanked before splitting, so that
# `(budget)` and `budget` are one chunk. Without effect on the terms.
_BLANKS = bytes.maketrans(b'()[]{}<>;"*=|`!?~^%$', b" " * 20)

_Terms = tuple[tuple[str, ...], int]


class DefaultAnalyzer:
    """Words of every script, compounds whole and in parts, stems, two fields."""

    name = "default"
    fields: tuple[str, ...] = ("words", "title")

    def __init__(self, aliases: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self._chunks: dict[str, _Terms] = {}
        self._aliases = _alias_words(self, aliases or {})
        self._alias_text = repr(sorted((aliases or {}).items()))

    def fingerprint(self) -> str:
        """Changes whenever any text could give other terms."""
        options = hashlib.sha256(self._alias_text.encode("utf-8", "surrogatepass")).hexdigest()
        aliases = f"+aliases-{options[:12]}" if self._aliases else ""
        return (
            f"{self.name}-{VERSION}{aliases}"
            f"/unicode-{unicodedata.unidata_version}/snowball-{stemmer_version()}"
        )

    def document(self, *, title: str, path: str, text: str) -> tuple[FieldTerms, ...]:
        """Terms of the text, and of title and path together."""
        return self._field(text), self._field(f"{title}\n{path}")

    def query(self, text: str) -> tuple[QueryWord, ...]:
        """Words of a query; stop words only when there is nothing else."""
        words: list[QueryWord] = []
        stops: list[QueryWord] = []
        for start, end, token, chunk in _tokens(text):
            if token.kind == "word":
                word = _query_word(text[start:end], token)
                if word is not None:
                    (stops if word.whole in STOP_WORDS else words).append(word)
            else:
                words.extend(_query_run(token, chunk))
        words = words or stops
        if not any(word.content for word in words):
            words = [QueryWord(w.surface, w.terms, w.whole, True) for w in words]
        return tuple(words)

    def spans(self, text: str) -> Iterator[Span]:
        """Leaves of a text with their terms, the leaf's own term first."""
        normal, starts, ends = aligned(text)
        for offset, chunk in _split(normal):
            for token in tokens(chunk):
                for start, end, terms in _token_spans(chunk, token):
                    start += offset
                    end += offset
                    if starts is not None and ends is not None:
                        start, end = starts[start], ends[end - 1]
                    yield Span(start, end, terms)

    def _field(self, text: str) -> FieldTerms:
        text = normalise(text)
        blanked = text.encode("utf-8", "surrogatepass").translate(_BLANKS)
        chunks = Counter(blanked.decode("utf-8", "surrogatepass").split())
        known = self._chunks
        tf: dict[str, int] = {}
        count = tf.get
        length = 0
        for chunk, n in chunks.items():
            try:
                terms, size = known[chunk]
            except KeyError:
                terms, size = self._chunk(chunk)
            length += size * n
            for term in terms:
                tf[term] = count(term, 0) + n
        return FieldTerms(tf, length)

    def _chunk(self, chunk: str) -> _Terms:
        core = chunk.lstrip("-,:'/&@\\#").rstrip("-.,:'/&@\\")
        if (
            core.isascii()
            and core.isalpha()
            and (core.isupper() or core[1:].islower() or len(core) == 1)
        ):
            # A plain word, perhaps with punctuation: the usual case, without patterns.
            result = self._chunks.get(core)
            if result is None:
                term = word_term(core)
                result = (term,), int(term not in STOP_WORDS)
                self._keep(core, result)
        else:
            result = _chunk_terms(chunk)
        self._keep(chunk, result)
        return result

    def _keep(self, chunk: str, result: _Terms) -> None:
        if len(chunk) > _MAX_CHUNK:
            return
        if len(self._chunks) >= _MAX_CHUNKS:
            self._chunks.clear()
        self._chunks[chunk] = result


def _chunk_terms(chunk: str) -> _Terms:
    """Terms of a chunk with repeats, and the length it adds to a field."""
    found: list[str] = []
    length = 0
    for token in tokens(chunk):
        if token.kind == "C":
            run = token.whole
            found.extend(run)
            found.extend(map(add, run, run[1:]))
            length += max(1, len(run) - 1)
        elif token.kind == "T":
            grams = _trigrams(token.whole)
            found.extend(grams)
            length += len(grams)
        else:
            for leaf in token.leaves:
                found.append(leaf.own)
                found.extend(leaf.wholes)
                found.extend(leaf.forms)
                length += leaf.own not in STOP_WORDS
    return tuple(found), length


def _token_spans(chunk: str, token: Token) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    start, run = token.start, token.whole
    if token.kind == "C":
        for at, character in enumerate(run):
            terms = (character,) if at + 1 == len(run) else (character, run[at : at + 2])
            yield start + at, start + at + 1, terms
    elif token.kind == "T":
        for at, gram in enumerate(_trigrams(run)):
            yield start + at, start + at + len(gram), (gram,)
    else:
        for leaf in token.leaves:
            yield leaf.start, leaf.end, (leaf.own, *leaf.wholes, *leaf.forms)


def _trigrams(run: str) -> list[str]:
    return [run[at : at + 3] for at in range(max(1, len(run) - 2))]


def _split(text: str) -> Iterator[tuple[int, str]]:
    """White-space-delimited chunks and where they begin."""
    at = 0
    for chunk in text.split():
        at = text.index(chunk, at)
        yield at, chunk
        at += len(chunk)


def _tokens(text: str) -> Iterator[tuple[int, int, Token, str]]:
    """Tokens of a text with their original places."""
    normal, starts, ends = aligned(text)
    for offset, chunk in _split(normal):
        for token in tokens(chunk):
            start, end = offset + token.start, offset + token.end
            if starts is not None and ends is not None:
                start, end = starts[start], ends[end - 1]
            yield start, end, token, chunk


def _query_word(surface: str, token: Token) -> QueryWord | None:
    if not token.leaves:
        return None
    whole = token.whole
    if len(token.leaves) == 1:
        own = token.leaves[0].own
        is_function = own in FUNCTION_WORDS or surface.lower() in FUNCTION_WORDS
        weight = FUNCTION_WEIGHT if is_function else 1.0
        terms = {whole: weight}
        terms.setdefault(own, weight * PART_WEIGHT)
        return QueryWord(surface, tuple(terms.items()), whole, not is_function)
    terms = {whole: 1.0}
    for leaf in token.leaves:
        if leaf.own not in STOP_WORDS:
            weight = FUNCTION_WEIGHT if leaf.own in FUNCTION_WORDS else 1.0
            terms.setdefault(leaf.own, weight * PART_WEIGHT)
        for part in leaf.wholes:
            terms.setdefault(part, PART_WEIGHT)
    return QueryWord(surface, tuple(terms.items()), whole, True)


def _query_run(token: Token, chunk: str) -> Iterator[QueryWord]:
    """A run of a script without spaces is as many words as it has grams."""
    run = token.whole
    if token.kind == "T":
        for gram in _trigrams(run):
            yield QueryWord(gram, ((gram, TRIGRAM_WEIGHT),), gram, True)
    elif len(run) == 1:
        yield QueryWord(run, ((run, UNIGRAM_WEIGHT),), run, True)
    else:
        for at in range(len(run) - 1):
            gram = run[at : at + 2]
            terms = [(gram, BIGRAM_WEIGHT), (gram[0], UNIGRAM_WEIGHT)]
            if at == len(run) - 2:
                terms.append((gram[1], UNIGRAM_WEIGHT))
            yield QueryWord(gram, tuple(terms), gram, True)


def _alias_words(
    analyzer: DefaultAnalyzer, aliases: Mapping[str, tuple[str, ...]]
) -> dict[tuple[str, ...], tuple[tuple[str, float], ...]]:
    """Aliases as wholes of their words -> extra terms."""
    return {}
