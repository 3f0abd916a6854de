"""A private path is remembered without being written down, and is still told from another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memidx
from memidx.indexing.veil import as_recorded, veiled
from memidx.sources.survey import Survey
from tests.support import write_tree

TOKEN = "ghp_" + "a1B2c3D4e5" * 4
PRIVATE = [f"docs/{TOKEN}.md", f"{TOKEN}/.memidxignore", "docs/C:\\Users\\zelda\\x.md"]
PLAIN = ["docs/a.md", "docs/-Users-zelda-code/memory.md", "docs/home/a.md", ""]


def test_only_private_paths_are_veiled() -> None:
    """Each to a name of its own; a list of ignores is still known for one."""
    veils = veiled({path: n for n, path in enumerate([*PLAIN, *PRIVATE])})
    assert list(veils.values()) == list(range(len(PLAIN) + len(PRIVATE)))
    assert list(veils)[: len(PLAIN)] == PLAIN
    assert TOKEN not in json.dumps(list(veils))
    assert "zelda\\" not in json.dumps(list(veils))
    assert [path.endswith("/.memidxignore") for path in list(veils)[-3:]] == [False, True, False]
    split = f"a\n{TOKEN}.md"
    assert TOKEN not in json.dumps(list(veiled(dict.fromkeys([*PLAIN, split, "b.md"]))))
    assert veiled({}) == {}
    assert list(veiled(dict.fromkeys(PLAIN))) == PLAIN


def test_a_survey_is_told_as_it_was_recorded() -> None:
    """What was not recorded stays as it is, so that it is seen to be new."""
    watched = veiled(dict.fromkeys([*PLAIN, *PRIVATE[:2]], 1))
    failed = veiled({TOKEN: "gone"})
    found = dict.fromkeys([*PLAIN, *PRIVATE], 1)
    seen = as_recorded(Survey(found, {}, {TOKEN: "gone"}, ()), watched, failed)  # type: ignore[arg-type]
    assert seen.files == {**watched, PRIVATE[2]: 1}
    assert seen.failed == failed
    plain = Survey(found, {}, {}, ())  # type: ignore[arg-type]
    assert as_recorded(plain, PLAIN, ()).files is found


@pytest.mark.parametrize("name", [f"{TOKEN}.md", "C:\\Users\\zelda\\x.md"])
def test_a_private_file_costs_no_further_looks(tmp_path: Path, name: str) -> None:
    """Searches go on at once, edits of others are taken in alone, and its own coming is seen."""
    root = write_tree(tmp_path, {"a.md": "A lantern.\n", "b.md": "A candle.\n", name: "A torch.\n"})
    memidx.build(root=str(root), env={})
    with memidx.open(str(root / "store"), env={}) as index:
        index.search("lantern")  # settles what was edited just now
        for _ in range(2):
            answer = index.search("torch")
            assert (answer.n_matched, answer.freshness) == (0, "fresh")
            assert [skip.reason for skip in answer.skipped] == [
                "the path itself holds a secret or a home folder"
            ]
        write_tree(root, {"a.md": "A lighthouse.\n"})
        assert index.search("lighthouse").n_matched == 1
        assert index.refresh().n_parsed == 0
        (root / name).unlink()
        assert index.search("lighthouse").skipped == ()
        write_tree(root, {name: "A torch again.\n"})
        assert len(index.search("lighthouse").skipped) == 1
    state = b"".join(p.read_bytes() for p in (root / "store/.cache").rglob("*") if p.is_file())
    assert TOKEN.encode() not in state
    assert b"zelda" not in state


def test_what_a_survey_says_may_be_private_is_looked_at_alone() -> None:
    """The same names are veiled, also where a path is no ASCII or more of them are named."""
    found = dict.fromkeys([*PLAIN, *PRIVATE, f"é/{TOKEN}.md", "ü.md"], 1)
    told = frozenset([*PRIVATE, PLAIN[0], "elsewhere.md"])
    assert veiled(found, told) == veiled(found)
    assert list(veiled(found, told)) == list(veiled(found))
    plain = dict.fromkeys(PLAIN, 1)
    assert veiled(plain, frozenset()) == plain
