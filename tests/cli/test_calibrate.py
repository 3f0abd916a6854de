"""`memidx calibrate` fits, checks and applies thresholds, and ends as documented."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support import write_tree


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty documents of a word each; as many right strong queries, and 20 that find too much.

    A query for nothing asks for one document's word and two that are nowhere.
    """
    suite = ["version: 1", "queries:"]
    for n in range(40):
        write_tree(tmp_path, {f"docs/d{n:02}.md": f"# Note {n}\n\ntopic{n:03}\n"})
        path = f"docs/d{n:02}.md"
        suite.append(f"- {{id: s{n}, query: topic{n:03}, severity: must, expect_paths: [{path}]}}")
    for n in range(20):
        suite.append(
            f"- {{id: none{n}, query: topic{n:03} anvil bassoon, category: no-answer, "
            "severity: should, expect_empty: true}"
        )
    write_tree(
        tmp_path,
        {
            "queries.yaml": "\n".join(suite) + "\n",
            "toy/corpus.jsonl": '{"_id": "d1", "text": "a lock"}\n',
            "toy/queries.jsonl": '{"_id": "q1", "text": "lock"}\n',
            "toy/qrels.tsv": "q1\td1\t1\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _confidence(run: Run, query: str) -> tuple[str, list[str]]:
    answer = json.loads(run("query", query, "--format", "json").stdout)
    return answer["hits"][0]["confidence"], answer["notes"]


def test_what_holds_is_applied_and_read(run: Run, project: Path) -> None:
    """A one-word hit that published thresholds call reliable for a question about nothing is not.

    After an edit the published ones label again, and the answer says so.
    """
    run("build")
    assert _confidence(run, "topic003 anvil bassoon")[0] == "reliable"
    result = run("calibrate", "queries.yaml", "--apply")
    assert result.exit_code == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == "PASSED (exit 0): lexical: both promises are kept"
    assert "Applied: " in result.stderr
    assert _confidence(run, "topic003") == ("reliable", [])
    label, notes = _confidence(run, "topic003 anvil bassoon")
    assert label == "candidate"
    assert not any("published" in note for note in notes)
    (project / "docs" / "d39.md").write_text("# Note 39\n\ntopic039 changed\n")
    label, notes = _confidence(run, "topic003 anvil bassoon")
    assert label == "reliable"
    assert any("labels are by published thresholds" in note for note in notes)


def test_the_store_does_not_change_and_no_source_takes_what_is_written(
    run: Run, project: Path
) -> None:
    """Thresholds, splits and reports are nobody's memory; a second run gives the same bytes."""
    (project / "memidx.toml").write_text(
        '[[sources]]\nname = "docs"\ninclude = ["docs/**"]\n'
        '[[sources]]\nname = "data"\nkind = "records"\ninclude = ["evals/**"]\n'
    )
    (project / "evals").mkdir()
    run("build")
    arguments = ("calibrate", "queries.yaml", "--apply", "--hold-out", "0.5")
    first = run(*arguments)
    written = {
        path: (project / path).read_bytes()
        for path in (
            "evals/calibration.json",
            "evals/splits.yaml",
            "reports/calibration-queries.md",
        )
    }
    assert run("build", "--check").exit_code == 0
    assert run(*arguments).stdout == first.stdout
    for path, data in written.items():
        assert (project / path).read_bytes() == data


def test_nothing_is_written_without_apply(run: Run, project: Path) -> None:
    """But the report."""
    assert run("calibrate", "queries.yaml").exit_code == 0
    assert not (project / "evals").exists()
    report = (project / "reports" / "calibration-queries.md").read_text()
    assert report.startswith("<!-- artifact_type: memidx-report -->\n# Calibration on queries\n")


def test_too_little_ends_with_3_and_applies_nothing(run: Run, project: Path) -> None:
    """.99 is more than forty right answers can promise."""
    result = run(
        "calibrate", "queries.yaml", "--apply", "--precision", "0.99", "--precision", "0.5"
    )
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("INCONCLUSIVE (exit 3): lexical: 0.99 is out")
    assert "Nothing is applied" in result.stderr
    assert not (project / "evals").exists()


def test_a_broken_promise_ends_with_1_and_applies_nothing(run: Run, project: Path) -> None:
    """Right ones fit, and those kept aside find nothing that is asked for."""
    suite = ["version: 1", "queries:"]
    for n in range(40):
        # The last twenty want a document that their words are not about.
        wanted = n if n < 20 else n - 20
        suite.append(
            f"- {{id: s{n}, query: topic{n:03}, severity: should, "
            f"expect_paths: [docs/d{wanted:02}.md]}}"
        )
    sides = {"held_out": range(20, 40), "tuning": range(20)}
    split = "version: 1\nsplits:\n- name: queries.yaml\n  share: 0.5\n"
    for side, numbers in sides.items():
        split += f"  {side}: [{', '.join(f's{n}' for n in numbers)}]\n"
    write_tree(project, {"queries.yaml": "\n".join(suite) + "\n", "evals/splits.yaml": split})
    result = run("calibrate", "queries.yaml", "--apply")
    assert result.exit_code == 1, result.stdout
    assert result.stdout.splitlines()[-1].startswith("FAILED (exit 1): lexical: reliable promised")
    assert not (project / "evals" / "calibration.json").exists()


def test_a_damaged_file_is_written_anew(run: Run, project: Path) -> None:
    """It stops neither a search nor the calibration that replaces it."""
    run("build")
    write_tree(project, {"evals/calibration.json": "<<<<<<< ours\n"})
    _, notes = _confidence(run, "topic003")
    assert any("damaged" in note for note in notes)
    assert run("calibrate", "queries.yaml", "--apply").exit_code == 0
    assert _confidence(run, "topic003") == ("reliable", [])


def test_every_form_says_the_same(run: Run, project: Path) -> None:
    """Table, Markdown and JSON have one verdict; Markdown is the report's file."""
    arguments = ("calibrate", "queries.yaml", "--strategy", "all", "--report", "out/c.md")
    table = run(*arguments)
    markdown = run(*arguments, "--format", "md").stdout
    whole = json.loads(run(*arguments, "--format", "json").stdout)
    assert table.stdout.splitlines()[-1] == whole["verdict"]
    assert table.exit_code == whole["exit_code"]
    assert markdown == (project / "out" / "c.md").read_text()
    assert [s["strategy"] for s in whole["strategies"]] == ["lexical", "vector", "hybrid"]
    assert whole["schema"] == "memidx.calibration-report/1"


@pytest.mark.parametrize(
    "arguments",
    [
        "calibrate",
        "calibrate no-such-file.yaml",
        "calibrate queries.yaml --beir toy",
        "calibrate --beir toy --apply",
        "calibrate queries.yaml --apply --analyzer ascii-compat",
        "calibrate queries.yaml --strategy dense",
        "calibrate queries.yaml --precision 0.9",
        "calibrate queries.yaml --precision 0.5 --precision 0.9",
        "calibrate queries.yaml --hold-out 1.5",
        "calibrate queries.yaml --split no-such-split.yaml",
    ],
)
def test_a_mistake_ends_with_2(run: Run, project: Path, arguments: str) -> None:
    """A flag is never ignored in silence, and nothing is written."""
    result = run(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "rror" in result.stderr
    assert not (project / "reports").exists()
    assert not (project / "evals").exists()
