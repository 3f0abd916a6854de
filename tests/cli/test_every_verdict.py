"""Every lint, outcome and exit code of an evaluation is reached, and they agree in every form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support import write_tree

_CONFIGURATION = (
    '[[sources]]\nname = "docs"\ninclude = ["docs/**"]\nexclude = ["docs/raw/**"]\n'
    '[[sources]]\nname = "notes"\ninclude = ["notes/**"]\n'
)
_FILES = {
    "memidx.toml": _CONFIGURATION,
    "docs/heron.md": "# Grey heron\n\nThe heron nests here and sings of water.\n",
    "docs/wren.md": "# Wren\n\nA wren is small and brown.\n",
    "docs/raw/r.md": "# Raw\n\nNot indexed.\n",
    "notes/n.md": "# Note\n\nRain on the roof.\n",
    **{f"docs/filler{n}.md": f"# Filler\n\nNothing of note on day {n}.\n" for n in range(12)},
}
_GOOD = "id: a, query: heron water, k: 1, expect_paths: [docs/heron.md]"
# A query for each rule of the page, and the severity it has.
_RULES: dict[str, tuple[str, str]] = {
    "duplicate-id": ("error", "id: a, query: one other, k: 1, expect_paths: [docs/heron.md]"),
    "duplicate-query": (
        "error", "id: b, query: Heron  water, k: 1, expect_paths: [docs/heron.md]",
    ),
    "dangling": ("error", "id: c, query: wren x, expect_paths: [docs/gone.md]"),
    "unwinnable": ("error", "id: d, query: raw, expect_paths: [docs/raw/r.md]"),
    "grade-range": ("error", "id: e, query: e, expect_paths: [{path: docs/wren.md, grade: 9}]"),
    "category-mismatch": ("error", "id: f, query: f, category: no-answer, must_not: [notes/n.md]"),
    "contradiction": (
        "error", "id: g, query: g, expect_paths: [docs/wren.md], must_not: [docs/wren.md]",
    ),
    "overlap": (
        "warning", 'id: h, query: brown wren, expect_paths: [docs/wren.md, "**/wren.md"]',
    ),
    "title-leak": ("warning", "id: i, query: the grey heron, expect_paths: [docs/heron.md]"),
    "self-provenance": (
        "error", "id: j, query: small wren, expect_paths: [docs/wren.md], provenance: bm25",
    ),
    "floor-without-queries": ("error", ""),
}  # fmt: skip


def _suite(*entries: str, head: str = "") -> str:
    listed = [f"- {{{entry}}}" for entry in entries if entry]
    return "\n".join(["version: 1", "as_of: 2026-11-30", head, "queries:", *listed]) + "\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sources; the working folder."""
    monkeypatch.chdir(tmp_path)
    return write_tree(tmp_path, {**_FILES, "queries.yaml": _suite(_GOOD)})


def _rules_of_the_page(repository: Path) -> dict[str, set[str]]:
    """Rule -> severities, from the table of docs/evaluation.md."""
    page = (repository / "docs/evaluation.md").read_text(encoding="utf-8")
    table = page.partition("## Lints")[2].partition("\n## ")[0]
    rules: dict[str, set[str]] = {}
    for names, severity in re.findall(r"^\| (`[^|]+) \| (error|warning) \|", table, re.MULTILINE):
        for name in re.findall(r"`([\w-]+)`", names):
            rules.setdefault(name, set()).add(severity)
    return rules


def test_every_rule_of_the_page_is_here(repository: Path) -> None:
    """The table of the page and the rules that are tried below are the same."""
    page = _rules_of_the_page(repository)
    assert page.keys() == _RULES.keys()
    assert all(severity in page[rule] for rule, (severity, _) in _RULES.items())


@pytest.mark.parametrize("rule", _RULES)
def test_every_rule_is_reached_and_decides(project: Path, run: Run, rule: str) -> None:
    """An error: --lint ends with 2, a run with 3 and never with 1; a warning changes neither."""
    severity, entry = _RULES[rule]
    head = "floors: {negation: {RR: 0.1}}" if rule == "floor-without-queries" else ""
    (project / "queries.yaml").write_text(_suite(_GOOD, entry, head=head))
    lint = run("eval", "queries.yaml", "--lint", "--format", "json")
    found = json.loads(lint.stdout)
    assert {(f["rule"], f["severity"]) for f in found["findings"]} == {(rule, severity)}
    invalid = severity == "error"
    assert (lint.exit_code, found["outcome"]) == (2, "invalid") if invalid else (0, "passed")
    line = run("eval", "queries.yaml", "--lint").stdout.splitlines()[-1]
    assert line.startswith("INVALID (exit 2)" if invalid else "PASSED (exit 0)")
    ran = run("eval", "queries.yaml")
    assert ran.exit_code == (3 if invalid else 0)
    assert ran.stdout.splitlines()[-1].startswith("INCONCLUSIVE (exit 3)" if invalid else "PASSED")


def _failing(project: Path) -> None:
    (project / "queries.yaml").write_text(
        _suite("id: a, query: heron water, k: 1, expect_paths: [docs/wren.md]")
    )


def _missed_floor(project: Path) -> None:
    entry = "id: a, query: heron water, k: 1, severity: should, expect_paths: [docs/wren.md]"
    (project / "queries.yaml").write_text(_suite(entry, head="floors: {overall: {RR: 0.9}}"))


def _regressed(project: Path) -> None:
    weak = _CONFIGURATION.replace('name = "docs"\n', 'name = "docs"\nweight = 0.01\n')
    (project / "memidx.toml").write_text(weak)
    (project / "notes/n.md").write_text("# Heron water\n\nheron water heron water\n")


def _stale_label(project: Path) -> None:
    (project / "docs/heron.md").rename(project / "docs/bird.md")


def _failed_source(project: Path) -> None:
    (project / "notes").rename(project / "elsewhere")


def _unblessed(project: Path) -> None:
    path = project / "evals/baseline.json"
    path.write_text(path.read_text().replace('"passed"', '"failed"'))


def _not_comparable(project: Path) -> None:
    (project / "queries.yaml").write_text(_suite(_GOOD.replace("id: a", "id: other")))


@pytest.mark.parametrize(
    ("change", "outcome", "code"),
    [
        (lambda project: None, "passed", 0),
        (_missed_floor, "failed", 1),
        (_regressed, "regressed", 1),
        (_stale_label, "inconclusive", 3),
        (_failed_source, "inconclusive", 3),
        (_unblessed, "inconclusive", 3),
        (_not_comparable, "inconclusive", 3),
    ],
)
def test_every_outcome_is_said_the_same_everywhere(
    project: Path, run: Run, change: Callable[[Path], None], outcome: str, code: int
) -> None:
    """Process, last line, JSON, JSON lines, Markdown and both report files name one outcome."""
    assert run("eval", "queries.yaml", "--bless").exit_code == 0
    change(project)
    table = run("eval", "queries.yaml")
    line = table.stdout.splitlines()[-1]
    assert (table.exit_code, line.startswith(f"{outcome.upper()} (exit {code}): ")) == (code, True)
    for form in ("json", "jsonl", "md"):
        result = run("eval", "queries.yaml", "--format", form)
        assert result.exit_code == code
        if form == "md":
            assert result.stdout.splitlines()[3] == f"**{line}**"
            continue
        values = json.loads(result.stdout if form == "json" else result.stdout.splitlines()[-1])
        assert (values["outcome"], values["exit_code"], values["verdict"]) == (outcome, code, line)
    written = json.loads((project / "reports/latest/report.json").read_bytes())
    assert (written["outcome"], written["exit_code"], written["verdict"]) == (outcome, code, line)


def test_a_failing_must_without_a_baseline_is_failed(project: Path, run: Run) -> None:
    """Nothing to regress from: failed, exit code 1."""
    _failing(project)
    result = run("eval", "queries.yaml")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "FAILED (exit 1): 0 of 1 must queries"


def test_a_named_baseline_that_is_missing_is_inconclusive(project: Path, run: Run) -> None:
    """Nobody can say whether anything regressed."""
    result = run("eval", "queries.yaml", "--baseline", "evals/none.json")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("INCONCLUSIVE (exit 3): ")


def test_the_mistake_goes_before_the_no_and_the_no_before_the_unknown(
    project: Path, run: Run
) -> None:
    """2, then 1, then 3, where several apply."""
    failing = "id: z, query: heron water nest, k: 1, expect_paths: [docs/wren.md]"
    (project / "queries.yaml").write_text(_suite(failing, _RULES["dangling"][1]))
    assert run("eval", "queries.yaml").exit_code == 1
    assert run("eval", "queries.yaml", "--lint").exit_code == 2
    assert run("eval", "queries.yaml", "--baseline", "none.json").exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "absent.yaml"],
        ["eval"],
        ["eval", "broken.yaml"],
        ["compare", "absent", "now"],
        ["bisect", "heron"],
    ],
)
def test_the_callers_mistakes_end_with_2(project: Path, run: Run, arguments: list[str]) -> None:
    """No suite, a broken one, no run, nothing expected: nothing on stdout, exit code 2."""
    (project / "broken.yaml").write_text("version: 1\nqueries: [")
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
