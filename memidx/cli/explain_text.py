"""How is an explanation read at a terminal?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memidx.cli.terminal import printable
from memidx.results import Explanation

MAX_PARTS = 40
"""Rows of a table; a long question has more words than anybody reads."""


def explain_text(found: Explanation) -> str:
    """The status first, then the numbers behind it, then who stands before it."""
    lines = [f"{printable(found.doc_id)}: {found.status}: {printable(found.why)}"]
    if found.near:
        lines.append("Near it: " + ", ".join(map(printable, found.near)))
    if found.status in ("not_indexed", "empty_query"):
        return "\n".join(lines)
    lines += ["", *_place(found)]
    if found.parts:
        lines += [
            "",
            f"Lexical score {found.score:.4f} of at most {found.bound:.4f}; "
            f"holds {found.coverage:.0%} of the content words",
            *_table(
                ("term", "field", "tf", "df", "idf", "length", "avgdl", "weight", "score"),
                [
                    (
                        part["term"],
                        part["field"],
                        part["tf"],
                        part["df"],
                        f"{part['idf']:.4f}",
                        part["doc_len"],
                        f"{part['avgdl']:.1f}",
                        f"{part['weight']:g}",
                        f"{part['score']:.4f}",
                    )
                    for part in found.parts
                ],
            ),
        ]
    if found.vector_parts and found.strategy != "lexical":
        lines += [
            "",
            f"Cosine {sum(part['score'] for part in found.vector_parts):.4f}",
            *_table(
                ("term", "tf", "idf", "weight", "share"),
                [
                    (
                        part["term"],
                        part["tf"],
                        f"{part['idf']:.4f}",
                        f"{part['weight']:.4f}",
                        f"{part['score']:.4f}",
                    )
                    for part in found.vector_parts
                ],
            ),
        ]
    if found.fusion is not None:
        lines += ["", *_fusion(found.fusion)]
    if found.above:
        lines += ["", "Before it:", *(line for hit in found.above for line in _above(hit))]
    return "\n".join(lines)


def _place(found: Explanation) -> list[str]:
    lines = [f"Strategy {found.strategy}, ages from {found.as_of}, {found.n_matched:,} match"]
    for channel, values in found.channels.items():
        lines.append(
            f"  {channel}: place {values['rank']}, score {values['score']:.4f}, "
            f"relevance {values['relevance']:.4f}"
        )
    if found.relevance is not None and found.composite is not None:
        age = "undated" if found.age_days is None else f"{found.age_days:g} days old"
        lines += [
            f"Composite {found.composite:.4f} = relevance {found.relevance:.4f} "
            f"* weight {found.source_weight:g} of {printable(found.source)} "
            f"* decay {found.decay:.4f} ({age})",
            f"Label {found.confidence}: " + "; ".join(found.label_rules),
        ]
    return lines


def _fusion(fusion: Mapping[str, Any]) -> list[str]:
    lines = [f"Fusion, {fusion['kind']}: {fusion['formula']}"]
    for part in fusion["parts"]:
        name = printable(str(part.get("channel") or part.get("phrasing")))
        values = ", ".join(
            f"{key.replace('_', ' ')} {value:.4g}"
            for key, value in part.items()
            if key not in ("channel", "phrasing")
        )
        lines.append(f"  {name}: {values}")
    return lines


def _above(hit: Mapping[str, Any]) -> list[str]:
    lines = [
        f"  {hit['rank']}. {printable(hit['doc_id'])}: composite {hit['composite']:.4f} "
        f"= relevance {hit['relevance']:.4f} * {hit['factor']:.4g}"
    ]
    if hit["terms"]:
        gains = ", ".join(
            f"{printable(term['term'])} {term['score']:.4f} against {term['own_score']:.4f}"
            for term in hit["terms"]
        )
        lines.append(f"     by {gains}")
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Columns as wide as what stands in them, numbers to the right."""
    texts = [[printable(str(value)) for value in row] for row in (head, *rows[:MAX_PARTS])]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = [
        "  "
        + "  ".join(
            text.ljust(width) if at == 0 or not _is_number(rows, at) else text.rjust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in texts
    ]
    if len(rows) > MAX_PARTS:
        lines.append(f"  and {len(rows) - MAX_PARTS} more (--format json has all)")
    return lines


def _is_number(rows: Sequence[Sequence[object]], at: int) -> bool:
    return all(str(row[at]).replace(".", "", 1).isdigit() for row in rows)
