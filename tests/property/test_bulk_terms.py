"""Chunks that are taken apart together have the terms that each has by itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.analysis.base import NOT_COUNTED
from memidx.analysis.bulk import BulkTerms
from memidx.analysis.default import DefaultAnalyzer
from memidx.analysis.numbering import Numbers, Words

_LEAVES = st.sampled_from(
    [
        "a",
        "A",
        "b2",
        "2024",
        "05",
        "01",
        "1",
        "10",
        "000",
        "word",
        "Words",
        "HTML",
        "parseHTML",
        "parseHTMLResponse",
        "iPhone",
        "PhD",
        "APIs",
        "xPath",
        "U",
        "S",
        "e",
        "g",
        "f32",
        "16GB",
        "2nd",
        "sha256",
        "v2",
        "20240501T100000Z",
        "name",
        "the",
        "The",
        "of",
        "file_name",
        "__init__",
        "_private",
        "__",
        "_",
        "é",
        "café",
        "部署",
        "naïve",
        "C",
        "ab",
        "C99",
        "x86",
        "mm256",
        "aBcDeFgHiJkLmNoP",
        "MixedCase2Name",
    ]
)
_JOINTS = st.sampled_from([*"/@&:.-'_,#+\\*", "::", "...", ".,", "++", "\\_", ":::", "--", "->"])
_CHUNKS = st.one_of(
    st.lists(st.one_of(_LEAVES, _JOINTS), min_size=1, max_size=9).map("".join),
    st.text("aA1_./:@&'-,#+\\é", min_size=1, max_size=12),
    st.text("aAbB_", min_size=90, max_size=130),
    # Names of code, and what looks like them; a few as long as those that are not divided any more.
    st.text("abAB", min_size=1, max_size=12),
    st.lists(st.sampled_from(["Get", "HTML", "IDs", "x", "A", "the", "this"]), max_size=24).map(
        "".join
    ),
    st.text("aA0T", min_size=1, max_size=12),
    # Words and numbers beside each other: units, ordinals, times, and more than a term may hold.
    st.lists(
        st.sampled_from(
            [
                *["0", "12", "20240501", "100000", "9" * 60, "1" * 230, "T", "Z", "st", "ND"],
                *["GB", "kHz", "mm", "the", "The", "x", "abcdef", "a" * 60],
            ]
        ),
        min_size=1,
        max_size=6,
    ).map("".join),
    st.text(min_size=1, max_size=6),
).map(lambda text: "".join(text.replace("\0", "").split()))


def _check(chunks: list[str]) -> None:
    analyzer = get_analyzer("default")
    assert isinstance(analyzer, DefaultAnalyzer)
    vocabulary = Numbers()
    bulk = BulkTerms(analyzer._parts, analyzer.terms_of.of_chunk, vocabulary)
    # Half of them and all of them, so that some are known already.
    for some in (chunks[::2], chunks):
        encoded = [chunk.encode("utf-8", "surrogatepass") for chunk in some]
        terms, sizes = bulk.of(Words.of(encoded))
        assert len(sizes) == len(some)
        assert sizes.sum() == len(terms)
        # The last of them is number -1.
        names = [*map(bytes.decode, vocabulary.since(0).split()), NOT_COUNTED]
        rest = [names[number] for number in terms.tolist()]
        for chunk, size in zip(some, sizes.tolist(), strict=True):
            assert sorted(rest[:size]) == sorted(analyzer.terms_of[chunk]), chunk
            rest = rest[size:]


@given(chunks=st.lists(_CHUNKS.filter(bool), max_size=12, unique=True))
@settings(deadline=None, max_examples=500)
def test_many_chunks_have_the_terms_of_each(chunks: list[str]) -> None:
    """As often as each has them, and so has what adds no length."""
    _check(chunks)


def test_usual_chunks_of_every_shape() -> None:
    """Those that most compounds of a corpus look like, and those that only seem to."""
    _check(
        [
            "word,",
            "Word.",
            "(max_retries)",
            "memidx/max_retries.py",
            "../cpp/types-of-expressions.md",
            "std::span",
            "AFXHTML/CHtmlEditCtrlBase::GetFontSize",
            "_mm256_storeu_pd",
            "__cplusplus",
            "__",
            "_x_",
            "2.1.9",
            "v2.1.9-rc1",
            "3.11",
            "1.x",
            "e.g.",
            "U.S.A",
            "Ph.D",
            "a.b",
            "2024-05-01",
            "24-7",
            "10_000",
            "state-of-the-art",
            "don't",
            "O'Reilly",
            "C#",
            "C++",
            ".NET",
            "foo,bar",
            "10,000",
            "a:b",
            "#anchor",
            "a#b",
            "\\_x",
            "\\n",
            "16GB",
            "sha256",
            "20240501T100000Z",
            "f32",
        ]
    )
