"""`memidx ablate` judges sources over a real index and ends as documented."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support import write_tree

_CONFIG = "".join(
    f'[[sources]]\nname = "{name}"\ninclude = ["{name}/**"]\n' for name in ("docs", "spam")
)
_SUITE = """version: 1
queries:
- {id: lock, query: lock, severity: must, k: 1, expect_paths: [docs/lock.md]}
- {id: time, query: timeout, severity: must, k: 1, expect_paths: [docs/lock.md]}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source that helps and one that hurts, in the working folder."""
    write_tree(
        tmp_path,
        {
            "memidx.toml": _CONFIG,
            "docs/lock.md": "# Lock\n\nA lock has a timeout.\n",
            "spam/spam.md": "# timeout timeout\n\ntimeout timeout timeout\n",
            "queries.yaml": _SUITE,
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "exit_code", "last"),
    [
        ("", 0, "PASSED (exit 0): 1 of 2 sources help some queries and hurt none; spam hurt some"),
        ("--source docs", 0, "PASSED (exit 0): docs helps 1 query and hurts none: accepted"),
        ("--source spam", 1, "FAILED (exit 1): spam helps 0 queries and hurts 1: not accepted"),
    ],
)
def test_the_rule_decides(run: Run, project: Path, options: str, exit_code: int, last: str) -> None:
    """Without a candidate the figures gate nothing; a candidate that hurts is not accepted."""
    result = run("ablate", "queries.yaml", *options.split())
    assert result.exit_code == exit_code, result.stderr
    assert result.stdout.splitlines()[-1] == last
    report = (project / "reports" / "ablation-queries.md").read_text()
    assert report.startswith("<!-- artifact_type: memidx-report -->\n# Ablation on queries\n")
    assert "grep" in result.stdout
    assert "\r" not in result.stderr


def test_a_label_that_rotted_ends_with_3(run: Run, project: Path) -> None:
    """What the rest says is shown, and the last line says what is missing."""
    gone = "- {id: gone, query: lock, severity: must, expect_paths: [docs/gone.md]}\n"
    (project / "queries.yaml").write_text(_SUITE + gone)
    result = run("ablate", "queries.yaml", "--source", "docs")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("INCONCLUSIVE (exit 3): queries that cannot")


def test_every_form_says_the_same(run: Run, project: Path) -> None:
    """Table, Markdown and JSON have one verdict; Markdown is the report's file."""
    arguments = ("ablate", "queries.yaml", "--report", "out/a.md", "--strategy", "hybrid")
    table = run(*arguments).stdout
    markdown = run(*arguments, "--format", "md").stdout
    whole = json.loads(run(*arguments, "--format", "json").stdout)
    assert table.splitlines()[-1] == whole["verdict"]
    assert markdown == (project / "out" / "a.md").read_text()
    assert whole["facts"]["strategy"] == "hybrid"
    assert [row["kind"] for row in whole["rows"]][-1] == "grep"
    assert all(row["n_bytes"] >= 0 for row in whole["rows"])


@pytest.mark.parametrize(
    "arguments",
    [
        "ablate",
        "ablate no-such-file.yaml",
        "ablate queries.yaml --source dosc",
        "ablate queries.yaml --strategy dense",
        "ablate queries.yaml --store no-such-store",
    ],
)
def test_a_mistake_ends_with_2_or_3(run: Run, project: Path, arguments: str) -> None:
    """2 for the caller's, 3 where there is no such store; nothing is written."""
    result = run(*arguments.split())
    assert result.exit_code == (3 if "no-such-store" in arguments else 2)
    assert result.stdout == ""
    assert not (project / "reports").exists()
