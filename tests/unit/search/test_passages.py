"""Passages and snippets: what a reader sees of a document."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.search.answer import Snippet
from memidx.search.beginnings import passages
from memidx.search.blocks import Outline
from memidx.search.pages import Page
from memidx.search.passages import snippets
from memidx.search.places import Finder

ANALYZER = get_analyzer("default")


def shown(text: str, query: str, title: str = "A title", line_offset: int = 0) -> list[Snippet]:
    """Snippets of a text for a query, each term worth its weight."""
    weights = {term: weight for word in ANALYZER.query(query) for term, weight in word.terms}
    return list(snippets(Page(text), Finder(ANALYZER, weights), title, line_offset))


def holds(text: str, query: str) -> bool:
    """Whether a text has a term of a query."""
    wanted = {term for word in ANALYZER.query(query) for term, _ in word.terms}
    return any(term in wanted for span in ANALYZER.spans(text) for term in span.terms)


def bounds(text: str) -> list[tuple[int, int, str]]:
    """Passages as (first line, last line, text)."""
    return [(p.line_start, p.line_end, text[p.start : p.end]) for p in passages(Outline(text))]


def test_paragraphs_have_line_ranges() -> None:
    """Blank lines divide, also such as hold spaces; lines count from 1."""
    text = "\n\none\ntwo\n  \n\nthree\n"
    assert bounds(text) == [(3, 4, "one\ntwo"), (7, 7, "three")]


def test_heading_belongs_to_the_passage_below() -> None:
    """ATX and setext headings, several in a row; one with nothing below stands alone."""
    assert bounds("# A\n\n## B\n\ntext\n\nmore") == [(1, 5, "# A\n\n## B\n\ntext"), (7, 7, "more")]
    assert bounds("Title\n=====\n\ntext") == [(1, 4, "Title\n=====\n\ntext")]
    assert bounds("text\n\n# End") == [(1, 1, "text"), (3, 3, "# End")]


@pytest.mark.parametrize(
    "noise",
    [
        "[![build](https://x.org/b.svg)](https://x.org) ![cov](https://x.org/c.svg)",
        "[![build][b]][c]\n[![cov][d]][e]",
        '<p align="center"><img src="logo.png"></p>',
        "<!-- a comment\n\nwith a blank line -->",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "a | b\n--- | ---\n1 | 2",
        "---",
        "* * *",
        "[b]: https://x.org/b.svg",
    ],
)
def test_noise_is_no_passage(noise: str) -> None:
    """Badges, comments, bare tables, rules and link definitions are not passages."""
    assert [text for _, _, text in bounds(f"first\n\n{noise}\n\nlast")] == ["first", "last"]


@pytest.mark.parametrize(
    "matter", ["---\ntitle: x\ntags: [a]\n---", "+++\ntitle = 'x'\n+++", "---\nn: 1\n\nm: 2\n..."]
)
def test_front_matter_is_no_passage(matter: str) -> None:
    """Front matter is set aside, blank lines and all, and lines still count from the top."""
    n_lines = matter.count("\n") + 1
    text = f"{matter}\nfirst\n\nlast"
    assert bounds(text) == [
        (n_lines + 1, n_lines + 1, "first"),
        (n_lines + 3, n_lines + 3, "last"),
    ]


def test_letterhead_between_rules_is_text() -> None:
    """What stands between rules but is no mapping stays a passage."""
    assert bounds("---\nDear reader\n---\n\nmore")[0][2] == "---\nDear reader\n---"


def test_fenced_code_is_one_passage() -> None:
    """Blank lines and `#` lines in a fence divide nothing; a longer fence holds shorter ones."""
    code = "````\n# not a heading\n\n```\n\nx = 1\n````"
    assert [text for _, _, text in bounds(f"before\n\n{code}\n\nafter")] == [
        "before",
        code,
        "after",
    ]


def test_only_noise_still_shows_something() -> None:
    """A document of nothing but a table has that as its passage."""
    assert bounds("| a | b |\n|---|---|") == [(1, 2, "| a | b |\n|---|---|")]
    assert shown("<!-- nothing here -->", "absent")[0].text == "<!-- nothing here -->"


def test_snippet_is_the_passage_with_the_terms() -> None:
    """The passage that holds most of the query comes first, with its lines."""
    text = "# Notes\n\nAbout locks.\n\n## Timeouts\n\nA file lock times out.\n\nOther things."
    first = shown(text, "file lock timeout", line_offset=10)[0]
    assert first == Snippet("## Timeouts\n\nA file lock times out.", 15, 17)


def test_at_most_three_each_adds_terms() -> None:
    """Further snippets show the terms not shown yet, before repeats of those shown."""
    text = "alpha one\n\nalpha two\n\nalpha three\n\nbeta four\n\ngamma five"
    texts = [snippet.text for snippet in shown(text, "alpha beta gamma")]
    assert sorted(texts) == ["alpha one", "beta four", "gamma five"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("prose\n\n| needle | 2 |\n|---|---|\n| 3 | 4 |", "needle"),
        ("prose\n\n<!-- needle -->", "needle"),
        ("---\nneedle: 3\n---\nprose", "needle"),
        ("prose\n\n[![needle](https://x.org/b.svg)](https://x.org)", "needle"),
        ("# needle\n\n| a | b |\n|---|---|", "needle"),
        ("prose\n\n[needle]: https://x.org", "needle"),
        ("other alpha\n\n| needle |\n|---|\n\nalpha again", "alpha needle"),
    ],
)
def test_term_only_in_noise_is_shown(text: str, query: str) -> None:
    """A term that stands nowhere else is shown from the table, comment or front matter."""
    assert any("needle" in snippet.text for snippet in shown(text, query))


def test_title_only_match_shows_the_title() -> None:
    """When the text has no term of the query and the title has, the title is shown."""
    assert shown("nothing of it\n\nhere", "lock", title="The file lock") == [
        Snippet("The file lock", 1, 1)
    ]


def test_no_match_shows_the_beginning() -> None:
    """A document found by its path, or by vector, shows its first passage."""
    assert shown("first words\n\nlast", "absent") == [Snippet("first words", 1, 1)]
    assert shown("", "absent", title="Empty") == [Snippet("Empty", 1, 1)]


@pytest.mark.parametrize(
    ("surface", "query"),
    [
        ("Retries", "retry"),
        ("hoping", "hope"),
        ("dying", "die"),
        ("parseHTMLResponse", "response"),
        ("max\\_retries", "max_retries"),
        ("v2.1.9-rc", "2.1"),
        ("10,000", "10000"),
        ("U.S.A.", "usa"),
        ("O\u2019Reilly", "oreilly"),
        ("sha256", "256"),
        ("C++17", "C++"),
        (".NET", ".net"),
        ("cafe\u0301", "café"),
        ("résumé", "resume"),
        ("re\u0301sume\u0301", "resume"),
        ("cut\u200bover", "cutover"),
        ("ﬁle", "file"),
        ("Ｆｉｌｅ", "file"),
        ("𝐛𝐨𝐥𝐝", "bold"),
        ("İstanbul", "istanbul"),
        ("Straße", "strasse"),
        ("памяти", "памяти"),
        ("Ёлка", "елка"),
        ("部署方案", "方案"),
        ("ｻｰﾊﾞｰ", "サーバー"),
        ("학점인정", "인정"),
        ("\u1112\u1161\u11a8\u110c\u1165\u11b7", "학점"),
        ("ติดตั้งโปรแกรม", "โปรแกรม"),
        ("الكتاب", "كتاب"),
        ("كِتَابٌ", "كتاب"),
        ("क़लम", "कलम"),
        ("कार्यों", "कार्य"),
        ("שָׁלוֹם", "שלום"),
    ],
)
def test_snippet_holds_the_surface(surface: str, query: str) -> None:
    """Whatever form a word has, the snippet is the passage it stands in, characters unchanged."""
    filler = "\n\n".join(f"paragraph {n} says little" for n in range(5))
    text = f"{filler}\n\nhere is ({surface}), in original form\n\n{filler}"
    found = shown(text, query)
    assert found[0].text == f"here is ({surface}), in original form"
    assert found[0].line_start == found[0].line_end == 11


@pytest.mark.parametrize(
    "word",
    ["caf&eacute;*<b>bo</b>ld|pack(show)**imife", "nk](http://ex.org/pack?x=1&y=2)</b>`CAF`E"],
)
def test_a_word_that_only_the_whole_text_shows(word: str) -> None:
    """Analysed as a piece it is another one: what the whole text says is believed."""
    for text in (f"n\n\n{word}", f"n\n\n{'more ' * 60}{word} {'more ' * 60}"):
        (snippet,) = shown(text, "cafe")
        assert word in snippet.text
        assert snippet.line_start == 3


def test_long_passage_is_cut_around_the_terms() -> None:
    """A snippet has at most 240 characters, whole words, and the terms that stand together."""
    words = " ".join(f"word{n}" for n in range(400))
    text = f"{words} alpha {words} alpha beta {words}"
    (snippet,) = shown(text, "alpha beta")
    assert len(snippet.text) <= 240
    assert "alpha beta" in snippet.text
    assert f" {snippet.text} " in f" {text} "


def test_cut_never_splits_a_character() -> None:
    """Combining marks, emoji sequences and flags stay whole at both ends of a snippet."""
    for filler in ("e\u0301", "👩\u200d💻", "🇩🇪", "👍🏽", "क्ष", "ก\u0e49"):
        text = filler * 300 + " needle " + filler * 300
        snippet = shown(text, "needle")[0].text
        assert "needle" in snippet
        assert len(snippet) <= 240
        before, after = snippet.split(" needle ")
        assert before in ("", filler * (len(before) // len(filler)))
        assert after.startswith(filler * (len(after) // len(filler)))
        assert filler.startswith(after[len(filler) * (len(after) // len(filler)) :])


def test_very_long_word_is_shown_from_its_beginning() -> None:
    """A word longer than a snippet is shown as far as it goes."""
    word = "x" * 1000
    assert shown(f"before {word} after", word)[0].text == "x" * 240


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "lorem ipsum " * (n // 12),
        lambda n: "ab,c1;" * (n // 6),
        lambda n: " " * n,
        lambda n: "\n" * n,
        lambda n: "\n " * (n // 2),
        lambda n: "![[" * (n // 3),
        lambda n: "<" * n,
        lambda n: "<!--" * (n // 4),
        lambda n: "```\n" * (n // 4),
        lambda n: "~~~x" * (n // 4),
        lambda n: "# x\n\n" * (n // 5),
        lambda n: "|a|b\n" * (n // 5),
        lambda n: "_" * n,
        lambda n: "a." * (n // 2),
        lambda n: "e\u0301" * (n // 2),
        lambda n: "部署方案" * (n // 4),
        lambda n: "كتاب " * (n // 5),
        lambda n: "needle " * (n // 7),
        lambda n: "needless" * (n // 8),
    ],
)
def test_one_line_of_a_megabyte_does_not_hang(make: Callable[[int], str]) -> None:
    """Time grows with the text, not with its square: ten times the text, far from 100 times."""
    small, large = make(20_000) + " needle", make(200_000) + " needle"
    shown(small, "needle")  # what is remembered is remembered before the clock starts

    def cost(text: str) -> float:
        begin = time.process_time()
        assert holds(shown(text, "needle")[0].text, "needle")
        return time.process_time() - begin

    assert cost(large) < 40 * min(cost(small), cost(small)) + 0.5


TEXTS = st.lists(
    st.sampled_from(
        [
            *("alpha", "beta", "Gamma", "# H", "\n", "\n\n", " ", "| a |", "<!--", "-->", "```"),
            *("---", "café", "cafe\u0301", "部署", "памяти", "👩\u200d💻", "\u0301", ".", "-"),
            "alpha_beta",
        ]
    ),
    max_size=40,
).map("".join)


@given(TEXTS, st.sampled_from(["alpha", "beta gamma", "cafe", "部署", "памяти alpha", "absent"]))
def test_every_snippet_holds_a_term_where_one_exists(text: str, query: str) -> None:
    """If the analyzer indexes the text under a term of the query, each snippet shows one."""
    found = shown(text, query, title="")
    if holds(text, query):
        assert found
        assert all(holds(snippet.text, query) for snippet in found)
    for snippet in found:
        assert snippet.text in text
        assert len(snippet.text) <= 240
        assert 1 <= snippet.line_start <= snippet.line_end <= text.count("\n") + 1
    assert len(found) <= 3


@given(TEXTS)
def test_passages_are_in_order_and_apart(text: str) -> None:
    """Passages do not overlap, are not blank, and their lines are those of the text."""
    at = 0
    for passage in passages(Outline(text)):
        assert at <= passage.start < passage.end <= len(text)
        assert text[passage.start : passage.end].strip()
        assert passage.line_start == text.count("\n", 0, passage.start) + 1
        assert passage.line_end >= passage.line_start
        at = passage.end
