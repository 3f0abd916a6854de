"""Runs and judgements that go to other tools, and come back."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.errors import InputError
from memidx.evals import write_run
from memidx.evals.measures import measure
from memidx.evals.trec import read_run, spaced, spaceless, write_qrels


def test_a_run_file_has_six_columns_and_falling_scores(tmp_path: Path) -> None:
    """Rank and score say the same order."""
    path = tmp_path / "out.run"
    n_lines = write_run({"q1": ["b", "a"], "q2": [], "q3": ["a"]}, str(path))
    assert n_lines == 3
    assert path.read_text(encoding="utf-8").splitlines() == [
        "q1 Q0 b 1 2 memidx",
        "q1 Q0 a 2 1 memidx",
        "q3 Q0 a 1 1 memidx",
    ]


def test_files_measure_in_another_tool_like_the_run(tmp_path: Path) -> None:
    """Another tool that reads run and judgements gets our figures."""
    run = {"q": [f"d {i}" for i in range(500)]}
    qrels = {"q": {"d 7": 1, "d 400": 2, "d 3": 0}}
    write_run(run, str(tmp_path / "out.run"))
    write_qrels(qrels, str(tmp_path / "out.qrels"))
    judged = list(ir_measures.read_trec_qrels(str(tmp_path / "out.qrels")))
    read = list(ir_measures.read_trec_run(str(tmp_path / "out.run")))
    names = ("nDCG@10", "AP")
    other = ir_measures.calc_aggregate([ir_measures.parse_measure(n) for n in names], judged, read)
    ours = measure(qrels, run, names).means()
    assert {str(name): value for name, value in other.items()} == pytest.approx(ours)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a b.md", "a%20b.md"),
        ("a\tb", "a%09b"),
        ("a\u00a0b", "a%C2%A0b"),
        ("100 %", "100%20%"),
        ("a%20b", "a%2520b"),
        ("docs/é.md#v1", "docs/é.md#v1"),
    ],
)
def test_white_space_is_written_with_percent_signs(name: str, written: str) -> None:
    """An id becomes one column; what another tool can read anyway stays as it is."""
    assert spaceless(name) == written
    assert spaced(written) == name


@given(st.text(min_size=1))
def test_every_id_comes_back(name: str) -> None:
    """Whatever an id holds, it is one column, and is read back as it was."""
    written = spaceless(name)
    assert len(written.split()) == 1
    assert written.isprintable()
    assert spaced(written) == name


@given(st.text(alphabet="%0123456789aAfF é", min_size=1))
def test_percent_signs_are_told_apart(name: str) -> None:
    """An id that looks escaped already is not mistaken for one that memidx escaped."""
    assert spaced(spaceless(name)) == name


def test_percent_signs_of_another_tool_stay(tmp_path: Path) -> None:
    """What is no UTF-8 when it is read back was not escaped by memidx."""
    assert spaced("a%FFb") == "a%FFb"


@pytest.mark.parametrize("run", [{"q": [""]}, {"": ["a"]}])
def test_an_empty_id_is_refused(tmp_path: Path, run: dict[str, list[str]]) -> None:
    """A broken line would be read as another document; nothing is written."""
    path = tmp_path / "out.run"
    with pytest.raises(InputError, match="empty id"):
        write_run(run, str(path))
    assert not path.exists()


def test_a_foreign_run_is_read_by_score_then_rank_then_place(tmp_path: Path) -> None:
    """The order of the scores is the served one; ranks decide between equal scores alone."""
    path = tmp_path / "foreign.run"
    path.write_text(
        "q1 Q0 low 1 0.5 bm25\n"
        "q1 Q0 high 2 7e1 bm25\n"
        "q1 Q0 later 4 0.5 bm25\n"
        "q1 Q0 between 3 0.5 bm25\n"
        "\n"
        "q2\tQ0\ta\t0\t-3\tbm25\n"
        "q2 Q0 b 0 -3 bm25\n"
    )
    run = read_run(str(path))
    assert run.tag == "bm25"
    assert run.rankings == {"q1": ("high", "low", "between", "later"), "q2": ("a", "b")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q Q0 a 1 2 tag\nq Q0 a b 2 1 tag\n", ":2"),
        ("q Q0 a one 2 tag\n", "rank"),
        ("q Q0 a 1 high tag\n", "score"),
        ("q Q0 a 1 nan tag\n", "score"),
        ("q Q0 a 1 2 tag\nq Q0 a 2 1 tag\n", "twice"),
        ("\n", "empty"),
    ],
)
def test_what_is_no_run_is_named(tmp_path: Path, text: str, said: str) -> None:
    """File and line, and what is wrong with it."""
    path = tmp_path / "bad.run"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_run(str(path))
    assert said in str(error.value)
    assert "bad.run" in str(error.value)
