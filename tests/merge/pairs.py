"""Random pairs of branches in real repositories, and what becomes of their stores.

`python -m tests.merge.pairs 200` prints the figures of docs/git.md; the suite runs a few pairs.
Each pair is made from a seed alone. Two branches leave one commit, each adds, edits, deletes and
renames notes, builds and commits its store; then they are merged twice, by git's own merge of lines
and by the merge driver, and what is left undecided is decided as a person would.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import memidx
from tests.git_support import ENV, Git

SIZES = (200, 400, 700, 1000)
_WORDS = [
    *("lock", "shard", "branch", "commit", "query", "merge", "note", "index", "token", "writer"),
    *("reader", "cache", "release", "budget", "parser", "deploy", "rollback", "schema", "vector"),
    *("latency", "backup", "quota", "session", "retry"),
]
_FOLDERS = ("docs", "docs/decisions", "notes/2026", "notes/plans")


@dataclass
class Tally:
    """What happened to a number of pairs; the names are those of docs/git.md."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def table(self) -> str:
        """A figure a line, and then whatever was wrong."""
        lines = [f"{name}: {n}" for name, n in sorted(self.counts.items())]
        return "\n".join([*lines, f"wrong: {len(self.wrong)}", *self.wrong])


def measure(folder: Path, n_pairs: int, sizes: Sequence[int] = SIZES) -> Tally:
    """Make pairs, spread over the sizes, merge them in both ways, and look at every store."""
    tally = Tally()
    for n, size in enumerate(sizes):
        here = n_pairs // len(sizes) + (n < n_pairs % len(sizes))
        if here:
            project = Project(folder / f"notes-{size}", size)
            for seed in range(here):
                project.pair(1000 * size + seed, tally)
    return tally


class Project:
    """A repository with notes, a committed store and the merge driver.

    Args:
        folder: Its working tree; made here.
        size: Notes on the commit that branches leave from.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.git = Git(folder)
        self.git("config", "core.fsync", "none")  # nothing here has to outlive a power cut
        self.folder = folder
        self._clean: tuple[str, Mapping[str, bytes]] = "", {}
        rng = random.Random(size)
        notes = {_new_name(rng, n): _text(rng) for n in range(size)}
        for name, text in notes.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (folder / "memidx.toml").write_text('[[sources]]\nname = "docs"\ninclude = ["**"]\n')
        _run(folder, "init", "--git")
        (folder / "queries.yaml").unlink(missing_ok=True)
        self.driver = self.git("config", "merge.memidx.driver")
        self.base = self.build_and_commit("base")

    def build_and_commit(self, message: str) -> str:
        """Bring the store up to date and commit everything."""
        memidx.build(root=str(self.folder), env=ENV)
        self.git("add", "-A")
        return self.git.commit(message)

    def pair(self, seed: int, tally: Tally) -> None:
        """One pair of branches, merged in both ways."""
        rng = random.Random(seed)
        # From a morning's work to a branch that was left alone for weeks.
        most_edits = rng.choice((3, 6, 12, 25, 60))
        tips = []
        for side in ("ours", "theirs"):
            self.git("checkout", "-q", "-f", "-B", side, self.base)
            self.git("clean", "-q", "-f", "-d")
            change(self.folder, rng, rng.randint(1, most_edits), f"{side}-{seed}")
            tips.append(self.build_and_commit(f"{side} of {seed}"))
        tally.counts["pairs"] += 1
        for way in ("by line", "by document"):
            if way == "by line":
                # As in a clone where nobody called `memidx init --git`.
                self.git("config", "--remove-section", "merge.memidx")
            else:
                self.git("config", "merge.memidx.driver", self.driver)
            self.git("checkout", "-q", "-f", "-B", "main", tips[0])
            self.git("clean", "-q", "-f", "-d")
            clean = self._merge(f"pair {seed} {way}", way, tips[1], tally)
            tally.counts[f"store clean, up to {most_edits:2} changes a side, {way}"] += clean
        tally.counts[f"pairs, up to {most_edits:2} changes a side"] += 1
        self.git("config", "merge.memidx.driver", self.driver)

    def _merge(self, name: str, way: str, theirs: str, tally: Tally) -> bool:
        """Merge, decide what is left, look at the store; whether git left none of it."""
        code = _code(self.folder, "merge", "-q", "--no-edit", theirs, **self.git.clock())
        undecided = set(self.git("diff", "--name-only", "--diff-filter=U").splitlines())
        store = {path for path in undecided if path.startswith("store/")}
        sources = undecided - store
        if bool(code) != bool(undecided):
            tally.wrong.append(f"{name}: git ended with {code} and {len(undecided)} conflicts")
        if sources:
            tally.counts[f"sources in conflict, {way}"] += 1
            refused = _run(self.folder, "merge", fails=True)
            if refused != 2:
                tally.wrong.append(f"{name}: memidx merge ended with {refused} on open sources")
            for path in sources:
                self._decide(path)
        if not store:
            tally.counts[f"store clean, {way}"] += 1
            # The store is as git made it; were the sources decided, it may be behind them.
            if not sources:
                self._look(name, f"clean and behind, {way}", tally)
        if undecided:
            tally.counts[f"memidx merge called, {way}"] += 1
            _run(self.folder, "merge")
            self.git.commit("merged")
            self._look(name, None, tally)
        return not store

    def _clean_build(self) -> Mapping[str, bytes]:
        """The store that the sources as they are now give, where there was none."""
        key = self.git("ls-files", "--stage", "--", "docs", "notes", "memidx.toml")
        if key != self._clean[0]:
            store = self.folder.parent / f"{self.folder.name}-clean"
            memidx.build(root=str(self.folder), store=str(store), full=True, env=ENV)
            self._clean = key, store_bytes(store)
        return self._clean[1]

    def _decide(self, path: str) -> None:
        """Decide a source's conflict as a person may: ours where there is one, else gone."""
        if self.git("ls-files", "--stage", "--", path).count(" 2\t"):
            self.git("checkout", "-q", "--ours", "--", path)
            self.git("add", "--", path)
        else:
            self.git("rm", "-q", "--cached", "--ignore-unmatch", "--", path)
            (self.folder / path).unlink(missing_ok=True)

    def _look(self, name: str, behind: str | None, tally: Tally) -> None:
        """Compare the merged store with a clean build of the merged sources.

        Args:
            behind: What a store that is behind is counted as; None makes it wrong.
        """
        with memidx.open(str(self.folder / "store"), root=str(self.folder), env=ENV) as index:
            report = index.verify()
        check = memidx.build(root=str(self.folder), check=True, env=ENV)
        if check.behind and behind:
            tally.counts[behind] += 1
        elif check.behind or not report.sound or report.damage:
            tally.wrong.append(f"{name}: verify {report}")
            return
        memidx.build(root=str(self.folder), env=ENV)
        if self._clean_build() != store_bytes(self.folder / "store"):
            tally.wrong.append(f"{name}: the next build is not a clean build")
        elif self.git("status", "--porcelain") and not check.behind:
            tally.wrong.append(f"{name}: a build changed a store that was up to date")


def change(root: Path, rng: random.Random, n_edits: int, tag: str) -> None:
    """Add, edit, delete and rename notes."""
    for n in range(n_edits):
        names = sorted(
            path.relative_to(root).as_posix()
            for folder in ("docs", "notes")
            for path in (root / folder).rglob("*.md")
        )
        what = rng.choices(("add", "edit", "delete", "rename"), weights=(5, 4, 1, 1))[0]
        chosen = root / rng.choice(names)
        if what == "add":
            path = root / _new_name(rng, f"{tag}-{n}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_text(rng), encoding="utf-8")
        elif what == "edit":
            lines = chosen.read_text(encoding="utf-8").splitlines()
            lines[rng.randrange(len(lines))] = _sentence(rng)
            chosen.write_text("\n".join(lines) + "\n", encoding="utf-8")
        elif what == "delete":
            chosen.unlink()
        else:
            chosen.rename(chosen.with_name(f"renamed-{tag}-{n}.md"))


def store_bytes(store: Path) -> Mapping[str, bytes]:
    """The committed files of a store."""
    return {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}


def _new_name(rng: random.Random, tag: object) -> str:
    return f"{rng.choice(_FOLDERS)}/{rng.choice(_WORDS)}-{tag}.md"


def _sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(_WORDS, k=rng.randint(5, 12))).capitalize() + "."


def _text(rng: random.Random) -> str:
    body = "\n".join(_sentence(rng) for _ in range(rng.randint(4, 30)))
    return f"# {' '.join(rng.choices(_WORDS, k=3))}\n\n{body}\n"


def _run(folder: Path, *arguments: str, fails: bool = False) -> int:
    """Run memidx in a process of its own, as a person would."""
    command = [sys.executable, "-P", "-m", "memidx", *arguments]
    found = subprocess.run(command, cwd=folder, env=ENV, capture_output=True, check=False)
    if found.returncode and not fails:
        raise AssertionError(f"memidx {arguments}: {found.stderr.decode()}")
    return found.returncode


def _code(folder: Path, *arguments: str, **env: str) -> int:
    """Run git and give its exit code."""
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
             for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))}  # fmt: skip
    found = subprocess.run(
        ["git", *arguments], cwd=folder, env={**ENV, **names, **env}, capture_output=True
    )
    return found.returncode


if __name__ == "__main__":
    import tempfile

    n_wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as place:
        found = measure(Path(place), n_wanted)
    sys.stdout.write(found.table() + "\n")
    sys.exit(bool(found.wrong))
