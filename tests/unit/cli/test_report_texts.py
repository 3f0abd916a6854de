"""Builds, status and verification are told in a few lines."""

from __future__ import annotations

import os

from memidx.cli.build_text import build_problems, build_text, problem_text
from memidx.cli.status_text import status_text
from memidx.cli.verify_text import verify_text
from memidx.results import PatchReport
from memidx.search.answer import Problem
from tests.cli.fakes import FAILED, build_report, verify_report


def test_a_build_is_told_by_source_and_in_sum() -> None:
    """Documents by source come first, the store and what changed last."""
    report = build_report(
        n_docs=1200,
        n_added=1198,
        n_unchanged=2,
        n_shards=2,
        sources={"docs": 1199, "notes": 1},
    )
    assert build_text(report, check=False) == (
        "docs: 1,199 documents\n"
        "notes: 1 document\n"
        "store: 1,200 documents in 2 files; 1,198 added, 0 changed, 0 removed, 2 unchanged; 1.2 s"
    )


def test_a_build_says_whether_it_patched() -> None:
    """The place of the line and its document, or the name of the reason and what it was."""
    applied = PatchReport(applied=True, doc_id="a\tb.md", shard="docs-3.jsonl", line=12)
    text = build_text(build_report(patch=applied), check=False)
    assert text.splitlines()[-1] == "patched docs-3.jsonl:12: a b.md"
    declined = PatchReport(
        applied=False, declined="source_set_changed", detail="1 added, 0 removed"
    )
    report = build_report(patch=declined)
    assert build_text(report, check=False).splitlines()[-1] == (
        "not patched: source_set_changed (1 added, 0 removed)"
    )
    assert report.to_dict()["patch"] == {
        "applied": False,
        "declined": "source_set_changed",
        "detail": "1 added, 0 removed",
        "doc_id": None,
        "shard": None,
        "line": None,
    }
    assert build_report().to_dict()["patch"] is None


def test_a_check_lists_what_a_build_would_do() -> None:
    """Added, changed and removed documents are named, and the way out."""
    report = build_report(
        behind=True,
        manifest_differs=True,
        added=("a.md",),
        changed=("b.md",),
        removed=("c.md",),
        n_added=1,
        n_changed=1,
        n_removed=1,
        n_unchanged=0,
    )
    assert build_text(report, check=True) == (
        "+ a.md\n~ b.md\n- c.md\n~ the settings of the sources\n"
        "store is behind its sources: 1 added, 1 changed, 1 removed, 0 unchanged\n"
        "memidx build brings it up to date."
    )


def test_a_check_of_a_current_store_is_one_line() -> None:
    """Nothing to do is said as such."""
    assert build_text(build_report(), check=True) == (
        "store is up to date: 0 added, 0 changed, 0 removed, 3 unchanged"
    )


def test_a_store_elsewhere_is_named_in_full() -> None:
    """A path that would climb out of the working folder is shown as it is."""
    elsewhere = os.path.abspath(os.path.join(os.pardir, "other", "store"))
    assert build_text(build_report(store=elsewhere), check=True).startswith(elsewhere)


def test_what_was_not_taken_in_is_named() -> None:
    """Skips carry path, line and reason; failed sources what becomes of their documents."""
    problems = build_problems(
        build_report(
            skips=(Problem("a.jsonl", "not JSON", line=7, source="notes"),),
            unsupported={".png": 12, "": 1},
            sources_failed=(FAILED,),
            notes=("one thing",),
        )
    ).splitlines()
    assert problems[:4] == [
        "Note: one thing",
        "Not read by any configured kind: 12 .png, 1 without suffix",
        "Skipped: notes: a.jsonl:7: not JSON",
        "Source failed: notes: no such folder",
    ]
    assert problems[4].startswith("Documents of a failed source stay in the store")
    assert build_problems(build_report()) == ""


def test_long_lists_are_cut() -> None:
    """A person sees the first twenty, and how to get the rest."""
    skips = tuple(Problem(f"{i}.md", "empty") for i in range(1500))
    lines = build_problems(build_report(skips=skips)).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "... and 1,480 more (--format json)"


def test_names_of_files_do_not_steer_the_terminal() -> None:
    """A control character in a path is shown as a space."""
    assert problem_text(Problem("a\x1b[2J.md", "bad\nname")) == "a [2J.md: bad name"


def test_status_is_names_and_values() -> None:
    """Nested figures are named by their path, absent ones are none."""
    text = status_text(
        {
            "n_docs": 1200,
            "root": None,
            "fresh": True,
            "index": {"build_id": "b1"},
            "sources": [{"name": "docs", "n_docs": 3}],
            "shards": [],
        }
    )
    assert [line.split(maxsplit=1) for line in text.splitlines()] == [
        ["n_docs", "1,200"],
        ["root", "none"],
        ["fresh", "yes"],
        ["index.build_id", "b1"],
        ["sources", "name docs, n_docs 3"],
        ["shards", "none"],
    ]


def test_a_sound_store_is_one_line() -> None:
    """The verdict comes with what was looked at."""
    assert verify_text(verify_report()) == (
        "sound: 3 lines, 3 documents, 0 damaged places, 0 behind"
    )


def test_damage_is_named_by_file_and_line() -> None:
    """Every finding has its place; the last line says that the store is not sound."""
    text = verify_text(
        verify_report(
            sound=False,
            damage=(Problem("store/docs.jsonl", "checksum", line=2),),
            behind=("a.md",),
            manifest_differs=True,
            skipped=(Problem("bad.md", "not UTF-8", source="docs"),),
        )
    )
    assert text.splitlines() == [
        "Damaged: store/docs.jsonl:2: checksum",
        "Behind: a.md",
        "Skipped: docs: bad.md: not UTF-8",
        "Behind: the settings of the sources",
        "NOT SOUND: 3 lines, 3 documents, 1 damaged place, 1 behind",
    ]


def test_what_could_not_be_compared_is_no_verdict() -> None:
    """Without a root, or with a failed source, a store is neither sound nor damaged."""
    assert verify_text(verify_report(unchecked=True)).splitlines()[-1].startswith("inconclusive")
    assert "--root" in verify_text(verify_report(unchecked=True))
    text = verify_text(verify_report(sources_failed=(FAILED,)))
    assert text.splitlines()[0] == "Source failed: notes: no such folder"
