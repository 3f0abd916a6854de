"""What a hit shows is found when somebody asks, and only as much as is asked for."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, asdict
from pathlib import Path

import pytest

import memidx
from memidx.search import passages
from memidx.search.answer import Hit, Shown, Snippet
from memidx.values import replace
from tests.cli.fakes import hit as full_hit

PIECES = [Snippet(f"piece {n}", n, n + 1) for n in (7, 3, 5)]
REST = {
    name: getattr(full_hit(), name)
    for name in Hit.__match_args__
    if name not in ("snippet", "snippets", "line_start", "line_end")
}


class Counted:
    """Gives the pieces, and counts how many it gave."""

    def __init__(self, *pieces: Snippet) -> None:
        self.pieces = pieces
        self.n_searches = self.n_given = 0

    def __call__(self) -> Iterator[Snippet]:
        """The pieces, one after another."""
        self.n_searches += 1
        for piece in self.pieces:
            self.n_given += 1
            yield piece


def test_snippets_are_found_one_by_one() -> None:
    """The first costs one, the rest what is left, and a second look nothing."""
    found = Counted(*PIECES)
    shown = Shown(found)
    assert found.n_searches == 0
    assert shown.first() == PIECES[0]
    assert (found.n_searches, found.n_given) == (1, 1)
    assert shown.all() == tuple(PIECES)
    assert (shown.first(), shown.all()) == (PIECES[0], tuple(PIECES))
    assert (found.n_searches, found.n_given) == (1, 3)


def test_nothing_to_show_is_found_once() -> None:
    """A document without a word to show is not looked through again."""
    found = Counted()
    shown = Shown(found)
    assert [shown.first(), shown.first(), shown.all()] == [None, None, ()]
    assert found.n_searches == 1


def test_who_asks_again_after_a_failure_gets_all() -> None:
    """What interrupts a search for snippets leaves no half of them behind."""
    fails = [True]

    def find() -> Iterator[Snippet]:
        yield PIECES[0]
        if fails:
            raise KeyboardInterrupt
        yield PIECES[1]

    shown = Shown(find)
    assert shown.first() == PIECES[0]
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            shown.all()
    fails.clear()
    assert shown.all() == tuple(PIECES[:2])


def test_threads_share_what_is_found() -> None:
    """However many ask at once, each gets all, and one search is made."""
    got = []

    def ask(shown: Shown, start: threading.Barrier) -> None:
        start.wait()
        got.append((shown.first(), *shown.all()))

    for _ in range(50):
        found = Counted(*PIECES)
        arguments = Shown(found), threading.Barrier(4)
        threads = [threading.Thread(target=ask, args=arguments) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert got[-4:] == [(PIECES[0], *PIECES)] * 4
        assert found.n_searches == 1


def test_an_open_hit_is_a_hit_like_others() -> None:
    """Compared, shown, copied, changed or put aside, it is as if all of it had been given."""
    whole = Hit(
        **REST,
        snippet="piece 7",
        snippets=tuple(PIECES),
        line_start=7,
        line_end=8,
    )

    def open_hit() -> Hit:
        return Hit.showing(Shown(Counted(*PIECES)), **REST)

    assert open_hit() == whole
    assert hash(open_hit()) == hash(whole)
    assert repr(open_hit()) == repr(whole)
    assert asdict(open_hit()) == asdict(whole)
    assert copy.copy(open_hit()) == copy.deepcopy(open_hit()) == whole
    assert pickle.loads(pickle.dumps(open_hit())) == whole
    assert replace(open_hit(), rank=9) == replace(whole, rank=9)
    with pytest.raises(FrozenInstanceError):
        open_hit().snippet = "another"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="score_of"):
        _ = open_hit().score_of  # type: ignore[attr-defined]


def test_a_hit_without_snippets_shows_its_title() -> None:
    """There is always something to read, but then no line that it stands on."""
    hit = Hit.showing(Shown(Counted()), **REST)
    assert (hit.snippet, hit.line_start, hit.line_end, hit.snippets) == (hit.title, None, None, ())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two notes and their store."""
    (tmp_path / "notes").mkdir()
    for name in "ab":
        text = f"# Locks of {name}\n\nThe lock of {name} times out.\n\nA lock is held.\n"
        (tmp_path / "notes" / f"{name}.md").write_text(text)
    memidx.build(
        [str(tmp_path / "notes")], root=str(tmp_path), store=str(tmp_path / "store"), env={}
    )
    return tmp_path


def test_a_search_reads_no_passage(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wants identities and scores alone does not wait for snippets."""
    looked: list[str] = []
    divide = passages._choose

    def counted(page, *arguments, **options):  # type: ignore[no-untyped-def]
        looked.append(page.text)
        return divide(page, *arguments, **options)

    monkeypatch.setattr(passages, "_choose", counted)
    with memidx.open(str(project / "store"), env={}) as index:
        first, second = index.search("lock", refresh=False).hits
        assert (looked, first.confidence) == ([], "reliable")
        assert "times out" in second.snippet
        assert len(looked) == 1
        assert len(second.snippets) > 1
        assert len(looked) == 1


def test_snippets_are_of_the_text_that_was_searched(project: Path) -> None:
    """Neither an edit, a build nor a closed index changes what an answer shows."""
    index = memidx.open(str(project / "store"), env={})
    before = index.search("lock").hits
    for name in "ab":
        (project / "notes" / f"{name}.md").write_text("# Other\n\nThe lock is another.\n")
    after = index.search("lock").hits
    memidx.build([str(project / "notes")], root=str(project), store=str(project / "store"), env={})
    index.close()
    assert all("times out" in hit.snippet for hit in before)
    assert all("another" in hit.snippets[0].text for hit in after)
