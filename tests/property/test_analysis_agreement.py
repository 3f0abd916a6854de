"""Documents, queries and spans are analysed alike, whatever the text."""

from __future__ import annotations

import unicodedata
from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.analysis.base import Analyzer
from memidx.analysis.default import DefaultAnalyzer
from memidx.analysis.normalise import aligned, fold, normalise
from memidx.analysis.token_patterns import look_closely, plain_text
from memidx.analysis.tokens import tokens

ANALYZER = get_analyzer("default")

# Characters that take part in every rule: joints, markup, cases, digits, marks, jamo, half-width
# forms, invisible characters, scripts without spaces.
PIECES = st.sampled_from(
    [
        *"aAbBzZ019_-./:@&'#+\\,*|<>()[]{}\"`~=$%!? \n\t",
        *("Http", "JSON", "get", "the", "'s", "n't", "e.g.", "U.S.", "v2.1.9", "10,000", "C++"),
        *("C#", ".NET", "__init__", "\\_", "::", "--", "2024-05-01T10", "<path>", "<secret>"),
        *("**", "~~", "==", "<b>", "</b>", "<sub>", "</sub>", "&amp;", "&eacute;", "&#39;"),
        *("&#x301;", "&lt;", "Ph.", "1_000", "&sum;"),
        *"…½éßİıŁ\u2019\u2013\u2011ﬁ①ｆＡ𝐛²\u00ad\u200b\u200d\ufe0f\ufeff\u0301\u0308\u0345",
        *"память ёй部署方かサーｶﾞ한국\u1112\u1161\u11a8ภาษาำ่ລາວမြန်កខ",
        *"مُحكـی٣שָׁקक़ड़ांᾳΣς🎉🇩🇪\udc80\x00\x85\u2028\u3000\u0e33\u1160\u3164",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=30))


def words_of(analyzer: Analyzer, text: str) -> dict[str, int]:
    """Terms of a text's words field."""
    return dict(analyzer.document(title="", path="", text=text)[0].tf)


@given(TEXTS)
@example("C#.NET::__-__ \u0301x'sn't")
@example("**bold**word un**do** `a`b`c`d <b>x</b><i>y</i>z s'**b**c `Vec`s __**a**b ***d***e")
@example("10,000**abc**x U.S.**ab**cd \u0301**ab**cd .NET**ab** 部**ab**cd署 **a**nd")
def test_spans_equal_document(text: str) -> None:
    """The terms of all spans are the terms of the document, as often."""
    spans = Counter(term for span in ANALYZER.spans(text) for term in span.terms)
    assert dict(spans) == words_of(ANALYZER, text)


@given(TEXTS)
@example("'word.'")
@example("_a-b::c/d.e@f")
@example("C++17/CLI,.NET.C# a.b.c x10,000 2024-05-01T10:00 ::a:::b .x++y")
def test_short_cut_agrees(text: str) -> None:
    """What is found without the pattern, by hand or by a smaller one, a close look finds."""
    for chunk in normalise(text).split():
        closely = list(look_closely(chunk))
        assert tokens(chunk) == closely
        if chunk.isascii() and (plain := plain_text(chunk)):
            assert [token.text for token in closely] == [plain]


@given(TEXTS)
def test_spans_of_pieces_are_spans_of_the_text(text: str) -> None:
    """What is divided at blanks and remembered by piece lies where the whole text has it."""
    analyzer = DefaultAnalyzer()
    expected = list(analyzer._find_spans(text))
    assert list(analyzer.spans(text)) == expected
    assert list(analyzer.spans(text)) == expected  # as remembered


@given(TEXTS)
def test_spans_lie_in_the_text_in_order(text: str) -> None:
    """Spans are inside the original text, not empty, and begin in reading order."""
    at = 0
    for span in ANALYZER.spans(text):
        assert at <= span.start < span.end <= len(text)
        assert span.terms
        assert all(span.terms)
        at = span.start


@given(TEXTS)
def test_document_finds_itself(text: str) -> None:
    """Every word of a text, used as a query, has its whole term in the text's document."""
    held = words_of(ANALYZER, text)
    for word in ANALYZER.query(text):
        assert word.whole in held
        assert word.whole in dict(word.terms)
        assert all(term in held for term, _ in word.terms)
        assert all(0 < weight <= 1 for _, weight in word.terms)


@given(TEXTS)
def test_remembering_changes_nothing(text: str) -> None:
    """An analyzer that has seen much says the same as a fresh one."""
    fresh = get_analyzer("default")
    assert fresh.document(title="", path="", text=text) == ANALYZER.document(
        title="", path="", text=text
    )
    assert fresh.query(text) == ANALYZER.query(text)


@given(TEXTS)
def test_unicode_forms_agree(text: str) -> None:
    """NFC and NFD spellings of a text have the same terms."""
    nfc = words_of(ANALYZER, unicodedata.normalize("NFC", text))
    assert words_of(ANALYZER, unicodedata.normalize("NFD", text)) == nfc


@given(TEXTS, TEXTS)
def test_white_space_divides(left: str, right: str) -> None:
    """Two texts with a line between them have the terms of both: nothing reaches across."""
    both = Counter(words_of(ANALYZER, left)) + Counter(words_of(ANALYZER, right))
    assert words_of(ANALYZER, f"{left} x {right}") == dict(both + Counter("x"))


@given(TEXTS)
def test_aligned_equals_normalise(text: str) -> None:
    """The normalised text with places is the normalised text, and places never go back."""
    normal, starts, ends = aligned(text)
    assert normal == normalise(text)
    if starts is not None and ends is not None:
        assert len(starts) == len(ends) == len(normal)
        assert starts == sorted(starts)
        assert all(a < b for a, b in zip(starts, ends, strict=True))
    else:
        assert len(normal) == len(text)


@given(TEXTS)
def test_fold_is_idempotent(text: str) -> None:
    """Folding a folded word changes nothing."""
    once = fold(normalise(text))
    assert fold(once) == once


@given(TEXTS)
def test_length_is_between_zero_and_all_terms(text: str) -> None:
    """A field is never longer than the number of its terms."""
    words = ANALYZER.document(title="", path="", text=text)[0]
    assert 0 <= words.length <= sum(words.tf.values())
