"""The page of a report: whole, safe, readable, and drawn to scale."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memidx.errors import InputError
from memidx.evals import evaluate, find_baseline, hold_against, measure_beside, write_baseline
from memidx.evals.compared import Cause, Why
from memidx.evals.history import History
from memidx.evals.missed import Hint, Miss, WordShare
from memidx.evals.pages import plots, read_tuning, render_page, render_tuning_page
from memidx.evals.pages.parts import text as shown
from memidx.evals.pages.style import DARK, HEAT, LIGHT

Make = Callable[..., Any]

_VOID = {"meta", "input", "br"}
_HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"' onload='&amp;{{7*7}}"


class Page(HTMLParser):
    """A page taken apart; an element that is not closed where it must be is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[tuple[tuple[str, ...], str]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep it."""
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, names)
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """It closes the last that is open."""
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Words, and where they stand."""
        if data.strip():
            self.words.append((tuple(self._open), data.strip()))

    def all(self, *tags: str) -> list[dict[str, str]]:
        """Attributes of every such element, in order."""
        return [attributes for tag, attributes in self.elements if tag in tags]

    def said(self, *inside: str) -> list[str]:
        """Words below such elements."""
        return [words for where, words in self.words if set(inside) <= set(where)]


@pytest.fixture
def report(tmp_path: Path, make_suite: Make, make_index: Make) -> Any:
    """A run with all parts: failed, moved for a reason, missed, inconclusive, beside others."""
    entries = [
        "id: a, query: qa, k: 1, expect_paths: [a.md]",
        "id: b, query: qb, k: 3, expect_paths: [b.md], expect_sources: [docs]",
        "id: none, query: qn, category: no-answer, expect_empty: true",
        "id: gap, query: qg, severity: known_gap, why: other words, expect_paths: [c.md]",
        "id: stale, query: qs, expect_paths: [gone.md]",
    ]
    suite = make_suite(*entries, head="floors: {overall: {RR@10: 0.9}}")
    documents = ["a.md", "b.md", "c.md"]
    path = str(tmp_path / "baseline.json")
    before = make_index(documents, {"qa": ["a.md"], "qb": ["b.md"]})
    write_baseline(evaluate(make_suite(*entries[:4]), before), path)
    index = make_index(documents, {"qa": ["c.md", "a.md"], "qb": ["a.md", "b.md"]}, build_id="2")
    found = evaluate(suite, index)
    found = replace(found, beside=measure_beside(suite, index, found))
    found = hold_against(found, find_baseline("queries.yaml", path))
    assert found.comparison is not None
    why = Why(state="abc", n_runs=3, causes=(Cause("a", (("corpus", "labels"),), "it moved"),))
    miss = Miss(
        "a",
        "vocabulary_gap",
        "a.md",
        document="a.md",
        rank=2,
        winner="c.md",
        shares=(WordShare("wren", 0.0, 1.25), WordShare("the", 0.0, 0.0)),
        detail="a.md has no term of wren",
        hint=Hint("alias wren = bird", 1, 0, 2),
    )
    return replace(found, comparison=replace(found.comparison, why=why), misses=(miss,))


def test_a_page_says_what_the_report_says(report: Any) -> None:
    """Verdict, counts, measures with intervals, every query's state, misses, moves and why."""
    page = Page(render_page(report))
    everything = " ".join(words for _, words in page.words)
    assert page.said("h1") == ["Evaluation of queries.yaml"]
    assert page.said("h2")[:4] == [
        "At a glance",
        "Not passed",
        "What moved, and why",
        "By category",
    ]
    assert report.verdict in everything
    for words in (
        "vocabulary gap",
        "a.md has no term of wren",
        "alias wren = bird fixes 1 and breaks 0 of the suite (reaches 2)",
        "wren 0.00 to 1.25 (expected to winner)",
        "corpus with labels: it moved",
        "1 → 2",
        "other words",
        "grep",
    ):
        assert words in everything
    states = [a["data-state"] for a in page.all("tr") if "data-state" in a]
    assert states == ["failed", "passed", "passed", "failed", "open"]
    # RR@10: 1/2, 1/2 and 0; the mean of three is 1/3, and no mean of these is above 1/2.
    at = everything.index("RR@10 0.3333")
    assert re.match(r"RR@10 0.3333 0.\d{4} … 0.5000", everything[at:])
    assert "the 0.00" not in everything


def test_what_gates_is_open_and_the_rest_can_be_opened(report: Any) -> None:
    """A must that fails and what is inconclusive are seen at once; a known gap is one line."""
    page = Page(render_page(report))
    cards = [a for a in page.all("details") if "card" in a.get("class", "")]
    # a failed, stale inconclusive, then the known gap.
    assert ["open" in card for card in cards] == [True, True, False]


def test_a_page_needs_nothing_else(report: Any) -> None:
    """No script, no address, no file: only anchors of its own, which are there."""
    html = render_page(report)
    page = Page(html)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert not re.search(r"url\(|@import|https?:|javascript:", html)
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(set(ids)) == len(ids)
    for _, attributes in page.elements:
        assert not {"src", "srcset", "data", "action", "background"} & attributes.keys()
        assert not any(name.startswith("on") for name in attributes)
        if "href" in attributes:
            assert attributes["href"].removeprefix("#") in ids
        if "aria-labelledby" in attributes:
            assert attributes["aria-labelledby"] in ids
    (policy,) = (a["content"] for a in page.all("meta") if "http-equiv" in a)
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_hostile_names_are_words(make_suite: Make, make_index: Make, report: Any) -> None:
    """Markup in ids, queries, paths, reasons, facts and history is shown and does nothing."""
    calm = {tag for tag, _ in Page(render_page(report)).elements}
    quoted = json.dumps(_HOSTILE)
    suite = make_suite(
        f"id: {quoted}, query: {quoted}, severity: known_gap, why: {quoted}, expect_paths: [a.md]",
        f'id: other, query: "q\\u202e\\u0007\\u0000", expect_paths: [{quoted}], '
        f"must_not: [{quoted}]",
    )
    rows = ["a.md", _HOSTILE]
    index = make_index(rows, {_HOSTILE: [_HOSTILE], suite.queries[1].text: [_HOSTILE]})
    bad = evaluate(suite, index)
    miss = Miss(
        _HOSTILE,
        "ranking_loss",
        _HOSTILE,
        document=_HOSTILE,
        winner=_HOSTILE,
        shares=(WordShare(_HOSTILE, 1.0, 2.0),),
        detail=_HOSTILE,
        hint=Hint(_HOSTILE, 1, 1, 1),
    )
    bad = replace(
        bad,
        suite=_HOSTILE,
        misses=(miss,),
        problems=(_HOSTILE,),
        notes=(_HOSTILE,),
        facts={_HOSTILE: _HOSTILE},
        comparison=replace(report.comparison, baseline=_HOSTILE),
    )
    run = {"day": _HOSTILE, "outcome": _HOSTILE, "n_passed": _HOSTILE, "measures": {"nDCG@10": 0.5}}
    tuning = _tuning()
    tuning |= {"name": _HOSTILE, "verdict": _HOSTILE, "reasons": [_HOSTILE]}
    tuning["facts"] = {_HOSTILE: _HOSTILE}
    html = render_page(bad, History((run, run)), [tuning])
    page = Page(html)
    assert {tag for tag, _ in page.elements} <= calm | {"svg", "polyline", "polygon", "circle"}
    assert not any(n.startswith("on") for _, a in page.elements for n in a)
    assert "<img" not in html
    assert "alert(1)" in " ".join(page.said("h1"))
    assert not {"\x00", "\x07", "\u202e"} & set(html)
    Page(render_tuning_page(tuning))


def test_what_cannot_be_a_figure_in_a_history_is_left_out(report: Any) -> None:
    """A history is a file that anybody can edit: no line of it breaks a page."""
    runs: list[dict[str, Any]] = [
        {"measures": [], "facts": []},
        {"measures": {"nDCG@10": "high"}, "n_passed": 3, "n_queries": 0},
        {"measures": {"nDCG@10": 7}, "n_passed": 3, "n_queries": 2},
        {"measures": {"nDCG@10": float("nan")}, "facts": {"n_docs": {}}},
    ]
    assert not Page(render_page(report, History(tuple(runs)))).all("polyline")


def test_a_page_can_be_read_by_ear_and_keyboard(report: Any) -> None:
    """One first heading, no level left out; heads have scopes, plots and parts have names."""
    page = Page(render_page(report, _history(3), [_tuning()]))
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    assert all(a["scope"] in ("col", "row") for a in page.all("th"))
    assert len(page.all("caption")) == len(page.all("table"))
    for svg in page.all("svg"):
        assert svg["role"] == "img"
        assert svg["aria-label"]
    for part in (a for a in page.all("div") if a.get("class") == "scroll"):
        assert part["tabindex"] == "0"
        assert part["role"] == "region"
        assert part["aria-label"]
    (html,) = page.all("html")
    assert html["lang"] == "en"
    assert page.all("a")[0]["href"] == "#report"


def test_the_same_run_gives_the_same_page(report: Any) -> None:
    """Nothing in a page depends on the clock or on chance."""
    assert render_page(report, _history(5)) == render_page(report, _history(5))


# --- colours


def _luminance(colour: tuple[float, ...]) -> float:
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _rgb(written: str) -> tuple[float, ...]:
    return tuple(int(written[n : n + 2], 16) / 255 for n in (1, 3, 5))


def _contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_stands_out_from_what_it_stands_on(palette: dict[str, str]) -> None:
    """WCAG 2.2: 4.5 to 1 for text, also on the strongest cell of a heat map; 3 to 1 for marks."""
    colours = {name: _rgb(written) for name, written in palette.items()}
    for ground in ("ground", "panel"):
        for name in ("text", "quiet", "accent", "passed", "failed", "open"):
            assert _contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    assert _contrast(colours["mark"], colours["ground"]) >= 3.0
    cell = tuple(
        HEAT * a + (1 - HEAT) * g for a, g in zip(colours["accent"], colours["ground"], strict=True)
    )
    assert _contrast(colours["text"], cell) >= 4.5


# --- plots


def _rects(svg: str) -> list[dict[str, str]]:
    return Page(svg).all("rect")


def test_bars_are_as_long_as_their_counts() -> None:
    """The longest takes the whole width, and parts share a bar by their counts."""
    svg = plots.stacked_bars(
        "t",
        [
            plots.Bar("x", (("passed", 3), ("failed", 1)), "3 of 4"),
            plots.Bar("y", (("passed", 1), ("failed", 0)), "1 of 1"),
        ],
    )
    rects = _rects(svg)
    widths = [float(rect["width"]) for rect in rects]
    assert widths[0] == pytest.approx(3 * widths[1], abs=0.02)
    assert widths[2] == pytest.approx(widths[1], abs=0.02)
    assert float(rects[1]["x"]) == pytest.approx(float(rects[0]["x"]) + widths[0], abs=0.02)
    assert [rect["class"] for rect in rects] == ["passed", "failed", "passed"]


def _spots(svg: str, class_: str) -> list[tuple[float, float]]:
    (line,) = (a for a in Page(svg).all("polyline", "polygon") if a["class"] == class_)
    return [(float(x), float(y)) for x, y in (p.split(",") for p in line["points"].split())]


def test_a_trend_is_drawn_to_scale() -> None:
    """Runs stand apart evenly, a gap takes its place, and larger values stand higher."""
    svg = plots.trend("t", ["r1", "r2", "r3", "r4"], [0.4, 0.6, None, 0.5])
    (x1, y1), (x2, y2), (x4, y4) = _spots(svg, "curve")
    assert x2 - x1 == pytest.approx((x4 - x1) / 3, abs=0.02)
    assert y1 > y4 > y2
    assert y1 - y4 == pytest.approx(y4 - y2, abs=0.02)


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ([0.41, 0.45], ["0.4", "0.5", "0.6"]),
        ([1.0, 1.0], ["0.8", "0.9", "1.0"]),
        ([0.0, 0.0], ["0.0", "0.1", "0.2"]),
        ([0.3, 0.5], ["0.3", "0.4", "0.5"]),
        ([0.0, 1.0], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_an_axis_has_round_ends_around_its_values(values: list[float], limits: list[str]) -> None:
    """Tenths below and above, at least two apart, and never outside 0 and 1."""
    svg = plots.trend("t", ["a", "b"], values)
    assert [words for words in Page(svg).said("text") if words not in ("a", "b")] == limits


def test_a_trend_needs_two_runs() -> None:
    """One value is no trend."""
    assert plots.trend("t", ["a"], [0.5]) == ""
    assert plots.trend("t", ["a", "b"], [0.5, None]) == ""


def test_a_precision_curve_holds_its_interval() -> None:
    """The band lies around the curve; what is out of reach has no place on the x axis."""
    curve = [plots.Spot(0.0, 0.5, 0.4, 0.6), plots.Spot(0.5, 0.8, 0.6, 0.9)]
    svg = plots.precision_curve("t", curve, [("reliable", 0.9, None), ("candidate", 0.5, 0.25)])
    (x0, y0), (x1, y1) = _spots(svg, "curve")
    band = _spots(svg, "band")
    assert [x for x, _ in band] == [x0, x1, x1, x0]
    assert band[0][1] < y0 < band[3][1]
    assert band[1][1] < y1 < band[2][1]
    wanted = [a for a in Page(svg).all("polyline") if a["class"] == "wanted"]
    assert len(wanted) == 3
    said = Page(svg).said("text")
    assert "reliable 0.9, out of reach" in said
    assert "candidate 0.5, from 0.25" in said


def test_a_promise_that_is_kept_lies_above_the_diagonal() -> None:
    """Observed more than promised stands higher than the dashed line at its place."""
    svg = plots.promises("t", [plots.Spot(0.5, 0.75, 0.6, 0.9, "candidate")])
    (x0, y0), (x1, y1) = _spots(svg, "wanted")
    (dot,) = Page(svg).all("circle")
    share = (float(dot["cx"]) - x0) / (x1 - x0)
    assert share == pytest.approx(0.5, abs=0.001)
    assert (y0 - float(dot["cy"])) / (y0 - y1) == pytest.approx(0.75, abs=0.001)


def test_a_heat_map_is_stronger_where_the_value_is_larger() -> None:
    """Colour follows the value, the best and the one in force have frames, a hole stays empty."""
    cells = [
        [plots.Cell(0.1, (), False, False), plots.Cell(0.3, ("best",), True, False)],
        [None, plots.Cell(0.2, ("now",), False, True)],
    ]
    svg = plots.heat_map("t", ("k1", ["1", "2"]), ("b", ["0", "1"]), cells)
    rects = _rects(svg)
    heat = [float(rect["fill-opacity"]) for rect in rects if rect["class"] == "heat"]
    assert len(heat) == 3
    assert heat[0] < heat[2] < heat[1] == HEAT
    assert heat[2] == pytest.approx((heat[0] + heat[1]) / 2, abs=0.001)
    assert [rect["class"] for rect in rects if rect["class"] != "heat"] == ["chosen", "in-force"]


def test_text_is_never_markup() -> None:
    """What could open an element or end an attribute is written as an entity."""
    assert shown("<&>\"'") == "&lt;&amp;&gt;&quot;&#x27;"


# --- tuning


def _bin(relevance: str, n: int, precision: float | None) -> dict[str, Any]:
    return {
        "at_or_above": relevance,
        "n": n,
        "n_right": 0,
        "share": 0.5,
        "precision": precision,
        "interval": [0.25, 0.75],
    }


def _promise(label: str, precision: float, threshold: float | None) -> dict[str, Any]:
    seen = _bin("–", 0, None) if threshold is None else _bin(f"{threshold}", 12, 0.6)
    return {
        "label": label,
        "precision": precision,
        "fitted": threshold,
        "observed": seen,
        "is_kept": None if threshold is None else True,
        "threshold": threshold,
    }


def _thresholds() -> dict[str, Any]:
    return {
        "curve": [_bin("0.0000", 20, 0.5), _bin("0.5000", 8, 0.75)],
        "promises": [_promise("reliable", 0.9, None), _promise("candidate", 0.5, 0.3)],
    }


def _tuning() -> dict[str, Any]:
    points = [
        {
            "k1": k1,
            "b": b,
            "means": {"RR@10": 0.9, "nDCG@10": k1 / 10 + b / 100},
            "p_against_best": p,
        }
        for k1, b, p in ((1.2, 0.5, 0.04), (1.2, 0.75, 0.2), (1.5, 0.5, 0.5), (1.5, 0.75, 1.0))
    ]
    return {
        "artifact_type": "memidx-report",
        "schema": "memidx.tuning-report/1",
        "name": "queries",
        "outcome": "passed",
        "verdict": "KEEP (exit 0): nothing supports leaving k1 1.2 b 0.75",
        "reasons": ["one", "two"],
        "problems": [],
        "facts": {"measure": "nDCG@10"},
        "best": {"k1": 1.5, "b": 0.75},
        "current": {"k1": 1.2, "b": 0.75},
        "plateau": {"points": [{"k1": 1.5, "b": 0.75}, {"k1": 1.5, "b": 0.5}]},
        "points": points,
        "thresholds": _thresholds(),
    }


def _history(n: int) -> History:
    return History(
        tuple(
            {
                "day": f"2026-11-{day:02}",
                "outcome": "passed",
                "n_passed": day,
                "n_queries": 40,
                "measures": {"nDCG@10": day / 40},
                "facts": {"n_docs": day},
            }
            for day in range(1, n + 1)
        )
    )


def test_a_tuning_page_shows_the_grid_and_the_promises() -> None:
    """The deciding measure at each point, what is best and in force, and what was promised."""
    page = Page(render_tuning_page(_tuning()))
    assert page.said("h1") == ["Tuning on queries"]
    verdict = _tuning()["verdict"]
    assert [words for _, words in page.words].count(verdict) == 1
    # A finding is no success: it has no colour.
    assert [a["class"] for a in page.all("p") if a.get("id") == "verdict"] == ["verdict"]
    labels = page.said("svg", "text")
    # nDCG@10 = k1/10 + b/100, k1 down and b across.
    assert [w for w in labels if re.fullmatch(r"0\.\d{4}", w)] == [
        "0.1250",
        "0.1275",
        "0.1550",
        "0.1575",
    ]
    assert [w for w in labels if w in ("best", "≈ best", "now")] == ["now", "≈ best", "best"]
    assert len(page.all("svg")) == 3
    assert "out of reach" in page.said("td")


def test_tuning_on_other_documents_is_told(report: Any) -> None:
    """Figures of another corpus are not shown as if they were this run's."""
    same = {**_tuning(), "facts": {"corpus": report.facts["corpus_fingerprint"]}}
    said = "Made over other documents than this run: its figures may not hold here."
    assert said not in render_page(report, tunings=[same])
    assert said in render_page(report, tunings=[{**same, "facts": {"corpus": "another"}}])
    assert said not in render_tuning_page(same)


def test_settings_beside_k1_and_b_are_those_of_the_best_point() -> None:
    """A grid with a third axis shows the slice that holds the best point, and says which."""
    tuning = _tuning()
    more = [{**point, "title_weight": weight} for point in tuning["points"] for weight in (0.5, 1)]
    tuning |= {
        "schema": "memidx.tuning-report/2",
        "points": more,
        "best": {"k1": 1.5, "b": 0.75, "title_weight": 1},
        "current": {"k1": 1.2, "b": 0.75, "title_weight": 0.5},
    }
    page = Page(render_tuning_page(tuning))
    labels = page.said("svg", "text")
    assert len([w for w in labels if re.fullmatch(r"0\.\d{4}", w)]) == 4
    assert "at title_weight 1" in " ".join(page.said("figcaption"))
    assert "now" not in labels


def test_a_calibration_is_shown_by_strategy() -> None:
    """Each strategy has its curve and its promises."""
    strategies = [
        {"strategy": name, "outcome": "failed", "reason": "broken", **_thresholds()}
        for name in ("lexical", "hybrid")
    ]
    document = {
        "artifact_type": "memidx-report",
        "schema": "memidx.calibration-report/1",
        "name": "queries",
        "outcome": "failed",
        "verdict": "FAILED (exit 1): lexical: broken",
        "problems": [],
        "facts": {},
        "strategies": strategies,
    }
    page = Page(render_tuning_page(document))
    assert page.said("h2") == ["Calibration of lexical", "Calibration of hybrid"]
    assert len(page.all("svg")) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "memidx.report/1"},
        {"artifact_type": "x"},
        {"points": []},
        {"thresholds": {}},
        {"best": None},
    ],
)
def test_what_is_no_tuning_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    """A file of another kind, or one that lacks a part, is named and not shown by half."""
    path = tmp_path / "t.json"
    path.write_text(json.dumps(_tuning()))
    assert read_tuning(str(path))["name"] == "queries"
    path.write_text(json.dumps({**_tuning(), **change}))
    with pytest.raises(InputError, match="no report of tuning"):
        read_tuning(str(path))
    path.write_text("[" * 10)
    with pytest.raises(InputError, match="no report of tuning"):
        read_tuning(str(path))
