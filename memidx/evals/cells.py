"""How does a value stand in a line, a cell or a table?

What the reports for a terminal and those in Markdown share. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memidx.evals.compared import Comparison, Difference, Move, Tally
from memidx.evals.lint import LintFinding
from memidx.evals.missed import Miss

_HASH_SHOWN = 12
_NAMED = 10
_WORDS = {
    "regressed": "regressed",
    "lost": "fails now",
    "worse": "ranks lower",
    "mixed": "ranks lower and higher",
    "better": "ranks higher",
    "won": "passes now",
}


def table(rows: Sequence[Sequence[str]], heads: Sequence[str], style: str = "simple") -> str:
    """A table with its columns aligned; empty without rows."""
    # tabulate is only needed when a table is drawn.
    from tabulate import tabulate

    if not rows:
        return ""
    return tabulate(rows, headers=list(heads), tablefmt=style, disable_numparse=True)


def width_of(text: str) -> int:
    """Columns that a text takes."""
    return max(map(len, text.splitlines()), default=0)


def one_line(text: str) -> str:
    """Text that cannot break a line or steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def escape(text: str) -> str:
    """Text that Markdown and a browser show as it is."""
    plain = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for character in "\\`*_|[]":
        plain = plain.replace(character, f"\\{character}")
    return plain


def cut(text: str, length: int) -> str:
    """Text of at most `length` characters, the last of them an ellipsis where it was longer."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def share(n: int, of: int) -> str:
    """`n/of`; a dash where there was nothing to count."""
    return f"{n}/{of}" if of else "–"


def count(n: int, noun: str) -> str:
    """`1 error`, `2 errors`; a noun in `y` makes `ies`."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else many}"


def figure(value: float | None) -> str:
    """A measure with four digits; a dash where there is none."""
    return "–" if value is None else f"{value:.4f}"


def probability(p: float | None) -> str:
    """A p-value; a dash where there is none."""
    return "–" if p is None else f"{p:.3f}"


def interval(tally: Tally) -> str:
    """The ends of a tally's interval; a dash where it was not asked."""
    if tally.low is None or tally.high is None:
        return "–"
    return f"{signed(tally.low)} … {signed(tally.high)}"


def signed(value: float) -> str:
    """A difference of measures; what rounds to nothing has no sign."""
    return f"{value:+.4f}" if round(value, 4) else "0"


def fact(value: object) -> str:
    """A fact of a run; a hash by its beginning, which is enough to tell it from another."""
    text = str(value)
    is_hash = len(text) == 64 and set(text) <= set("0123456789abcdef")
    return text[:_HASH_SHOWN] if is_hash else text


def lint_line(finding: LintFinding) -> str:
    """A finding in the form editors jump to."""
    query = f" {finding.query_id}:" if finding.query_id else ""
    return one_line(
        f"{finding.file}:{finding.line}: {finding.severity}: {finding.rule}:{query} "
        f"{finding.message}"
    )


def kind_words(miss: Miss) -> str:
    """What kind of miss it is."""
    return miss.kind.replace("_", " ")


def change_word(move: Move) -> str:
    """What happened to a query."""
    return _WORDS[move.change]


def rank_words(move: Move) -> str:
    """Ranks before and now, each with its label where there are several."""
    several = len(move.ranks) > 1
    return ", ".join(
        f"{rank.before or '–'} → {rank.after or '–'}" + (f" {rank.label}" if several else "")
        for rank in move.ranks
        if rank.before != rank.after
    )


def cause_words(comparison: Comparison, query_id: str) -> str:
    """Why a query moved: factors that did it together, and alternatives; `–` where unknown."""
    cause = comparison.why.cause_of(query_id) if comparison.why else None
    if cause is None or not (cause.factors or cause.detail):
        return "–"
    words = " or ".join(" with ".join(together) or "nothing" for together in cause.factors)
    return ": ".join(part for part in (words, cause.detail) if part)


def why_lines(comparison: Comparison) -> list[str]:
    """Sentences: what is not the same, what that did to the means, and what is not known."""
    why = comparison.why
    if why is None:
        return []
    lines = []
    if why.problem and not why.state:
        lines.append(f"Why queries moved is {why.problem}.")
    elif why.state:
        runs = count(why.n_runs, "run")
        lines.append(f"Why queries moved: {runs} made again, from {why.state} to this one.")
        lines += [f"Uncertain: {why.problem}."] if why.problem else []
    lines += [f"Changed {change.factor}: {change.detail}." for change in why.changes]
    for measure in dict.fromkeys(share.measure for share in why.shares):
        parts = ", ".join(
            f"{share.factor} {signed(share.change)}"
            for share in why.shares
            if share.measure == measure
        )
        lines.append(f"Of the change of {measure}: {parts}.")
    moved = {move.query_id for move in comparison.moves}
    lines += [
        f"{cause.query_id}: {cause_words(comparison, cause.query_id)}."
        for cause in why.causes
        if cause.query_id not in moved
    ]
    return lines


def comparison_lines(comparison: Comparison) -> list[str]:
    """Sentences: how much could be compared, what moved, and what is not the same."""
    moved = ", ".join(f"{n} {_WORDS[change]}" for change, n in comparison.counts.items())
    lines = [
        f"{count(comparison.n_compared, 'query')} compared with {comparison.baseline}: "
        f"{moved or 'none moved'}."
    ]
    lines += _corpus_line(comparison.differs)
    lines += [
        f"Not the same: {difference.fact} {fact(difference.before)} → {fact(difference.after)}."
        for difference in comparison.differs
        if difference.fact not in ("corpus_fingerprint", "n_docs")
    ]
    for said, names in (
        ("Only in the suite", comparison.added),
        ("No longer in the suite", comparison.removed),
        ("Not compared, because they expect something else now", comparison.changed),
        ("No longer must", comparison.relaxed),
        ("Not judged, though the baseline judged them", comparison.unjudged),
    ):
        lines += [f"{said}: {_listed(names)}."] if names else []
    return lines + why_lines(comparison)


def _corpus_line(differs: Iterable[Difference]) -> list[str]:
    by_fact = {difference.fact: difference for difference in differs}
    if "n_docs" in by_fact:
        _, before, after = by_fact["n_docs"]
        return [f"The corpus changed: {before:,} → {count(after, 'document')}."]
    if "corpus_fingerprint" in by_fact:
        return ["The corpus changed: as many documents, other content."]
    return []


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
