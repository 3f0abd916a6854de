"""Two branches that each change the store merge as its documents do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memidx.store.reader import read_store
from tests.unit.store.helpers import clean_bytes, committed, make_doc, make_lines, numbered, write


class Repository:
    """A git repository with a store in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = root / "store"
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "T")
        self.git("config", "user.email", "t@example.org")

    def git(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs git here."""
        return subprocess.run(
            ["git", "-C", str(self.root), *arguments], check=check, capture_output=True, text=True
        )

    def commit(self, lines: dict[str, bytes], cap: int = 10**6) -> None:
        """Writes the store and commits all of it."""
        write(self.store, lines, cap=cap)
        self.git("add", "-A")
        self.git("commit", "-qm", "store")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Two hundred notes on the main branch."""
    repository = Repository(tmp_path / "repository")
    repository.commit(numbered(200))
    return repository


BASE = numbered(200)
ONE = make_lines([make_doc("decisions/one.md", "first\n")])
TWO = make_lines([make_doc("decisions/two.md", "second\n")])


@pytest.fixture(autouse=True)
def _a_repository_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "repository").mkdir()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (BASE | ONE, BASE | TWO),
        (BASE | numbered(1, "edited"), BASE | numbered(1, "edited", start=99)),
        (BASE | ONE, BASE | numbered(1, "edited", start=99)),
        ({d: line for d, line in BASE.items() if d != "notes/100.md"}, BASE | TWO),
    ],
    ids=["both add", "both edit", "add and edit", "remove and add"],
)
def test_changes_on_two_branches_merge_to_the_clean_store(
    repository: Repository, tmp_path: Path, ours: dict[str, bytes], theirs: dict[str, bytes]
) -> None:
    """A merge ends without a conflict, and the result is what a build would write."""
    repository.git("checkout", "-qb", "side")
    repository.commit(theirs)
    repository.git("checkout", "-q", "main")
    repository.commit(ours)
    repository.git("merge", "-q", "side")
    merged = {d: theirs.get(d, line) for d, line in ours.items() if d in theirs or d not in BASE}
    merged |= {d: line for d, line in theirs.items() if d not in BASE}
    merged |= {d: line for d, line in ours.items() if BASE.get(d) != line}
    stored = read_store(str(repository.store))
    assert stored.damage == ()
    assert stored.lines == merged
    assert committed(repository.store) == clean_bytes(tmp_path / "clean", merged)


def test_a_note_added_on_each_of_many_branches_merges(repository: Repository) -> None:
    """Twenty branches, one note each: hardly ever neighbours in two hundred lines."""
    conflicts = 0
    for n in range(20):
        repository.git("checkout", "-q", "main")
        repository.git("checkout", "-qb", f"side{n}", "main~0")
        repository.commit(BASE | make_lines([make_doc(f"decisions/{n}.md", f"{n}\n")]))
    repository.git("checkout", "-q", "main")
    for n in range(20):
        if repository.git("merge", "-q", f"side{n}", check=False).returncode:
            conflicts += 1
            repository.git("merge", "--abort")
    # Each pair of twenty falls into the same gap of two hundred with a chance of 1 in 200.
    assert conflicts <= 3
    stored = read_store(str(repository.store))
    assert stored.damage == ()
    assert len(stored.lines) == 220 - conflicts


def test_a_conflict_is_found_and_the_next_write_ends_it(
    repository: Repository, tmp_path: Path
) -> None:
    """The same note edited twice: markers by name and line, the other documents readable."""
    repository.git("checkout", "-qb", "side")
    repository.commit(BASE | numbered(1, "theirs", start=50))
    repository.git("checkout", "-q", "main")
    repository.commit(BASE | numbered(1, "ours", start=50))
    assert repository.git("merge", "-q", "side", check=False).returncode == 1
    stored = read_store(str(repository.store))
    reasons = [damage.reason for damage in stored.damage]
    for marker in ("<<<<<<<", "=======", ">>>>>>>"):
        assert f"conflict marker {marker} of an unfinished merge" in reasons
    assert set(BASE) - set(stored.lines) == {"notes/050.md"}
    resolved = {**stored.lines, **numbered(1, "both", start=50)}
    write(repository.store, resolved)
    assert committed(repository.store) == clean_bytes(tmp_path / "clean", resolved)


def test_an_edit_is_one_line_in_the_diff(repository: Repository) -> None:
    """What a reviewer sees of one changed document."""
    write(repository.store, BASE | numbered(1, "edited", start=7))
    assert repository.git("diff", "--numstat").stdout == "1\t1\tstore/docs.jsonl\n"
