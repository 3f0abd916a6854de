"""The best passages are packed into so many bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.cli.answer_format import render_answer
from memidx.errors import InputError
from memidx.search.answer import Answer, Hit, Problem, Snippet
from memidx.search.cursor import cursor_of
from memidx.search.nearest import Nearest
from memidx.search.suggestions import Suggestion
from tests.cli.fakes import answer, hit


def passages(*composites: float, size: int = 100) -> list[Hit]:
    """Hits of three passages each, of one size."""
    return [
        hit(
            rank,
            doc_id=f"{rank}.md",
            composite=composite,
            snippet=f"{rank}a" + "x" * size,
            snippets=tuple(Snippet(f"{rank}{n}" + "x" * size, 1, 2) for n in "abc"),
        )
        for rank, composite in enumerate(composites, start=1)
    ]


def shown(given: Answer, max_bytes: int) -> dict[int, int]:
    """Rank -> passages shown."""
    text = render_answer(given, "json", max_bytes=max_bytes).result
    assert len(text.encode()) + 1 <= max_bytes
    return {found["rank"]: len(found["snippets"]) for found in json.loads(text)["hits"]}


def test_more_passages_of_better_documents() -> None:
    """A second passage is worth half of the first: 0.9 0.45 0.225 and 0.3 0.15 0.075, so that the
    better document gives two before the other gives one.
    """
    given = answer(*passages(0.9, 0.3))
    whole = len(render_answer(given, "json", max_bytes=0).result.encode()) + 1
    order = [shown(given, n) for n in range(whole, 1200, -20)]
    steps = [step for n, step in enumerate(order) if n == 0 or step != order[n - 1]]
    assert steps == [{1: 3, 2: 3}, {1: 3, 2: 2}, {1: 3, 2: 1}, {1: 2, 2: 1}, {1: 2}, {1: 1}]


def test_equals_give_one_each_first() -> None:
    """Of documents that are as good as each other, all give their first before a second."""
    given = answer(*passages(0.5, 0.5, 0.5))
    seen = [shown(given, max_bytes) for max_bytes in range(1300, 4000, 50)]
    assert {1: 1, 2: 1, 3: 1} in seen
    assert all(len(found) == 3 or set(found.values()) == {1} for found in seen)


def test_the_rest_is_behind_the_cursor() -> None:
    """The cursor goes on behind the last hit that is shown, not behind the page."""
    page = cursor_of("build", "question", 10, "2026-11-30")
    given = answer(*passages(*[0.5] * 9), page=page, n_listed=40, n_matched=40)
    text = render_answer(given, "json", max_bytes=4000).result
    found = json.loads(text)
    n_shown = len(found["hits"])
    assert 1 <= n_shown < 9
    assert found["cursor"] == str(page._replace(offset=10 + n_shown))
    assert f"{9 - n_shown} more hits of this page" in found["notes"][-1]
    assert json.loads(render_answer(given, "json", max_bytes=0).result)["cursor"] == str(
        page._replace(offset=19)
    )


def test_markdown_names_the_cursor_and_packs_passages() -> None:
    """Prose has one passage a hit, and more of them where a caller says what it may cost."""
    page = cursor_of("build", "question", 0, "2026-11-30")
    given = answer(*passages(0.5), page=page, n_listed=3)
    assert "More: --cursor 1.1." in render_answer(given, "md").result
    assert "1bx" not in render_answer(given, "md").result
    assert "1bx" in render_answer(given, "md", max_bytes=4000).result


def test_the_frame_makes_room_for_the_hits() -> None:
    """What was skipped, the terms and a long question are shortened before a hit is lost."""
    given = answer(
        *passages(0.5),
        text="word " * 800,
        terms=tuple(f"word{n}" for n in range(500)),
        skipped=tuple(Problem(f"{n}.md", "why " * 50) for n in range(20)),
        n_skipped=700,
        n_by_source={f"source{n}": 1 for n in range(300)},
        notes=("a long note " * 50,) * 9,
    )
    text = render_answer(given, "json", max_bytes=2500).result
    found = json.loads(text)
    assert len(text.encode()) < 2500
    assert len(found["hits"]) == 1
    assert (found["n_skipped"], found["verdict"]) == (700, "hits")


def test_a_first_passage_is_cut_before_the_hit_is_lost() -> None:
    """A long passage gives its beginning."""
    given = answer(*passages(0.5, size=5000))
    found = json.loads(render_answer(given, "json", max_bytes=1500).result)
    snippet = found["hits"][0]["snippet"]
    assert "1ax".startswith(snippet[:3])
    assert 0 < len(snippet) < 1000


texts = st.text(max_size=300)
hits = st.builds(
    lambda rank, text, title, tags, composite: hit(
        rank,
        snippet=text,
        snippets=(Snippet(text, 1, 1), Snippet(title, 2, 3)),
        title=title,
        tags=tuple(tags),
        composite=composite,
    ),
    st.integers(1, 99),
    texts,
    texts,
    st.lists(texts, max_size=3),
    st.floats(0, 2),
)
answers = st.builds(
    lambda found, text, words, notes: answer(
        *found,
        text=text,
        terms=tuple(words),
        excluded=tuple(words),
        also=tuple(words),
        notes=tuple(notes),
        suggestions=tuple(Suggestion(word, (word,)) for word in words),
        nearest=tuple(Nearest(word, word, word) for word in words),
        skipped=tuple(Problem(word, word) for word in words),
        n_by_source=dict.fromkeys(words, 1),
        sources_failed=tuple(Problem(word, word, None, word) for word in words),
    ),
    st.lists(hits, max_size=4),
    texts,
    st.lists(texts, max_size=4),
    st.lists(texts, max_size=4),
)


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "md", "files"])
@given(given=answers, max_bytes=st.integers(1, 5000))
def test_nothing_passes_the_bound(form: str, given: Answer, max_bytes: int) -> None:
    """The output is within its bytes with at least its first hit, or it is refused."""
    try:
        text = render_answer(given, form, max_bytes=max_bytes).result
    except InputError as error:
        needed = int((error.expected or "").split()[0])
        assert needed > max_bytes
        return
    assert len(text.encode("utf-8", "surrogatepass")) + 1 <= max_bytes
    if form == "json":
        found = json.loads(text)["hits"]
        assert [one["rank"] for one in found] == [one.rank for one in given.hits][: len(found)]
        assert bool(found) == bool(given.hits)
