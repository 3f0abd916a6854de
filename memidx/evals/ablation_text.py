"""How does a person read an ablation?

Pure functions from a report to text: for a terminal, and Markdown for a file.
"""

from __future__ import annotations

from memidx.evals.ablation import MEASURES, AblationReport, AblationRow
from memidx.evals.markdown import MARKER
from memidx.evals.thresholds_text import as_table, escaped, plain

_NAMED = 5


def render_ablation(report: AblationReport) -> str:
    """A report for a terminal, the verdict last."""
    blocks = [f"Ablation on {plain(report.name)}", *_blocks(report, "simple")]
    blocks += [f"Problem: {plain(problem)}" for problem in report.problems]
    return "\n\n".join([*blocks, plain(report.verdict)]) + "\n"


def render_ablation_markdown(report: AblationReport) -> str:
    """A report for a file; its first line keeps memidx from ever indexing it."""
    blocks = [
        f"{MARKER}\n# Ablation on {escaped(report.name)}",
        f"**{escaped(report.verdict)}**",
        *_blocks(report, "pipe"),
        *(f"- Problem: {escaped(problem)}" for problem in report.problems),
    ]
    facts = [[name, "–" if v is None else str(v)] for name, v in report.facts.items()]
    blocks.append(f"## Run\n\n{as_table(facts, ['fact', 'value'], 'pipe')}")
    return "\n\n".join(blocks) + "\n"


def _blocks(report: AblationReport, style: str) -> list[str]:
    rows = as_table(
        [_row(report, row) for row in report.rows],
        ["corpus", "docs", "passed", *MEASURES, "bytes a query"],
        style,
    )
    findings = as_table(
        [
            [
                finding.source,
                _named(finding.helps),
                _named(finding.hurts),
                f"{finding.n_better}/{finding.n_worse}",
                finding.decision,
            ]
            for finding in report.findings
        ],
        ["source", "helps", "hurts", f"{MEASURES[0]} better/worse", "rule"],
        style,
    )
    return [rows, findings]


def _row(report: AblationReport, row: AblationRow) -> list[str]:
    means = row.means
    n_bytes = row.n_bytes / report.n_queries if report.n_queries else 0.0
    return [
        row.name,
        f"{row.n_docs:,}",
        f"{len(row.passed)}/{report.n_queries}",
        *(f"{means[name]:.4f}" if name in means else "–" for name in MEASURES),
        f"{n_bytes:,.0f}",
    ]


def _named(query_ids: tuple[str, ...]) -> str:
    if not query_ids:
        return "none"
    more = f" and {len(query_ids) - _NAMED} more" if len(query_ids) > _NAMED else ""
    return f"{len(query_ids)}: {', '.join(query_ids[:_NAMED])}{more}"
