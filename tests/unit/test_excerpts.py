"""Lines of a document, by the place a hit names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.errors import InputError
from memidx.excerpts import excerpt, find_document, near_names, read_place
from memidx.results import Excerpt
from memidx.snapshot.builder import build_snapshot
from memidx.snapshot.overlaid import lay_over
from memidx.snapshot.rows import Placed
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot
from tests.support import make, snapshot_of

NOTES = [
    Placed(make("docs/a.md", "one\ntwo\nthree\nfour\n"), "", 1),
    Placed(make("log.md#1.0", "first\nrelease"), "", 3),
    Placed(make("log.md#2.0", "second\nrelease"), "", 10),
    Placed(make("git:repo#abc", "subject"), "", 1),
    Placed(make("odd:3", "a name with a colon"), "", 1),
]


def world() -> Snapshot:
    """Documents that begin at several lines."""
    placed = sorted(NOTES, key=lambda one: one.document.doc_id)
    facts = {"build_id": "test", "analyzer": "test"}
    data = b"".join(build_snapshot(placed, get_analyzer("default"), facts=facts))
    return Snapshot.of(Segment(memoryview(data), "test"))


def got(place: str, **options: int) -> Excerpt:
    """An excerpt of that world."""
    return excerpt(world(), ["store"], place, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("place", "text", "lines", "next_line"),
    [
        ("docs/a.md", "one\ntwo\nthree\nfour\n", (1, 4), None),
        ("docs/a.md:3", "three\nfour\n", (3, 4), None),
        ("docs/a.md:2:2", "two\nthree\n", (2, 3), 4),
        ("docs/a.md:9", "", (9, 8), None),
        ("log.md#2.0", "second\nrelease\n", (10, 11), None),
        ("log.md#2.0:11", "release\n", (11, 11), None),
        ("log.md:11", "release\n", (11, 11), None),
        ("log.md:4", "release\n", (4, 4), None),
        ("log.md:1", "first\nrelease\n", (3, 4), None),
        ("log.md", "first\nrelease\n", (3, 4), None),
        ("git:repo#abc:1:1", "subject\n", (1, 1), None),
        ("odd:3", "a name with a colon\n", (1, 1), None),
    ],
)
def test_a_place_gives_its_lines(
    place: str, text: str, lines: tuple[int, int], next_line: int | None
) -> None:
    """Line numbers are those of the file; a path alone is its first document."""
    found = got(place)
    assert (found.text, (found.line_start, found.line_end)) == (text, lines)
    assert found.next_line == next_line


def test_options_go_before_the_place() -> None:
    """A line that is given counts, whatever the place says."""
    assert got("docs/a.md:1:1", line=2).text == "two\n"
    assert got("docs/a.md", line=2, count=2).text == "two\nthree\n"


def test_the_bound_cuts_between_lines_and_says_where_to_read_on() -> None:
    """`two` would be the twelfth byte and more."""
    found = got("docs/a.md", max_bytes=8)
    assert (found.text, found.next_line, found.is_line_cut) == ("one\ntwo\n", 3, False)


def test_one_long_line_is_cut_inside_but_not_inside_a_character() -> None:
    """Two bytes a letter, one for the line end."""
    found = excerpt(snapshot_of([make("a.md", "äöüäöü")]), ["store"], "a.md", max_bytes=8)
    assert (found.text, found.is_line_cut) == ("äöü\n", True)


def test_an_unknown_name_gives_near_ones() -> None:
    """The file's name elsewhere, a part of a path, a slip."""
    snapshot = world()
    assert near_names(snapshot, "a.md") == ("docs/a.md",)
    assert near_names(snapshot, "old/a.md#x") == ("docs/a.md",)
    assert near_names(snapshot, "lgo.md") == ("log.md",)
    assert near_names(snapshot, "zebra.txt") == ()
    found = got("logs.txt:7")
    assert (found.doc_id, found.near, found.text) == ("", ("log.md",), "")


def test_the_nearest_store_is_read() -> None:
    """A run's own version masks the shared one; what only the farther has is read there."""
    near = snapshot_of([make("a.md", "near")])
    far = snapshot_of([make("a.md", "far"), make("b.md", "only far")])
    layered = lay_over([near, far])
    assert excerpt(layered, ["n", "f"], "a.md").text == "near\n"
    found = excerpt(layered, ["n", "f"], "b.md")
    assert (found.text, found.store) == ("only far\n", "f")


@pytest.mark.parametrize("options", [{"line": 0}, {"count": 0}, {"max_bytes": 1}])
def test_numbers_out_of_range_are_refused(options: dict[str, int]) -> None:
    """Lines count from one."""
    with pytest.raises(InputError, match="out of range"):
        got("docs/a.md", **options)
    with pytest.raises(InputError, match="out of range"):
        got("docs/a.md:0")


@given(st.text())
def test_no_place_raises(place: str) -> None:
    """Whatever is asked for is there or is not."""
    wanted = read_place(place)
    assert place.startswith(wanted.name)
    snapshot = snapshot_of([make("a.md", "x")])
    assert (find_document(snapshot, place) is None) == (place != "a.md")
    near_names(snapshot, place)
