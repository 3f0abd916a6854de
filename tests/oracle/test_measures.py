"""Measures against formulas written out here, and against pytrec_eval asked directly."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from memidx.evals import evaluate_collection
from memidx.evals.measures import measure

Grades = Mapping[str, int]
Formula = Callable[[Sequence[str], Grades], float]


def _n_relevant(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades.values())


def _ndcg(k: int) -> Formula:
    def dcg(gains: Sequence[int]) -> float:
        return sum(max(gain, 0) / math.log2(i + 2) for i, gain in enumerate(gains[:k]))

    def formula(ranking: Sequence[str], grades: Grades) -> float:
        ideal = dcg(sorted(grades.values(), reverse=True))
        return dcg([grades.get(name, 0) for name in ranking]) / ideal if ideal else 0.0

    return formula


def _rr(k: int) -> Formula:
    return lambda ranking, grades: next(
        (1 / (i + 1) for i, name in enumerate(ranking[:k]) if grades.get(name, 0) > 0), 0.0
    )


def _ap(ranking: Sequence[str], grades: Grades) -> float:
    found, total = 0, 0.0
    for i, name in enumerate(ranking, 1):
        if grades.get(name, 0) > 0:
            found += 1
            total += found / i
    return total / _n_relevant(grades) if _n_relevant(grades) else 0.0


def _found(ranking: Sequence[str], grades: Grades, k: int) -> int:
    return sum(grades.get(name, 0) > 0 for name in ranking[:k])


FORMULAS: dict[str, Formula] = {
    "nDCG@10": _ndcg(10),
    "nDCG@3": _ndcg(3),
    "RR@10": _rr(10),
    "RR": _rr(10**6),
    "AP": _ap,
    "R@10": lambda r, g: _found(r, g, 10) / _n_relevant(g) if _n_relevant(g) else 0.0,
    "R@100": lambda r, g: _found(r, g, 100) / _n_relevant(g) if _n_relevant(g) else 0.0,
    "P@5": lambda r, g: _found(r, g, 5) / 5,
    "Success@1": lambda r, g: float(_found(r, g, 1) > 0),
    "Success@3": lambda r, g: float(_found(r, g, 3) > 0),
    "Success@5": lambda r, g: float(_found(r, g, 5) > 0),
    "Judged@10": lambda r, g: sum(n in g for n in r[:10]) / len(r[:10]) if r else 0.0,
}
TREC_NAMES = {
    "nDCG@10": "ndcg_cut_10",
    "nDCG@3": "ndcg_cut_3",
    "RR": "recip_rank",
    "AP": "map",
    "R@10": "recall_10",
    "R@100": "recall_100",
    "P@5": "P_5",
    "Success@1": "success_1",
    "Success@5": "success_5",
}


def _random_case(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Qrels and rankings of 40 queries; some rankings are empty, some hold nothing relevant."""
    rng = random.Random(seed)
    pool = [f"d{i}" for i in range(300)]
    qrels, run = {}, {}
    for i in range(40):
        judged = rng.sample(pool, rng.randint(1, 30))
        qrels[f"q{i}"] = {name: rng.choice([0, 0, 1, 1, 2, 3]) for name in judged}
        run[f"q{i}"] = rng.sample(pool, rng.choice([0, 1, 3, 10, 250]))
    return qrels, run


@pytest.mark.parametrize("seed", range(5))
def test_measures_equal_their_formulas(seed: int) -> None:
    """Every measure of every query of a random run is what its definition gives."""
    qrels, run = _random_case(seed)
    by_query = measure(qrels, run, list(FORMULAS)).by_query
    assert by_query.keys() == qrels.keys()
    for query_id, values in by_query.items():
        expected = {name: f(run[query_id], qrels[query_id]) for name, f in FORMULAS.items()}
        assert values == pytest.approx(expected, abs=1e-9), query_id


@pytest.mark.parametrize("seed", range(5, 8))
def test_measures_equal_pytrec_eval(seed: int) -> None:
    """What trec_eval gives for the same ranking, asked without ir-measures between."""
    qrels, run = _random_case(seed)
    families = {"ndcg_cut.3,10", "recip_rank", "map", "recall.10,100", "P.5", "success.1,5"}
    scored = {
        query_id: {name: 1e6 - i for i, name in enumerate(ranking)}
        for query_id, ranking in run.items()
        if ranking
    }
    expected = pytrec_eval.RelevanceEvaluator(qrels, families).evaluate(scored)
    by_query = measure(qrels, run, list(TREC_NAMES)).by_query
    for query_id, values in expected.items():
        for name, trec_name in TREC_NAMES.items():
            assert by_query[query_id][name] == pytest.approx(values[trec_name]), (query_id, name)


def test_a_hand_worked_ranking() -> None:
    """Grades 3, 1 and 2; served: unjudged, 1, 3, judged 0; the 2 is not found."""
    qrels = {"q": {"three": 3, "one": 1, "two": 2, "none": 0}}
    values = measure(qrels, {"q": ["x", "one", "three", "none"]}, list(FORMULAS)).by_query["q"]
    # DCG = 1/log2(3) + 3/log2(4) = 0.63093 + 1.5; ideal = 3 + 2/log2(3) + 1/log2(4) = 4.76186.
    assert values["nDCG@10"] == pytest.approx(2.13093 / 4.76186, abs=1e-5)
    assert values["RR@10"] == 0.5
    assert values["AP"] == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert values["R@10"] == pytest.approx(2 / 3)
    assert values["P@5"] == pytest.approx(2 / 5)
    assert (values["Success@1"], values["Success@3"]) == (0.0, 1.0)
    assert values["Judged@10"] == pytest.approx(3 / 4)


@st.composite
def _cases(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Qrels and served rankings of a few queries over names that look alike or cannot be split."""
    names = [*(f"d{i}" for i in range(12)), "a b", "日本", "\u00e9", "e\u0301", "#", "q\tx"]
    qrels = {}
    run = {}
    for i in range(draw(st.integers(1, 4))):
        judged = draw(st.lists(st.sampled_from(names), min_size=1, max_size=8, unique=True))
        qrels[f"q{i}"] = {name: draw(st.integers(0, 3)) for name in judged}
        run[f"q{i}"] = draw(st.lists(st.sampled_from(names), max_size=18, unique=True))
    return qrels, run


@given(_cases())
def test_any_run_is_measured_as_defined_and_as_pytrec_eval_does(
    case: tuple[dict[str, dict[str, int]], dict[str, list[str]]],
) -> None:
    """Whatever the names, grades and order: the formulas' values, and pytrec_eval's."""
    qrels, run = case
    by_query = measure(qrels, run, list(FORMULAS)).by_query
    families = {"ndcg_cut.3,10", "recip_rank", "map", "recall.10,100", "P.5", "success.1,5"}
    # pytrec_eval sorts ties by name; scores made from the rank leave none.
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, families)
    scored = {q: {name: float(-i) for i, name in enumerate(names)} for q, names in run.items()}
    trec = evaluator.evaluate({q: scores for q, scores in scored.items() if scores})
    for query_id, grades in qrels.items():
        expected = {name: f(run[query_id], grades) for name, f in FORMULAS.items()}
        assert by_query[query_id] == pytest.approx(expected, abs=1e-9)
        for name, trec_name in TREC_NAMES.items():
            value = trec[query_id][trec_name] if query_id in trec else 0.0
            assert by_query[query_id][name] == pytest.approx(value, abs=1e-9)


@given(_cases())
def test_ties_are_measured_in_served_order(
    case: tuple[dict[str, dict[str, int]], dict[str, list[str]]],
) -> None:
    """Nothing can be sorted again: a ranking turned round is measured turned round."""
    qrels, run = case
    backwards = {query_id: names[::-1] for query_id, names in run.items()}
    by_query = measure(qrels, backwards, ["RR", "nDCG@3"]).by_query
    for query_id, grades in qrels.items():
        assert by_query[query_id]["RR"] == pytest.approx(
            FORMULAS["RR"](run[query_id][::-1], grades)
        )
        assert by_query[query_id]["nDCG@3"] == pytest.approx(
            FORMULAS["nDCG@3"](run[query_id][::-1], grades)
        )


@pytest.mark.shared
def test_scifact_is_measured_as_pytrec_eval_and_ir_measures_do(shared: Path) -> None:
    """The ranking of every judged question of SciFact, measured by both, query by query."""
    report = evaluate_collection(str(shared / "collections/scifact"))
    lines = (shared / "collections/scifact/qrels.tsv").read_text().splitlines()
    qrels: dict[str, dict[str, int]] = {}
    for line in lines:
        query_id, doc_id, grade = line.split("\t")
        if grade.isdecimal():
            qrels.setdefault(query_id, {})[doc_id] = int(grade)
    # 100 places are enough for every measure here; AP is that of the shorter ranking in both.
    run = {q: list(names)[:100] for q, names in report.run.items() if q in qrels}
    assert len(run) == 300
    by_query = measure(qrels, run, list(TREC_NAMES)).by_query
    scored = {
        query_id: {name: float(len(names) - i) for i, name in enumerate(names)}
        for query_id, names in run.items()
    }
    families = {"ndcg_cut.3,10", "recip_rank", "map", "recall.10,100", "P.5", "success.1,5"}
    trec = pytrec_eval.RelevanceEvaluator(qrels, families).evaluate(scored)
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure("nDCG@10")], qrels, scored)
    for query_id, values in by_query.items():
        for name, trec_name in TREC_NAMES.items():
            assert values[name] == pytest.approx(trec[query_id][trec_name], abs=1e-9)
    mean = sum(values["nDCG@10"] for values in by_query.values()) / len(by_query)
    assert mean == pytest.approx(next(iter(theirs.values())), abs=1e-9)
    assert report.means["nDCG@10"] == pytest.approx(mean, abs=1e-9)
