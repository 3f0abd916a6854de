"""Counting in bulk gives what one document after another gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memidx.analysis import ANALYZERS, get_analyzer
from memidx.snapshot import counting
from memidx.snapshot.counting import Columns, Counted, Counter, Text

_WORDS = st.sampled_from(
    [
        *"""the lock `Vec`tor **bold**word max_retries parseHTML 2.1.9 部署方案 ไทย café, is it 〜
        H<sub>2</sub>O <path>/a.py &eacute;t&eacute; 10,000 #(budget) a*b*c x==y==z U.S.A. .NET C++
        un~~do~~ state-of-the-art""".split(),  # noqa: SIM905 - one a line would take a page
        "\u2028",
        "\x1c",
    ]
)
_TEXTS = st.lists(st.one_of(_WORDS, st.text(max_size=8)), max_size=30).map(" ".join)


_Field = tuple[dict[str, int], int]  # tf, length


def _documents(
    texts: list[Text], name: str, batches: int
) -> list[list[tuple[dict[str, int], int]]]:
    """Terms and length of each document and field, as counted in bulk."""
    counter = Counter(get_analyzer(name))
    terms: list[str] = []
    found: list[list[_Field]] = []
    for batch in range(batches):
        counted = counter.count(texts[batch::batches])
        terms += _told(counted)
        rows = [_rows(column, terms) for column in counted.columns]
        found += [list(fields) for fields in zip(*rows, strict=True)]
    assert len(set(terms)) == len(terms)
    assert "" not in terms
    return found


def _told(counted: Counted) -> list[str]:
    return [*map(bytes.decode, counted.terms.split())]


def _rows(column: Columns, terms: list[str]) -> list[_Field]:
    rows, at = [], 0
    for count, length in zip(column.counts, column.lengths, strict=True):
        numbers = column.terms[at : at + count]
        assert len(set(numbers)) == count
        rows.append((dict(zip((terms[n] for n in numbers), column.tf[at:], strict=False)), length))
        at += count
    return rows


@pytest.mark.parametrize("name", ANALYZERS)
@given(texts=st.lists(st.tuples(_TEXTS, _TEXTS, _TEXTS), max_size=8), batches=st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_bulk_counts_are_those_of_each_document(name: str, texts: list[Text], batches: int) -> None:
    """Terms, occurrences and lengths are those of `Analyzer.document`, in any batches."""
    analyzer = get_analyzer(name)
    expected = [
        [(dict(field.tf), field.length) for field in analyzer.document(title=t, path=p, text=x)]
        for batch in range(batches)
        for t, p, x in texts[batch::batches]
    ]
    assert _documents(texts, name, batches) == expected


def test_forgotten_pieces_are_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of pieces that begin anew change no count."""
    texts = [("t", "p", f"lock file {n} lock") for n in range(6)]
    expected = _documents(texts, "default", 3)
    monkeypatch.setattr(counting, "_MAX_PIECES", 1)
    assert _documents(texts, "default", 3) == expected
    assert expected[0][0] == ({"lock": 2, "file": 1, "0": 1}, 4)


def test_an_analyzer_without_pieces_is_asked_for_each_document() -> None:
    """What cannot be taken apart is analysed document by document."""
    whole = get_analyzer("default")

    class Plain:
        name, fields = whole.name, whole.fields
        fingerprint, document = whole.fingerprint, whole.document
        query, spans = whole.query, whole.spans

    counted = Counter(Plain()).count([("title", "path.md", "file lock, file")])
    assert _told(counted)[:2] == ["file", "lock"]
    assert list(counted.columns[0].tf) == [2, 1]
    assert list(counted.columns[0].lengths) == [3]


_MARKED = st.lists(
    st.sampled_from(
        [
            *"*`~=<>/ \n\0_a1",
            "**",
            "***",
            "==",
            "b",
            "</b>",
            "<b>",
            "<sub>2</sub>",
            "word",
            "é",
            "~~",
        ]
    ),
    max_size=14,
).map("".join)


@given(texts=st.lists(_MARKED, min_size=1, max_size=6))
@settings(deadline=None, max_examples=300)
def test_words_with_markup_inside_are_found_in_many_texts(texts: list[str]) -> None:
    """Those of each text, with the text they are in."""
    analyzer = get_analyzer("default")
    counted = Counter(analyzer).count([("", "", text) for text in texts])
    expected = [analyzer.document(title="", path="", text=text)[0] for text in texts]
    rows = _rows(counted.columns[0], _told(counted))
    assert rows == [(dict(field.tf), field.length) for field in expected]
