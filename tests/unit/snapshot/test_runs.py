"""Postings in many small runs, put aside in files, are those that were sorted at once."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.files import spooling
from memidx.files.spooling import IN_MEMORY, Scratch
from memidx.snapshot import inversion, runs, workers
from memidx.snapshot.builder import _file, build_snapshot, fold
from memidx.snapshot.derive import Delta, derive
from memidx.snapshot.inversion import Postings
from memidx.snapshot.rows import Placed, Rows, row_of
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot
from memidx.values import replace
from tests.support import make

_DEFAULT = get_analyzer("default")
_FACTS = {"build_id": "test", "analyzer": "test"}
_WORDS = st.sampled_from("alpha beta gamma file-lock the v2.1.9 naïve 部署 x U.S.A.".split())  # noqa: SIM905 - one a line would take a page
_META: list[dict[str, object]] = [{}, {"status": "superseded"}]
_TEXTS = st.lists(st.lists(_WORDS, max_size=12).map(" ".join), max_size=12)


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scratch:
    """A few postings make a run, a few are merged at once, and a few bytes go to a file."""
    monkeypatch.setattr(inversion, "_RUN", 7)
    monkeypatch.setattr(runs, "_MERGED", 5)
    monkeypatch.setattr(workers, "_CHUNK_CHARACTERS", 9)
    monkeypatch.setattr(spooling, "_PIECE_BYTES", 16)
    return Scratch(str(tmp_path))


def _placed(texts: list[str]) -> list[Placed]:
    return [
        Placed(
            replace(
                make(f"{n:02}.md", text, title=text[:5], source=f"s{n % 3}"), meta=_META[n % 2]
            ),
            f"{n:016}",
            1,
        )
        for n, text in enumerate(texts)
    ]


@given(texts=_TEXTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_many_runs_give_the_bytes_of_one(tiny: Scratch, texts: list[str]) -> None:
    """However few postings and bytes memory may hold."""
    whole = _whole(texts)
    assert b"".join(build_snapshot(_placed(texts), _DEFAULT, facts=_FACTS, scratch=tiny)) == whole


@given(texts=_TEXTS, edited=st.dictionaries(st.integers(0, 15), st.text("ab ", max_size=9)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_fold_in_pieces_gives_the_bytes_of_one(
    tiny: Scratch, texts: list[str], edited: dict[int, str]
) -> None:
    """Documents of base and overlay are interleaved, and some terms are gone."""
    after = {**dict(enumerate(texts)), **edited}
    placed = [Placed(make(f"{n:02}.md", text), f"{n:016}-{text}", 1) for n, text in after.items()]
    base = Segment(memoryview(_whole(texts)), "base")
    delta = Delta({one.document.doc_id: one for one in placed})
    made = derive(
        Snapshot.of(base), "key", delta, _DEFAULT, _FACTS, has=lambda _: True, scratch=tiny
    )
    overlay = Segment(memoryview(b"".join(made.pieces)), "overlay")
    folded = b"".join(fold(Snapshot.overlaid(base, overlay), _FACTS, tiny))
    in_order = sorted(placed, key=lambda one: one.document.doc_id)
    assert folded == b"".join(build_snapshot(in_order, _DEFAULT, facts=_FACTS))


@given(texts=_TEXTS, data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_documents_may_come_in_any_order(
    tiny: Scratch, texts: list[str], data: st.DataObject
) -> None:
    """They are put in order at the end, and those that do not count are left out."""
    placed = _placed(texts)
    came = data.draw(st.permutations(range(len(texts))))
    wanted = sorted(data.draw(st.sets(st.sampled_from(came)))) if came else []
    rows, postings = Rows(tiny), Postings(_DEFAULT.fields, tiny)
    arrivals = [placed[n] for n in came]
    for one in arrivals:
        rows.add(row_of(one))
    for counted in workers.analyse((_text(one) for one in arrivals), _DEFAULT):
        postings.add(counted)
    order = array("L", map(came.index, wanted))
    shuffled = _file(rows.ordered(order), postings.inverted(order), _DEFAULT.fields, _FACTS)
    expected = build_snapshot([placed[n] for n in wanted], _DEFAULT, facts=_FACTS)
    assert b"".join(shuffled) == b"".join(expected)


def _text(one: Placed) -> tuple[str, str, str]:
    return one.document.title, one.document.path, one.document.text


def _whole(texts: list[str]) -> bytes:
    """The bytes of one run that is nowhere but in memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inversion, "_RUN", 1 << 20)
        patch.setattr(runs, "_MERGED", 1 << 20)
        pieces = build_snapshot(_placed(texts), _DEFAULT, facts=_FACTS, scratch=IN_MEMORY)
        return b"".join(pieces)
