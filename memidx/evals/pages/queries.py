"""How do the queries of a run read in a browser?

Those that did not pass are cards, each with what it missed, what kind of miss that is and what was
tried; those that moved are a table; and all of them stand in a list that can be narrowed by state
without a script.
"""

from __future__ import annotations

from memidx.evals.cells import (
    cause_words,
    change_word,
    count,
    cut,
    figure,
    kind_words,
    rank_words,
)
from memidx.evals.compared import Move
from memidx.evals.missed import Miss
from memidx.evals.pages import parts
from memidx.evals.pages.parts import NOTHING, Html, code, element, joined, section, table, text
from memidx.evals.report import QueryResult, Report

# A query may be a whole pasted page; its beginning names it, and the JSON has all of it.
_LONGEST = 400
_SEVERITIES = {"must": 0, "should": 1, "known_gap": 2}
_MEASURE = "nDCG@10"
_WORDS_SHOWN = 6


def not_passed(report: Report) -> Html:
    """Queries that did not pass, those that gate first."""
    results = sorted(
        (result for result in report.queries if result.status != "passed"),
        key=lambda result: (_SEVERITIES[result.severity], result.status != "failed"),
    )
    misses: dict[str, list[Miss]] = {}
    for miss in report.misses:
        misses.setdefault(miss.query_id, []).append(miss)
    moves = {move.query_id: move for move in report.comparison.moves} if report.comparison else {}
    cards = (
        _card(report, result, misses.get(result.query_id, []), moves.get(result.query_id))
        for result in results
    )
    return section("Not passed", "not-passed", *cards)


def _card(report: Report, result: QueryResult, misses: list[Miss], move: Move | None) -> Html:
    gate = result.severity.replace("_", " ")
    line = joined(
        [
            parts.state(result.status),
            element("span", text(f"· {gate} · {result.category} · k {result.k}"), class_="quiet"),
        ],
        " ",
    )
    line = element("p", line)
    since = f"{change_word(move)}: {rank_words(move)}" if move and rank_words(move) else ""
    reasons = joined((text(reason) for reason in result.reasons), "<br>")
    pairs = [
        ("asked", text(_shown(result.text))),
        ("why not", reasons),
        ("kept because", text(result.why)),
        ("first hits", _listed(result.hits)),
        ("moved", text(since or (change_word(move) if move else ""))),
        ("because of", text(_cause(report, result.query_id))),
    ]
    inside = [line, parts.terms(pairs), *(_miss(miss) for miss in misses)]
    kinds = ", ".join(dict.fromkeys(kind_words(miss) for miss in misses))
    heading = element("h3", text(cut(result.query_id, _LONGEST)))
    said = " · ".join(part for part in (_shown(result.text), gate, kinds) if part)
    summary = joined([heading, text(said)], " ")
    # What gates is open; what is only watched can be opened, so that it does not hide the former.
    is_open = result.severity == "must" or result.status == "inconclusive"
    return parts.disclosure(
        summary,
        joined(inside),
        class_=f"card {parts.STATE_CLASSES[result.status]}",
        is_open=is_open,
    )


def _miss(miss: Miss) -> Html:
    """One thing that was missed: kind, evidence and what was tried."""
    shares = "; ".join(
        f"{word} {expected:.2f} to {winner:.2f}"
        for word, expected, winner in miss.shares[:_WORDS_SHOWN]
        if round(expected, 2) or round(winner, 2)
    )
    pairs = [
        ("missed", code(miss.target) if miss.target else NOTHING),
        ("kind", element("strong", text(kind_words(miss)))),
        ("what", text(miss.detail)),
        ("nearest", _nearest(miss)),
        ("words", text(f"{shares} (expected to winner)" if shares and miss.document else "")),
        ("tried", text(miss.hint_words)),
    ]
    return parts.terms(pairs)


def _nearest(miss: Miss) -> Html:
    if miss.document is None:
        return NOTHING
    where = "not ranked" if miss.rank is None else f"at rank {miss.rank}"
    return joined([code(miss.document), text(where)], " ")


def moved(report: Report) -> Html:
    """What moved since the baseline, and why."""
    comparison = report.comparison
    if comparison is None or not comparison.moves:
        return NOTHING
    rows = [
        [
            text(move.query_id),
            _asked(move.text),
            text(move.severity.replace("_", " ")),
            text(change_word(move)),
            text(rank_words(move) or "–"),
            text(cause_words(comparison, move.query_id)),
            _listed(move.now_above) or text("–"),
        ]
        for move in comparison.moves
    ]
    heads = ["query", "asked", "severity", "change", "rank before → now", "because of"]
    heads.append("now above it")
    shown = table("Queries that came out otherwise", heads, rows, stacked=True)
    return section("What moved, and why", "moved", shown)


def queries(report: Report) -> Html:
    """Every query with its state."""
    heads = ["query", "asked", "category", "severity", "state", "ranks", _MEASURE, "first hits"]
    rows = [
        [
            text(cut(result.query_id, _LONGEST)),
            _asked(result.text),
            text(result.category),
            text(result.severity.replace("_", " ")),
            parts.state(result.status),
            _ranks(result),
            text(figure(result.measures.get(_MEASURE))),
            _hits(result),
        ]
        for result in report.queries
    ]
    states = [parts.STATE_CLASSES[result.status] for result in report.queries]
    shown = table("All queries", heads, rows, numbers=(6,), states=states, stacked=True)
    return section("Queries", "queries", _chooser(report), shown)


def _chooser(report: Report) -> Html:
    """Radio buttons that the style sheet reads: rows of another state are not shown."""
    overall = report.overall
    choices = [
        ("all", "all", overall.n_queries),
        ("passed", "passed", overall.n_passed),
        ("failed", "failed", overall.n_failed),
        ("open", "inconclusive", overall.n_inconclusive),
    ]
    buttons = []
    for value, name, n in choices:
        checked = " checked" if value == "all" else ""
        button = Html(f'<input type="radio" name="only" id="only-{value}"{checked}>')
        buttons.append(element("label", joined([button, text(f"{name} ({n})")], " ")))
    return element("fieldset", joined([element("legend", text("Show")), *buttons]))


def _ranks(result: QueryResult) -> Html:
    if result.false_positive is not None:
        return text(count(result.n_hits, "hit"))
    ranks = [
        joined([text(f"{found.rank or '–'}"), code(found.label)], " ") for found in result.expected
    ]
    sources = [
        text(f"source {name}: {'found' if name in result.sources_found else 'not found'}")
        for name in result.sources_expected
    ]
    return joined([*ranks, *sources], "<br>") or text("–")


def _hits(result: QueryResult) -> Html:
    if not result.hits:
        return text("–")
    items = joined(element("li", code(doc_id)) for doc_id in result.hits)
    return parts.disclosure(text(count(len(result.hits), "hit")), element("ol", items))


def _cause(report: Report, query_id: str) -> str:
    words = cause_words(report.comparison, query_id) if report.comparison else "–"
    return "" if words == "–" else words


def _listed(names: tuple[str, ...]) -> Html:
    return joined((code(name) for name in names), ", ")


def _asked(words: str) -> Html:
    return element("span", text(_shown(words)), class_="long")


def _shown(words: str) -> str:
    return cut(words, _LONGEST)
