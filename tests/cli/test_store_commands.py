"""`memidx build`, `status` and `verify` pass on what they are told and end as documented."""

from __future__ import annotations

import json
from typing import Any

import pytest

import memidx
from memidx.errors import StoreCorrupt
from tests.cli.conftest import Run
from tests.cli.fakes import FAILED, FakeIndex, build_report, verify_report


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `memidx.build` was called with; its `report` is what it gives."""
    call: dict[str, Any] = {"report": build_report()}

    def build(paths: tuple[str, ...] = (), **options: Any) -> Any:
        call.update(paths=paths, **options)
        return call["report"]

    monkeypatch.setattr(memidx, "build", build, raising=False)
    return call


def test_every_option_reaches_the_build(run: Run, built: dict[str, Any]) -> None:
    """Paths and flags arrive as they were given."""
    options = "a b --root r --store s --no-shard --full --check --jobs 2"
    assert run("build", *options.split()).exit_code == 0
    del built["report"]
    assert built == {
        "paths": ("a", "b"),
        "root": "r",
        "store": "s",
        "shard": False,
        "full": True,
        "check": True,
        "jobs": 2,
    }


def test_a_plain_build_leaves_every_choice_open(run: Run, built: dict[str, Any]) -> None:
    """What is not said is left to the configuration."""
    run("build")
    assert built["paths"] == ()
    assert (built["root"], built["store"], built["shard"]) == (None, None, None)
    run("build", "--shard")
    assert built["shard"] is True


def test_check_ends_with_1_when_behind(run: Run, built: dict[str, Any]) -> None:
    """`--check` is a question; the answer is its code."""
    built["report"] = build_report(behind=True, n_added=1, added=("new.md",))
    result = run("build", "--check")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "+ new.md"
    assert run("build").exit_code == 0


def test_problems_of_a_build_go_to_stderr(run: Run, built: dict[str, Any]) -> None:
    """The result stays alone on stdout; a failed source leaves the build unfinished."""
    built["report"] = build_report(sources_failed=(FAILED,))
    result = run("build")
    assert result.exit_code == 3
    assert "Source failed: notes" in result.stderr
    assert "failed" not in result.stdout.lower()


def test_a_build_can_be_read_by_a_program(run: Run, built: dict[str, Any]) -> None:
    """The JSON form is the report."""
    result = run("build", "--format", "json")
    assert json.loads(result.stdout) == json.loads(json.dumps(built["report"].to_dict()))


def test_status_shows_what_the_index_says(run: Run, fake_index: FakeIndex) -> None:
    """Both forms show the same figures."""
    fake_index.status_dict = {"n_docs": 3, "store": "store"}
    assert json.loads(run("status", "--format", "json").stdout) == fake_index.status_dict
    assert run("status").stdout.split() == ["n_docs", "3", "store", "store"]


@pytest.mark.parametrize(
    ("changes", "code", "last"),
    [
        ({}, 0, "sound"),
        ({"sound": False, "behind": ("a.md",)}, 1, "NOT SOUND"),
        ({"unchecked": True}, 3, "inconclusive"),
    ],
)
def test_verify_ends_as_its_last_line_says(
    run: Run, fake_index: FakeIndex, changes: dict[str, Any], code: int, last: str
) -> None:
    """Verdict and exit code agree."""
    fake_index.report = verify_report(**changes)
    result = run("verify")
    assert result.exit_code == code
    assert result.stdout.splitlines()[-1].startswith(last)
    as_json = run("verify", "--format", "json")
    assert as_json.exit_code == code
    assert json.loads(as_json.stdout)["sound"] is fake_index.report.sound


def test_verify_of_a_store_that_will_not_open(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Damage that keeps a store from opening is damage: verify says no, not "could not finish"."""

    def broken(*_: Any, **__: Any) -> Any:
        raise StoreCorrupt("checksum", path="store/docs.jsonl", line=2)

    monkeypatch.setattr(memidx, "open", broken, raising=False)
    result = run("verify")
    assert result.exit_code == 1
    assert "store/docs.jsonl:2: checksum" in result.stderr
