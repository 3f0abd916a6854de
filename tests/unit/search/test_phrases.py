"""Exact phrases, whatever the punctuation between their words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.analysis.base import Span
from memidx.search.phrases import Wording, fold, holds_phrase

DEFAULT = get_analyzer("default")

# What texts are made of, where the two readings could part ways.
_SCRAPS = (
    "a b A B aB 1 2 * ** ` ~~ == <b> </b> <sub> &amp; &eacute; _ - . ' / ]( ) [ é ß 가 部 ท ﬁ İ ½"
)
SCRAPS = st.lists(
    st.sampled_from([*_SCRAPS.split(), " ", "\n", "\u0301", "\u200b", "\0", "<path>"]), max_size=14
).map("".join)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Grade 4: Week 1", "grade 4 week 1"),
        ("v2.1.9-9-g3bf04290 fixes 1.0.21", "1.0.21"),
        ("v2.1.9-9-g3bf04290", "2.1.9"),
        ("see ADR-0017 and uteke-cloud-dev", "ADR-0017"),
        ("see ADR-0017 and uteke-cloud-dev", "uteke-cloud-dev"),
        ("a café here", "cafe"),
        (unicodedata.normalize("NFD", "학점인정"), "학점인정"),
        ("把部署方案写好", "部署方案"),
        ("call atomic_write_json now", "atomic write json"),
        ("``max_retries``", "max_retries"),
    ],
)
def test_phrase_is_found(text: str, phrase: str) -> None:
    """Case, accents, forms and punctuation do not hide a phrase."""
    assert holds_phrase(fold(text), fold(phrase))


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("the filelocks hold", "file lock"),
        ("lock the file", "file lock"),
        ("weekend 1", "week"),
        ("release 12.1.90", "2.1.9"),
    ],
)
def test_phrase_is_not_found_inside_other_words(text: str, phrase: str) -> None:
    """A phrase is whole words in their order, and numbers are whole numbers."""
    assert not holds_phrase(fold(text), fold(phrase))


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("is **R**epresentational state", "Representational state"),
        ("a **bold**word here", "boldword here"),
        ("a **bold**word here", "a bold word"),
        ("a **bold**word here", "word here"),
        ("run `Vec`s twice", "vecs twice"),
        ("drink H<sub>2</sub>O daily", "drink H2O daily"),
        ("a <b>strong</b>hold", "stronghold"),
        ("x<b>b</b><i>i</i> end", "xbi end"),
        ("the <b>return value</b> of", "the return value of"),
        ('the <a href="x y">return</a> value', "the return value"),
        ("the [return value](../a_b.md) of", "return value of"),
        ('the [return](a.md "say this") value', "return value"),
        ("a caf&eacute; in town", "café in town"),
        ("from AT&amp;T now", "AT&T now"),
        ("we don&#39;t know", "don't know"),
        ("we dont know", "don't know"),
        ("we don't know", "dont know"),
        ("a café in town", "caf&eacute; in"),
        ("parseHTMLResponse", "html response"),
        ("parseHTMLResponse now", "parse HTML response now"),
        ("camelCase", "camel case"),
        ("camel case", "camelCase"),
        ("RFC2119 says", "rfc 2119 says"),
        ("see RFC 2119", "RFC2119"),
        ("the 10,000 files", "10000 files"),
        ("the 10000 files", "the 10,000 files"),
        ("a Ph.D. thesis", "PhD thesis"),
        ("by O'Reilly Media", "OReilly media"),
        ("by OReilly Media", "O'Reilly media"),
        ("made in the U.S. today", "US today"),
        ("Alice's camelCase", "alice's camel case"),
        ("das **Stra**ße hier", "strasse hier"),
        ("데이터베이스를 백업", "데이터베이스"),
        ("部**署**方案 parseJSON", "部署方案 parse json"),
        ("การทดสอบระบบ parseJSON", "ระบบ parse json"),
        ("हिन्दीमें **स्मृ**ति parseJSON", "स्मृति parse json"),
        ("# getUserName\n\nreturns it", "user name returns"),
    ],
)
def test_phrase_is_found_as_the_analyzer_reads_the_text(text: str, phrase: str) -> None:
    """Markup, references and the way a name is joined do not hide a phrase."""
    assert Wording(DEFAULT, phrase).stands_in(text)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("he runs fast", "running"),
        ("runningGames", "run games"),
        ("runs fast", "run s fast"),
        ("run s fast", "runs fast"),
        ("run's fast", "runs fast"),
        ("file lock", "filelock"),
        ("file-lock", "filelock"),
        ("the filelocks hold", "file lock"),
        ("see therapistName", "the rapist name"),
        ("camelCased", "camel case"),
        ("aCamelCase", "camel cas"),
        ("caseCamel", "camel case"),
        ("camel. A case", "camel case"),
        ("a *b* c", "abc"),
        ("a*b*c", "abc"),
        ("parse the HTMLResponse", "parse html"),
        ("Alice's camelCase", "alice camel case"),
        ("vector<int> size", "vector size"),
        ("RFC21190", "rfc 2119"),
        ("RFC2119", "rfc 211"),
        ("caf&eacute;s", "café"),
        ("", "camel case"),
    ],
)
def test_phrase_stays_exact(text: str, phrase: str) -> None:
    """Every letter counts, no word is stemmed, and words end where the analyzer says."""
    assert not Wording(DEFAULT, phrase).stands_in(text)


@pytest.mark.parametrize("phrase", ["", "...", "&nbsp;", "<b>", "\u0301", "\0", "**", "-"])
def test_phrase_without_words_does_not_raise(phrase: str) -> None:
    """What has no word says nothing about a text, whatever the answer."""
    assert Wording(DEFAULT, phrase).stands_in("some text") in (True, False)


def test_the_published_analyzer_reads_words_its_own_way() -> None:
    """`ascii-compat` divides no names, so a phrase does not stand in one."""
    published = get_analyzer("ascii-compat")
    assert Wording(published, "camel case").stands_in("a camel case")
    assert not Wording(published, "camel case").stands_in("camelCase")


def test_long_texts_without_spaces_are_read_once() -> None:
    """A blob that holds the letters at many places costs no more than reading it."""
    read: list[str] = []

    class Counting:
        name, fields = DEFAULT.name, DEFAULT.fields
        fingerprint, document, query = DEFAULT.fingerprint, DEFAULT.document, DEFAULT.query

        def spans(self, text: str) -> Iterator[Span]:
            read.append(text)
            return DEFAULT.spans(text)

    blob = "xxIsAxx" * 300
    assert not Wording(Counting(), "is a").stands_in(blob)
    assert read.count(blob) == 1


@given(SCRAPS, SCRAPS)
def test_what_stands_as_written_is_found(text: str, phrase: str) -> None:
    """The quick refusals before a reading never refuse what the reading would find."""
    if holds_phrase(fold(text), fold(phrase)):
        assert Wording(DEFAULT, phrase).stands_in(text)


@given(SCRAPS, SCRAPS, SCRAPS)
def test_what_is_found_has_the_letters(before: str, phrase: str, behind: str) -> None:
    """A text holds itself between spaces; without one of its letters it is not found."""
    wording = Wording(DEFAULT, phrase)
    assert wording.stands_in(f"{before} {phrase} {behind}")
    assert not Wording(DEFAULT, f"{phrase} z").stands_in(f"{before} {phrase} {behind}")


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_text_raises(text: str, phrase: str) -> None:
    """Every text can be read for every phrase, lone surrogates too."""
    assert Wording(DEFAULT, phrase).stands_in(text) in (True, False)
