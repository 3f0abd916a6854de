"""What is taken apart by hand, to spare a cold search `re`, is what a pattern would find.

Each pattern is the short definition; the package looks for the same with the methods of text.
"""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memidx.analysis.beyond_ascii import _LATIN_EXTRA, _VARIANTS, _invisible, _runs, normalised
from memidx.analysis.default import DefaultAnalyzer
from memidx.analysis.entities import _ACCENTS, _NAMED, entities, unescape
from memidx.analysis.inner import _hits, joined_words
from memidx.analysis.normalise import fold, may_refer, unicode_version
from memidx.analysis.parts import Parts, _is_in_thousands, _split_at_joints, _split_at_points
from memidx.analysis.parts import _runs as names_of
from memidx.analysis.shapes import shape
from memidx.analysis.token_patterns import look_closely
from memidx.analysis.tokens import blanked, may_join, tokens
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
@example(["![a](b)", "\n", "c"])
@example(["![a](b)", "\n", "![c", "\n", "d](e)"])
@example(["[![a](b)](c)", "\n"])
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
    assert names_of(kinds) == re.findall("AA+a(?![am])|A+(?=A[am])|A?[am0]+|A+0*|0+", kinds)


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


REFERENCE = re.compile(
    f"&(#[0-9]{{1,7}}|#[xX][0-9A-Fa-f]{{1,6}}|{'|'.join(_NAMED)}|[A-Za-z](?:{'|'.join(_ACCENTS)}));"
)


def meaning(match: re.Match[str]) -> str:
    """What a character reference stands for."""
    name = match[1]
    if name[0] == "#":
        code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
        return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else " "
    return _NAMED.get(name) or name[0] + _ACCENTS[name[1:]]


@given(st.text("&#x1٣lt;eacuA_ &", max_size=16))
@example("&#1114111;")
@example("&#11141110;")
@example("x &#x10FFFF; y &#xD800;")
@example("&#0;&#x0;&amp;amp;&Eacute;&éacute;")
@example("&amp&lt;&a&amp;")
def test_references_are_what_a_pattern_finds(text: str) -> None:
    """Character references by hand are those of one pattern, and none is missed at a glance."""
    expected = [(*match.span(), meaning(match)) for match in REFERENCE.finditer(text)]
    assert [*entities(text)] == expected
    assert unescape(text) == REFERENCE.sub(meaning, text)
    assert may_refer(text) or not expected


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


INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)


@pytest.mark.parametrize("plane", range(0, 0x110000, 0x1000))
def test_invisible_characters(plane: int) -> None:
    """Each character by itself is invisible to the hand as it is to the pattern."""
    for code in range(plane, plane + 0x1000):
        assert bool(_invisible(chr(code))) == bool(INVISIBLE.search(chr(code)))


@given(st.text("a\u00ad\u200b\ufeff\U000e0001é", max_size=12), st.integers(0, 300))
@example("".join(map(chr, range(0xE0000, 0xE0100))), 1)
def test_invisible_characters_are_dropped(text: str, padding: int) -> None:
    """From short and long texts, few and many of them."""
    text += "-" * padding
    expected = INVISIBLE.sub("", text)
    assert normalised(text) == expected


@given(st.text("ab é—\U0001f600", max_size=16))
def test_runs_beyond_ascii(text: str) -> None:
    """What is not ASCII, and the character before it."""
    pattern = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
    assert [*_runs(text)] == [match.span() for match in pattern.finditer(text)]


DROPPED_MARKS = (
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0656-\u065f\u0670"
    "\u06d6-\u06ed\u093c\u09bc\u0a3c\u0abc\u0b3c\u20d0-\u20f0]"
)
LATIN_ACCENTS = "([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+"
CYRILLIC_ACCENTS = "([\u0400-\u052f])[\u0300\u0301]+"


def folded(word: str) -> str:
    """`fold`, by patterns."""
    expected = unicodedata.normalize("NFD", word.casefold().translate(_VARIANTS))
    expected = re.sub(DROPPED_MARKS, "", expected)
    expected = re.sub(LATIN_ACCENTS, r"\1", expected)
    expected = re.sub(CYRILLIC_ACCENTS, r"\1", expected).replace("е\u0308", "е")
    expected = unicodedata.normalize("NFC", expected).translate(_LATIN_EXTRA)
    return "".join(str(int(c)) if c.isdecimal() else c for c in expected)


@given(st.text("aé–•\u0301\u20d0\u05b0жеЁ\u0308\u0640٣ß", max_size=6))
def test_words_are_folded_by_the_same_rules(word: str) -> None:
    """Marks are looked for only where one may stand, and that leaves none out."""
    assert fold(word) == folded(word)


@pytest.mark.parametrize("plane", [*range(0, 0x3000, 0x1000), 0xF000])
def test_each_character_is_folded_by_the_same_rules(plane: int) -> None:
    """By itself, behind a Latin and behind a Cyrillic letter."""
    for code in range(plane, plane + 0x1000):
        for word in (chr(code), f"e{chr(code)}", f"е{chr(code)}\u0301"):
            assert fold(word) == folded(word)


def test_the_version_of_unicode() -> None:
    """What is said of this Python's Unicode is what `unicodedata` says."""
    assert unicode_version() == unicodedata.unidata_version


@given(st.text("abA1_—“éÉ\u093eก中.,:'-+#/\\", max_size=12))
@example("casts—for")
@example("\\_In\\_")
@example("\\_\\_")
@example(".\\_é")
def test_tokens_by_hand(chunk: str) -> None:
    """A chunk has the tokens of the patterns, whatever stands between its words."""
    assert tokens(chunk) == [*look_closely(chunk)]


@given(st.text("1230٣_\\", max_size=10).map("1_{}".format))
@example("1_000")
@example("12_000_000")
@example("1234_000")
def test_numbers_in_thousands(text: str) -> None:
    """`1_000` is a number, and `1_00` two."""
    assert _is_in_thousands(text) == bool(re.fullmatch(r"\d{1,3}(?:_\d{3})+", text))


@given(st.text("vA1٣.", max_size=10))
@example("v2.1.9")
@example("2.1.9b")
@example("armv8.0")
@example("1..2")
@example("1.2.v3.")
def test_versions(text: str) -> None:
    """Letters, numbers between full stops, letters and digits."""
    kinds = shape(text)
    match = re.fullmatch(r"([Aa]*)((?:0+\.)+0+)[Aa0]*", kinds)
    if "." not in text:
        return
    part = Parts()._version(text, kinds)
    if match is None:
        assert (part.own, part.forms) == (fold(text), ())
    elif match.end(1) and text[: match.end(1)] not in ("v", "V"):
        assert part.pieces == (text[: match.end(1)], text[match.end(1) :])
    else:
        assert part.own == fold(text[match.end(1) :])
        prefix = fold(text[match.start(2) : match.end(2)])
        assert all(form == prefix or prefix.startswith(form + ".") for form in part.forms)


LETTER = r"[^\x00-/:-@\[-^`{-\x7f]"
INLINE = "(?:a|abbr|b|code|del|em|font|i|ins|kbd|mark|s|small|span|strong|sub|sup|tt|u)"
TAG = f"</?{INLINE}>"
MARKS = [
    rf"\*(?<={LETTER}\*)\**(?={LETTER})",
    f"`(?<={LETTER}`)(?={LETTER})",
    f"~(?<={LETTER}~)~?(?={LETTER})",
    f"==(?<={LETTER}==)=*(?={LETTER})",
    f"<(?<={LETTER}<)/?{INLINE}>(?:{TAG})*(?={LETTER})",
]
WORD = "[Aa0m_]+"
RUN = rf"""(?x)
        (?: (?<![Aa0m_*~=`'./&@:+\\-])(?P<head>{WORD}) | (?<![Aa0m_*~=`\\]) )
        (?P<mark>\*{{1,3}}|~~?|==|`) {WORD} (?P=mark)
        (?: (?:{WORD})? (?P=mark) {WORD} (?P=mark) )*
        (?P<tail>{WORD})? (?![Aa0m_*~=`])
        | (?: (?<![Aa0m_OE'./&@:+\\-]) | (?<![Aa0m_OE])(?=[OE]) )
        [OE]* {WORD} (?: [OE]+ {WORD} )+ [OE]*
        """


def joined(chunk: str) -> list[tuple[int, str, tuple[str, ...]]]:
    """`joined_words` of a chunk, by patterns."""
    kinds = shape(chunk)
    if "</" in chunk:
        for tag in re.finditer(TAG, chunk):
            marks = ("E" if tag[0][1] == "/" else "O") * len(tag[0])
            kinds = kinds[: tag.start()] + marks + kinds[tag.end() :]
    found = []
    for match in re.finditer(RUN, kinds):
        words = [word.span() for word in re.finditer(WORD, kinds[: match.end()])]
        words = [span for span in words if span[0] >= match.start()]
        pieces = tuple(chunk[start:end] for start, end in words)
        word, mark = "".join(pieces), match["mark"]
        if not mark:
            is_word = "E" in match[0] and not word.isdecimal()
        elif len(word) < 3 or word.isdecimal():
            is_word = False
        elif match["head"] and match["tail"]:
            is_word = mark in ("`", "~", "~~") or (
                mark == "**" and word.isalpha() and len(word) > 5
            )
        else:
            is_word = True
        if len(pieces) > 1 and is_word:
            found.append((words[0][0], word, pieces))
    return found


MARKUP = st.lists(
    st.sampled_from(
        ["a", "Bc", "1", "_", "é", "*", "**", "`", "~", "~~", "=", "==", "<b>", "</b>", "</strong>",
         "<x>", "<", ">", "/", "-", "\\", " ", "."]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@given(MARKUP)
@example("a*a**a*")
@example("CXX*xxxx*")
@example("`Vec`s")
@example("H</b><b>2</b>O")
@example("**bold**word")
@example("a`b``c`d")
def test_words_that_markup_stands_inside(text: str) -> None:
    """The words of the patterns, in every chunk that has markup between letters."""
    marks = MARKS if "</" in text else MARKS[:-1]
    hits = sorted(hit.start() for mark in marks for hit in re.finditer(mark, text))
    assert _hits(text) == hits
    expected, at = [], 0
    for hit in hits:
        if hit >= at:
            start = text.rfind(" ", 0, hit) + 1
            at = (text + " ").find(" ", hit)
            expected += [(start + n, *rest) for n, *rest in joined(text[start:at])]
    assert [*joined_words(text)] == expected
