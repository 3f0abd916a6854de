"""What counts as a term, by default?

Text is normalised (`normalise`), divided at white space into chunks, chunks into tokens and
tokens into leaves (`tokens`). This module turns those into field terms, query words and spans,
all three from the same tokens. docs/analysis.md says what is a term and what was measured.

A chunk's analysis depends on nothing around it, so an analyzer remembers it: most chunks of a
corpus are repeats, and a document costs a split, a count and a few look-ups.
"""

from __future__ import annotations

import unicodedata
from itertools import chain, pairwise

from memidx.analysis.base import NOT_COUNTED, QueryWord, Span
from memidx.analysis.inner import (
    APART,
    Joined,
    blanked,
    joined_words,
    may_join,
)
from memidx.analysis.normalise import aligned, fold, normalise
from memidx.analysis.parts import MAX_WHOLE, Parts
from memidx.analysis.stems import stemmer_version
from memidx.analysis.tokens import Token, apart, look_closely, only_word, plain_text, tokens
from memidx.analysis.vocabulary import FUNCTION_WORDS, STOP_WORDS
from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memidx.analysis.numbering import Numbers
    from memidx.analysis.pieces import FieldTerms, Spread, TermsInBulk

    _Words = list[QueryWord]

VERSION = 2
"""Raise it whenever any text could give other terms."""

FUNCTION_WEIGHT = 0.3
BIGRAM_WEIGHT = 0.4
UNIGRAM_WEIGHT = 0.3
TRIGRAM_WEIGHT = 0.4
PART_WEIGHT = 0.5
PARTS_WEIGHT = 1.0
"""What the parts of a compound weigh together, at most."""
NAME_PARTS_WEIGHT = 0.25
"""The same of an identifier: its parts are common words, and it is its own whole that is meant."""
ALIAS_WEIGHT = 0.4

_MAX_CHUNKS = 1 << 16
_MAX_CHUNK = 64
_MAX_SPANS = 1 << 14
_MAX_ASKED = 1 << 13

_BLANKS = bytes.maketrans(APART.encode(), b" " * len(APART))
_MAX_SPANNED = 1000  # the longest text that is divided so for spans


class DefaultAnalyzer:
    """Words of every script, compounds whole and in parts, stems, two fields."""

    name = "default"
    fields: tuple[str, ...] = ("words", "title")
    lengthless = STOP_WORDS

    def __init__(self, aliases: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self._parts = Parts()
        self.terms_of = _Chunks(self._parts)
        self._spans: dict[str, tuple[Span, ...]] = {}
        self._asked: dict[str, tuple[list[QueryWord], list[QueryWord]]] = {}
        self._aliases: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._aliases = self._alias_terms(aliases or {})
        self._longest_alias = max(map(len, self._aliases), default=0)

    def fingerprint(self) -> str:
        """Changes whenever any text could give other terms."""
        aliases = ""
        if self._aliases:
            import hashlib  # only where there is something to hash

            listed = repr(sorted(self._aliases.items())).encode("utf-8", "surrogatepass")
            aliases = f"+aliases-{hashlib.sha256(listed).hexdigest()[:12]}"
        return (
            f"{self.name}-{VERSION}{aliases}"
            f"/unicode-{unicodedata.unidata_version}/snowball-{stemmer_version()}"
        )

    def document(self, *, title: str, path: str, text: str) -> tuple[FieldTerms, ...]:
        """Terms of the text, and of title and path together."""
        from memidx.analysis.pieces import count_terms  # a query counts no document

        of_text, of_title = self.field_texts(title=title, path=path, text=text)
        return count_terms(self, of_text), count_terms(self, of_title)

    def field_texts(self, *, title: str, path: str, text: str) -> tuple[str, str]:
        """The text, and title and path together."""
        return text, f"{title}\n{path}"

    def pieces(self, text: str) -> Mapping[str, int]:
        """Chunks of a text; and the words that markup stands inside, each after a space."""
        from collections import Counter  # a query counts no document

        normal = normalise(text)
        data = normal.encode("utf-8", "surrogatepass")
        chunks = Counter(data.translate(_BLANKS).decode("utf-8", "surrogatepass").split())
        if may_join(data):
            chunks.update(f" {term}" for _, term in self._joined(normal))
        return chunks

    def spread(self, texts: Sequence[str]) -> Spread:
        """Chunks of texts, and the words that markup stands inside, as `pieces` has them."""
        from memidx.analysis.pieces import Spread  # see `document`

        # Only who builds a snapshot has so many.
        from memidx.analysis.spreading import joined_in_many, kinds_of, normalised

        data = normalised(texts)
        kinds = kinds_of(data)
        found = ((n, self._joined_term(word)) for n, word in joined_in_many(data, kinds))
        return Spread(data, kinds, [(n, f" {term}") for n, term in found if term])

    def terms_in_bulk(self, vocabulary: Numbers) -> TermsInBulk:
        """Terms of many pieces, in numbers."""
        # Only who builds a snapshot pays for numpy.
        from memidx.analysis.bulk import BulkTerms

        return BulkTerms(self._parts, self.terms_of.of_chunk, vocabulary).of

    def query(self, text: str) -> tuple[QueryWord, ...]:
        """Words of a query; stop words only when there is nothing else."""
        words: list[QueryWord] = []
        stops: list[QueryWord] = []
        if text.isascii() and "&" not in text and "<" not in text:  # nothing to normalise
            for chunk in text.split():
                of_chunk, stops_of_chunk = self._asked.get(chunk) or self._ask(chunk)
                words += of_chunk
                stops += stops_of_chunk
        else:
            normal, starts, ends = aligned(text)
            for offset, chunk in _split(normal):
                for token in tokens(chunk):
                    start, end = offset + token.start, offset + token.end
                    if starts is not None and ends is not None:
                        start, end = starts[start], ends[end - 1]
                    self._add_words(text[start:end], token, words, stops)
        words = self._with_aliases(words or stops) if self._aliases else words or stops
        if not any(word.content for word in words):
            words = [QueryWord(w.surface, w.terms, w.whole, True) for w in words]
        return tuple(words)

    def query_words(self, chunk: str) -> list[QueryWord] | None:
        """Words of a chunk of a query, without stop words; None where others may change them."""
        is_apart = chunk.isascii() and "&" not in chunk and "<" not in chunk and not self._aliases
        return (self._asked.get(chunk) or self._ask(chunk))[0] if is_apart else None

    def _ask(self, chunk: str) -> tuple[list[QueryWord], list[QueryWord]]:
        """Words and stop words of a chunk of a query, which are remembered."""
        words: list[QueryWord] = []
        stops: list[QueryWord] = []
        for token in tokens(chunk):
            self._add_words(chunk[token.start : token.end], token, words, stops)
        if len(chunk) <= _MAX_CHUNK:
            if len(self._asked) >= _MAX_ASKED:
                self._asked.clear()
            self._asked[chunk] = (words, stops)
        return words, stops

    def _add_words(self, surface: str, token: Token, words: _Words, stops: _Words) -> None:
        if token.kind != "word":
            words.extend(_run_words(token))
            return
        if (word := self._query_word(surface, token)) is not None:
            (stops if word.whole in STOP_WORDS else words).append(word)

    def _query_word(self, surface: str, token: Token) -> QueryWord | None:
        whole = fold(token.dotted) or self._parts.whole(token.text)
        if not whole:
            return None
        leaves = self._parts.leaves(token.text)
        if len(leaves) == 1 and whole == leaves[0].own:
            is_function = fold(token.text) in FUNCTION_WORDS or whole in FUNCTION_WORDS
            weight = FUNCTION_WEIGHT if is_function else 1.0
            return QueryWord(surface, ((whole, weight),), whole, not is_function)
        parts: dict[str, float] = {}
        for leaf in leaves:
            if leaf.own not in STOP_WORDS:
                parts.setdefault(leaf.own, FUNCTION_WEIGHT if leaf.own in FUNCTION_WORDS else 1.0)
            for part in leaf.wholes:
                parts.setdefault(part, 1.0)
        parts.pop(whole, None)
        # However many parts, together they weigh no more than the whole: a document that has
        # only the parts, but often, should not come before the one that has the compound.
        most = NAME_PARTS_WEIGHT if self._parts.is_identifier(token.text) else PARTS_WEIGHT
        share = min(PART_WEIGHT, most / max(1, len(parts)))
        terms = ((whole, 1.0), *((part, weight * share) for part, weight in parts.items()))
        return QueryWord(surface, terms, whole, True)

    def spans(self, text: str) -> Iterator[Span]:
        """Leaves of a text with their terms, the leaf's own term first."""
        known = self._spans.get(text)
        if known is not None:
            return iter(known)
        pieces = blanked(text) if len(text) <= _MAX_SPANNED else None
        return self._find_spans(text) if pieces is None else self._spans_by_piece(pieces)

    def _spans_by_piece(self, pieces: str) -> Iterator[Span]:
        """`_find_spans` of a short text whose pieces have their leaves wherever they stand.

        Passages ask for the same words again and again, but seldom with the same punctuation.
        """
        end = 0
        for piece in pieces.split():
            offset = pieces.index(piece, end)
            end = offset + len(piece)
            known = self._spans.get(piece)
            if known is None:
                known = self._spans_of(piece)
                if len(piece) <= _MAX_CHUNK:
                    if len(self._spans) >= _MAX_SPANS:
                        self._spans.clear()
                    self._spans[piece] = known
            if offset:
                for first, last, terms in known:
                    yield Span(first + offset, last + offset, terms)
            else:
                yield from known

    def _spans_of(self, piece: str) -> tuple[Span, ...]:
        word = only_word(piece)
        if word is None:
            return tuple(self._find_spans(piece))
        return tuple(
            [
                Span(start, end, (own, *wholes, *forms))
                for start, end, own, wholes, forms in self._parts.leaves(*word)
            ]
        )

    def _find_spans(self, text: str) -> Iterator[Span]:
        normal, starts, ends = aligned(text)
        for offset, chunk in _split(normal):
            joined = list(self._joined(chunk))
            for token in tokens(chunk):
                for start, end, terms in self._token_spans(token):
                    while joined and joined[0][0] < end:
                        terms += (joined.pop(0)[1],)
                    start += offset
                    end += offset
                    if starts is not None and ends is not None:
                        start, end = starts[start], ends[end - 1]
                    yield Span(start, end, terms)

    def _joined(self, normal: str) -> Iterator[tuple[int, str]]:
        """Terms of the words that markup stands inside, and where the words begin."""
        for word in joined_words(normal):
            if term := self._joined_term(word):
                yield word.start, term

    def _joined_term(self, word: Joined) -> str:
        """The term of a word that markup stands inside, if it is not found without."""
        term = self._parts.whole(word.text) if len(word.text) <= MAX_WHOLE else ""
        # `Vec`s is found by its first piece already.
        return "" if term in map(self._parts.whole, word.pieces) else term

    def _token_spans(self, token: Token) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        start, end, kind, text, dotted = token
        if kind == "C":
            for at, character in enumerate(text):
                pair = text[at : at + 2]
                terms = (character, pair) if len(pair) == 2 else (character,)
                yield start + at, start + at + 1, terms
        elif kind == "T":
            for at, gram in enumerate(_trigrams(text)):
                yield start + at, start + at + len(gram), (gram,)
        else:
            same_places = len(text) == end - start
            for leaf in self._parts.leaves(text):
                of_leaf = (leaf.own, *leaf.wholes, *leaf.forms)
                if dotted:
                    of_leaf += (fold(dotted),)
                    dotted = ""
                if same_places:
                    yield start + leaf.start, start + leaf.end, of_leaf
                else:
                    yield start, end, of_leaf

    def _with_aliases(self, words: list[QueryWord]) -> list[QueryWord]:
        """Words with the terms of their aliases, the longest alias first."""
        expanded = list(words)
        wholes = [word.whole for word in words]
        at = 0
        while at < len(words):
            for size in range(min(self._longest_alias, len(words) - at), 0, -1):
                extra = self._aliases.get(tuple(wholes[at : at + size]))
                if extra is not None:
                    word = words[at]
                    terms = dict(word.terms)
                    for term in extra:
                        terms.setdefault(term, ALIAS_WEIGHT)
                    expanded[at] = QueryWord(
                        word.surface, tuple(terms.items()), word.whole, word.content
                    )
                    break
            else:
                size = 1
            at += size
        return expanded

    def _alias_terms(
        self, aliases: Mapping[str, tuple[str, ...]]
    ) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Aliases by the wholes of their words; what a query looks for in addition."""
        return {
            tuple(word.whole for word in self.query(alias)): tuple(
                dict.fromkeys(word.whole for text in meanings for word in self.query(text))
            )
            for alias, meanings in aliases.items()
        }


class _Chunks(dict[str, tuple[str, ...]]):
    """Chunk -> its terms with repeats, and `NOT_COUNTED` for each that adds no length."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        terms = self.of_chunk(chunk)
        if len(chunk) <= _MAX_CHUNK:
            if len(self) >= _MAX_CHUNKS:
                self.clear()
            self[chunk] = terms
        return terms

    def of_chunk(self, chunk: str) -> tuple[str, ...]:
        """The terms of a chunk, which is not kept."""
        text = plain_text(chunk) if chunk.isascii() else ""
        if text:
            return (self._parts[text] if text.isalpha() else self._parts.divide(text)).terms
        if chunk[0] == " ":  # see DefaultAnalyzer.pieces
            term = chunk[1:]
            return (term,) if term in STOP_WORDS else (term, NOT_COUNTED)
        pieces = apart(chunk)
        if len(pieces) > 1:
            return tuple(chain.from_iterable(map(self.__getitem__, pieces)))
        return self._of_tokens(chunk)

    def _of_tokens(self, chunk: str) -> tuple[str, ...]:
        found: list[str] = []
        for token in look_closely(chunk):
            if token.kind == "C":
                run = token.text
                found.extend(run)
                if len(run) > 1:
                    found.extend([first + second for first, second in pairwise(run)])
                    found.extend([NOT_COUNTED] * len(run))
            elif token.kind == "T":
                found.extend(_trigrams(token.text))
            elif terms := self._parts[token.text].terms:
                found.extend(terms)
                if token.dotted:
                    found.extend((fold(token.dotted), NOT_COUNTED))
        return tuple(found)


def _trigrams(run: str) -> list[str]:
    return [run[at : at + 3] for at in range(max(1, len(run) - 2))]


def _split(text: str) -> Iterator[tuple[int, str]]:
    """White-space-delimited chunks and where they begin."""
    at = 0
    for chunk in text.split():
        at = text.index(chunk, at)
        yield at, chunk
        at += len(chunk)


def _run_words(token: Token) -> Iterator[QueryWord]:
    """A run of a script without spaces is as many words as it has grams."""
    run = token.text
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
