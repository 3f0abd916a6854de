"""Passages found quickly are those of a plain definition.

The reference here goes line by line and passage by passage; the package goes over the whole text
at once, keeps what it divided and looks closely at few passages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.analysis.normalise import fold, normalise
from memidx.search import pages as pages_module
from memidx.search.answer import Snippet
from memidx.search.blocks import Outline
from memidx.search.pages import UNSEEN, Facts, Kept, Page, Pages, lowered
from memidx.search.passages import snippets
from memidx.search.places import Finder, WordsOverlapError
from tests.support import make, snapshot_of

ANALYZER = get_analyzer("default")

PIECES = (
    *(
        "alpha",
        "beta",
        "gamma delta",
        "# H\n",
        "Setext\n===",
        "\n",
        "\n\n",
        "\n \t\n",
        " ",
        "| a |",
    ),
    *("```", "````", "~~~", "<!--", "-->", "---", "```py\n", "> ```\n", "x ```", "\u2028"),
    *("text", "| a |"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def blocks_by_line(text: str) -> list[str]:
    """What blank lines separate, but for those inside fences and comments; no front matter."""
    found: list[list[str]] = [[]]
    fence, in_comment = "", False
    for line in text.split("\n"):
        if line.strip() or fence or in_comment:
            found[-1].append(line)
        else:
            found.append([])
            continue
        rest = line
        if fence:
            marks = fence[0] + " \t>"
            if fence in line and not line.strip(marks):
                fence = ""
            continue
        while rest:
            if in_comment:
                _, closed, rest = rest.partition("-->")
                in_comment = not closed
                continue
            opening = re.search(r"```+|~~~+|<!--", rest)
            if opening is None:
                break
            mark = opening[0]
            rest = rest[opening.end() :]
            if mark == "<!--":
                in_comment = True
                continue
            before = line[: len(line) - len(rest) - len(mark)]
            if not before.strip(" \t>*+-") and not (mark[0] == "`" and "`" in rest):
                fence = mark
            break
    return [block for lines in found if (block := "\n".join(lines)).strip()]


# Words with and without spaces between, so that several guesses share what is analysed.
RUNS = [
    "alpha",
    "beta",
    "gamma",
    "alphabet",
    "alpha-beta",
    "betaAlpha",
    " ",
    " ",
    "/",
    "](",
    "|",
    "`",
    "<b>",
]


@given(
    st.lists(
        st.sampled_from([piece for piece in PIECES if "<!--" not in piece and "-->" not in piece]),
        max_size=40,
    )
    .map("".join)
    .filter(lambda text: not text.startswith("---"))
)
@example("```\n\n\n```\n\nx ```\n\n~~~\n\n```\n\n~~~\nlast")
@example("one\n\n````\n\n```\n\n````\n\ntwo")
def test_blocks_are_those_of_a_reader_of_lines(text: str) -> None:
    """Dividing the whole text at once gives what reading it line by line gives."""
    outline = Outline(text)
    pairs = zip(outline.starts, outline.ends, strict=True)
    assert [text[start:end] for start, end in pairs] == [
        block.rstrip() if n == last else block
        for blocks in [blocks_by_line(text)]
        for last in [len(blocks) - 1]
        for n, block in enumerate(blocks)
    ]


def spans_by_definition(outline: Outline) -> list[tuple[int, int]]:
    """Headings go with the first block below them that is none, unless it is no passage."""
    kinds = [outline.kind(number) for number in range(len(outline.starts))]
    spans = []
    for number, kind in enumerate(kinds):
        first = last = number
        if kind != "other":
            while kinds[last] == "heading" and last + 1 < len(kinds) and kinds[last + 1] != "other":
                last += 1
            while first and kinds[first - 1] == "heading":
                first -= 1
        spans.append((first, last))
    return spans


@given(TEXTS)
def test_spans_are_those_of_the_definition(text: str) -> None:
    """In whatever order blocks are asked about, headings go with the passage below."""
    expected = spans_by_definition(Outline(text))
    outline = Outline(text)
    for number in reversed(range(len(outline.starts))):
        assert outline.span(number) == expected[number]
        assert outline.first_of(number) == expected[number][0]


def shown_first(text: str, weights: dict[str, float]) -> set[tuple[int, int]] | None:
    """Lines of every passage whose distinct terms weigh most; None where no term stands."""
    outline = Outline(text)
    worth: dict[tuple[int, int], float] = {}
    for span in dict.fromkeys(spans_by_definition(outline)):
        start, end = outline.starts[span[0]], outline.ends[span[1]]
        terms = {term for found in ANALYZER.spans(text[start:end]) for term in found.terms}
        weight = sum(weights[term] for term in sorted(terms & set(weights)))
        line = 1 + text.count("\n", 0, start)
        share = 1.0 if outline.is_passage(span[0]) else 0.4
        worth[line, line + text.count("\n", start, end)] = weight * share
    most = max(worth.values(), default=0.0)
    return {lines for lines, value in worth.items() if value == most} if most else None


WORDS = st.lists(
    st.sampled_from(
        ["alpha ", "beta ", "gamma ", "other ", "\n", "\n\n", "# head\n\n", "| x |\n\n"]
    ),
    max_size=50,
).map("".join)


@given(WORDS, st.sets(st.sampled_from(["alpha", "beta", "gamma"]), min_size=1))
def test_first_snippet_is_of_the_best_passage(text: str, words: set[str]) -> None:
    """No passage holds terms that weigh more than those of the one that is shown first."""
    weights = {
        term: weight * worth
        for word, worth in zip(sorted(words), (1.0, 2.0, 4.0), strict=False)
        for one in ANALYZER.query(word)
        for term, weight in one.terms
    }
    best = shown_first(text, weights)
    found = list(snippets(Page(text), Finder(ANALYZER, weights), "", width=10_000))
    if best is not None:
        assert (found[0].line_start, found[0].line_end) == min(best)


@given(
    st.text(
        st.sampled_from("aZ.'É\u00e9жЖ\u0130ßＡ\u0301ا\ufe8dꭰ\u200b方가\u1112ﬁ\x00")
        | st.characters(codec="utf-8"),
        max_size=60,
    )
)
def test_lowered_is_one_character_for_each(text: str) -> None:
    """Folded alone where that is one character, marked or blank where it is not."""
    plain = lowered(text)
    assert len(plain) == len(text)
    for character, shown in zip(text, plain, strict=True):
        assert shown == lowered(character)
        if character.isascii():
            assert shown == character.lower()
        elif shown not in (UNSEEN, " "):
            assert shown == fold(normalise(character))


def test_pages_are_kept_within_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page not asked for longest goes first, and a page that went is made anew, the same."""
    snapshot = snapshot_of([make(f"{n}.md", f"text of {n}\n" + "x" * 1000) for n in range(4)])
    one = Page(snapshot.text(0)).size_bytes()
    monkeypatch.setattr(pages_module, "MAX_REMEMBERED_BYTES", 2 * one)
    pages = Pages()

    def page_of(doc: int) -> Page:
        return pages.page(snapshot.parts[0].segment, doc).page

    first, second = page_of(0), page_of(1)
    assert page_of(0) is first
    page_of(2)
    assert page_of(0) is first
    assert page_of(1) is not second
    assert page_of(1).text == second.text
    monkeypatch.setattr(pages_module, "MAX_REMEMBERED_BYTES", 0)
    assert page_of(3).text == snapshot.text(3)


def test_a_question_is_looked_at_once_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same terms and weights give what they gave; other weights are another question.

    So is a document that begins elsewhere in its file by now.
    """
    monkeypatch.setattr(pages_module, "MAX_ANSWERS", 2)
    kept = Kept(Page("text"), Facts("a.md", "a.md", "A", None, ()))
    asked: list[str] = []

    def ask(name: str, *question: tuple[str, float], begin: int = 1) -> tuple[Snippet, ...]:
        def find() -> Callable[[], Iterator[Snippet]]:
            asked.append(name)
            return lambda: iter([Snippet(name, 1, 1)])

        return kept.shown(question, begin, find).all()

    assert ask("a", ("t", 1.0)) == ask("again", ("t", 1.0)) == (Snippet("a", 1, 1),)
    assert ask("b", ("t", 2.0)) == (Snippet("b", 1, 1),)
    ask("c", ("u", 1.0))  # the first has to go
    ask("d", ("t", 1.0))
    ask("e", ("t", 1.0), begin=2)
    assert asked == ["a", "b", "c", "d", "e"]


@given(st.lists(st.sampled_from(RUNS), min_size=1, max_size=40))
def test_what_is_looked_at_late_is_what_is_looked_at_first(parts: list[str]) -> None:
    """Terms and places found one after another are those found all at once."""
    text = "".join(parts)
    finder = Finder(ANALYZER, {"alpha": 2.0, "beta": 1.0, "alpha-beta": 3.0, "gamma": 0.5})
    page = Page(text)
    guesses, cut = finder.guesses(page)
    assert not cut
    places = finder.places(page, [at for positions in guesses.values() for at in positions])
    assert finder.terms_at(page, guesses) == {term for place in places for term in place.terms}
    try:
        in_order = list(finder.places_in_order(page, guesses))
    except WordsOverlapError:
        return
    assert in_order == places
