"""What is taken apart by hand, to spare a cold search `re`, is what a pattern would find.

Each pattern is the short definition; the package looks for the same with the methods of text.
"""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memidx.analysis.default import DefaultAnalyzer
from memidx.analysis.entities import _REFERENCE, has_entities, may_refer
from memidx.analysis.inner import blanked, may_join
from memidx.analysis.normalise import (
    _CYRILLIC_ACCENTS,
    _DROPPED_MARKS,
    _INVISIBLE,
    _LATIN_ACCENTS,
    _LATIN_EXTRA,
    _VARIANTS,
    _has_invisible,
    fold,
)
from memidx.analysis.parts import _runs, _split_at_joints, _split_at_points
from memidx.config.schema import SCHEMA
from memidx.search.blocks import (
    Outline,
    _front_matter,
    _is_badges,
    _is_heading,
    _without_tags,
)
from memidx.search.pages import Page
from memidx.search.parse import ParsedQuery, parse
from memidx.store import shard_prefix

BLANKS = st.sampled_from(["", " ", "\t", "\x1c", "\x85", "\u3000", "\r"])
LINES = st.builds(
    "{}{}{}".format,
    BLANKS,
    st.sampled_from(["", "a", "# h", "---", "+++", "...", "===", "k: v", "'k' : v", "#", "- x"]),
    BLANKS,
)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)


@given(TEXTS)
@example("a\n\n\nb\n \t\n\nc\n")
@example("\n \na\n\n")
def test_blank_lines_divide(text: str) -> None:
    """Blocks are what runs of blank lines separate, whatever kind of space those hold."""
    outline = Outline(text)
    if _front_matter(text):
        return
    lead = re.match(r"(?:[^\S\n]*+\n)+", text)
    begin = lead.end() if lead else 0
    pieces = re.split(r"\n(?:[^\S\n]*+\n)+", text[begin:])
    found = [text[a:b] for a, b in zip(outline.starts, outline.ends, strict=True)]
    assert found[:-1] == pieces[: len(found) - 1]
    assert [block for block in found if block] == [
        block for block in (*pieces[:-1], pieces[-1].rstrip()) if block
    ]


@given(TEXTS)
@example("---\ntitle : x\n---\n\ntext")
@example('--- \n\n"a-b":\n... \n')
@example("+++\n+++")
def test_front_matter(text: str) -> None:
    """Front matter begins at a rule before a key or a comment, and ends at the next rule."""
    at = 1 if text.startswith("\ufeff") else 0
    opening = re.compile(
        r"(?:---[^\S\n]*+\n\s*+(?:[\w\"'-]++[^\S\n]*+:|\#|---|\.\.\.)|\+\+\+[^\S\n]*+\n)"
    ).match(text, at)
    closing = re.compile(r"(?m)\n(?:---|\.\.\.|\+\+\+)[^\S\n]*+$").search(text, at + 3)
    expected = (at, closing.end()) if opening and closing else None
    assert _front_matter(text) == expected


@given(st.text("#a \t", max_size=10))
def test_headings(line: str) -> None:
    """A heading has one to six marks, then a space or nothing."""
    assert _is_heading(line) == bool(re.fullmatch(r"#{1,6}(?:[^\S\n][^\n]*+)?", line))


@given(st.lists(st.sampled_from(["[", "]", "(", ")", "!", ":", " ", "\n", "a"]), max_size=14))
@example(["![", "a (b)", "](", "c[d]", ")"])
@example(["![", "a]b", "](", "c", ")"])
@example(["![", "a", "](", "c)d", ")"])
def test_badges(pieces: list[str]) -> None:
    """Images, linked images and link definitions, and nothing else."""
    body = "".join(pieces).strip()
    image = r"!\[[^\[\]]{0,300}+\](?:\([^()\n]{0,1000}+\)|\[[^\[\]\n]{0,300}+\])?"
    left = re.sub(image, "", body)
    left = re.sub(r"\[\s*+\](?:\([^()\n]{0,1000}+\)|\[[^\[\]\n]{0,300}+\])", "", left)
    left = re.sub(r"(?m)^\[[^\[\]\n]{1,300}+\]:[^\n]*+$", "", left)
    if body:
        assert _is_badges(body) == (not left.strip())


@given(st.text("aA0m_C ", max_size=12))
@example("AAa")
@example("AAam")
@example("AAm")
@example("AA00a")
def test_names_are_divided_at_capitals(kinds: str) -> None:
    """By the kinds of their characters, as one pattern says it."""
    assert _runs(kinds) == re.findall("AA+a(?![am])|A+(?=A[am])|A?[am0]+|A+0*|0+", kinds)


@given(st.text("ab1٣:/@&'.", max_size=12))
def test_compounds_are_divided_at_joints(text: str) -> None:
    """At any of the loosest; at full stops that do not stand between digits."""
    assert _split_at_joints(text) == [p for p in re.split("[/@&]|::", text) if p]
    at_points = re.split(r"(?<!\d)\.|\.(?!\d)", text)
    assert _split_at_points(text) == [piece for piece in at_points if piece]


@given(st.text("ab'.Ⅷ ", max_size=16))
def test_marks_inside_words(text: str) -> None:
    """Apostrophes and full stops between letters, with these."""
    page = Page(text)
    at = [mark.start() for mark in re.finditer(r"(?<=[a-z])['.](?=[a-z])", page.plain)]
    found = {mark for mark in page.inner_marks if re.fullmatch(r"[a-z].[a-z]", mark)}
    assert found == {page.plain[n - 1 : n + 2] for n in at}


@given(st.text("&#x1lt;eacuA &", max_size=16))
@example("&#1114111;")
@example("x &#x10FFFF; y")
def test_a_reference_is_never_missed(text: str) -> None:
    """Where a character reference stands, a closer look is taken."""
    assert has_entities(text) == bool(re.search(_REFERENCE, text))
    assert may_refer(text) or not has_entities(text)


@given(st.text("ab1 .,_-/:&<>()`*\t\n\x1f;'#é", max_size=40))
def test_what_stands_between_blanks_has_its_words_anywhere(text: str) -> None:
    """A text that can be divided has the words of what it is divided into, where they stand."""
    pieces = blanked(text)
    if pieces is None:
        return
    assert len(pieces) == len(text)
    analyzer = DefaultAnalyzer()
    found = []
    for piece in re.finditer("[^ ]+", pieces):
        assert text[slice(*piece.span())] == piece[0]
        for start, end, terms in DefaultAnalyzer().spans(piece[0]):
            found.append((start + piece.start(), end + piece.start(), terms))
    assert found == [*analyzer._find_spans(text)]


@given(st.text("<>a\n", max_size=12))
def test_tags_are_what_brackets_hold(text: str) -> None:
    """A tag begins at the last bracket before its end."""
    assert _without_tags(text) == re.sub(r"<[^<>]*>", "", text)


@given(st.text("ab*=~`<>/ ", max_size=16))
def test_a_join_is_never_missed(text: str) -> None:
    """Where a mark of any kind stands between letters, a closer look is taken."""
    marked = re.search(r"\w(?:\*{1,3}|~~?|==|`)\w", text)
    assert may_join(text.encode()) or not marked


@given(st.text("abc g0159-.josnldx", max_size=12).map("docs{}".format))
@example("docs-0123456789abcdef0.jsonl")
@example("docs-.jsonl")
@example("docs.jsonl")
@example("docs-0a.jsonl")
def test_names_of_shards(name: str) -> None:
    """`docs.jsonl`, and with one to sixteen hexadecimal digits."""
    match = re.fullmatch(r"docs(?:-([0-9a-f]{1,16}))?\.jsonl", name)
    assert shard_prefix(name) == (None if match is None else match[1] or "")


@given(st.text("aé_.- 1\n", max_size=66))
@example("a" * 64)
@example("a" * 65)
def test_names_of_sources(name: str) -> None:
    """A word character, then 63 more at most, or full stops and hyphens."""
    valid = SCHEMA["sources"]["name"].valid
    assert valid(name) == bool(re.fullmatch(r"\w[\w.-]{0,63}", name))


@pytest.mark.parametrize("text", ["a  b", "what's the-budget?", " a\u3000b ", "a:b", ""])
def test_plain_questions(text: str) -> None:
    """Words alone are read as the whole language reads them."""
    assert parse(text) == ParsedQuery(text, " ".join(re.findall(r"\S+", text)))


@pytest.mark.parametrize("plane", range(0, 0x110000, 0x1000))
def test_invisible_characters(plane: int) -> None:
    """Each character by itself is invisible to the hand as it is to the pattern."""
    invisible = re.compile(_INVISIBLE)
    for code in range(plane, plane + 0x1000):
        assert _has_invisible(chr(code)) == bool(invisible.search(chr(code)))


@given(st.text("aé–•\u0301\u20d0\u05b0жеЁ\u0308\u0640٣ß", max_size=6))
def test_words_are_folded_by_the_same_rules(word: str) -> None:
    """Marks are looked for only where one may stand, and that leaves none out."""
    expected = unicodedata.normalize("NFD", word.casefold().translate(_VARIANTS))
    expected = re.sub(_DROPPED_MARKS, "", expected)
    expected = re.sub(_LATIN_ACCENTS, r"\1", expected)
    expected = re.sub(_CYRILLIC_ACCENTS, r"\1", expected).replace("е\u0308", "е")
    expected = unicodedata.normalize("NFC", expected).translate(_LATIN_EXTRA)
    assert fold(word) == "".join(str(int(c)) if c.isdecimal() else c for c in expected)
