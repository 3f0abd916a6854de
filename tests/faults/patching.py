"""A project whose builds patch, and a disk that does not do as it was told."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx import files
from memidx.results import BuildReport
from tests.support import write_tree

PATCHING = {"MEMIDX_INCREMENTAL_SED": "1"}
# What sed treats specially, JSON escapes, and neither.
TRICKY = '# Töne 部署\n\nC:\\new\\table \\x41 \\\\ "q" & / \\1 \t tab \u2028 \x7f end  \n'
NOTES = {f"{n:02}.md": f"# Note {n}\n\nLocks, and {n * 7} words.\n" for n in range(12)}
NOTES["tricky.md"] = TRICKY


class Project:
    """Files, a store beside them, and what a clean build of the files gives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = write_tree(folder / "root", NOTES)
        self.store = folder / "store"

    def build(self, *, env: dict[str, str] = PATCHING, **options: Any) -> BuildReport:
        """A build, patching if it can."""
        return memidx.build([str(self.root)], store=str(self.store), env=env, **options)

    def edit(self, name: str, text: str | bytes) -> None:
        """Write one file."""
        write_tree(self.root, {name: text})

    def committed(self) -> dict[str, bytes]:
        """Every file of the store that is committed."""
        return committed(self.store)

    def clean(self) -> dict[str, bytes]:
        """What a build without the setting writes where nothing was."""
        place = self.folder / "clean"
        shutil.rmtree(place, ignore_errors=True)
        memidx.build([str(self.root)], store=str(place), env={})
        return committed(place)

    @property
    def script(self) -> Path:
        """Where the last script stays."""
        return self.store / ".cache" / "incremental-update.sed"

    def local_names(self) -> set[str]:
        """What is in the cache folder, snapshots by one name; a look may have an edit beside it."""
        cache = self.store / ".cache"
        names = {path.relative_to(cache).as_posix() for path in cache.rglob("*")}
        names.discard("state-edit.json")
        return {"snapshot" if name.startswith("snapshot-") else name for name in names}


def committed(store: Path) -> dict[str, bytes]:
    """Every file of a store that is committed."""
    return {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}


@cache
def gnu_sed() -> str:
    """The program; the test is skipped where it is another sed, or none."""
    for name in ("gsed", "sed"):
        program = shutil.which(name)
        if program is not None:
            version = subprocess.run([program, "--version"], capture_output=True, check=False)
            if b"GNU sed" in version.stdout:
                return program
    pytest.skip("there is no GNU sed here to compare with")


def sed(script: Path, data: bytes) -> bytes:
    """What GNU sed makes of some bytes."""
    done = subprocess.run(
        [gnu_sed(), "-f", str(script)],
        input=data,
        capture_output=True,
        check=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    assert done.stderr == b""
    return done.stdout


def break_writes(
    monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[bytes, bytes], bytes]
) -> None:
    """The next write of a file of this name leaves other bytes on the disk than it was given.

    Args:
        change: Makes them of the old bytes (empty where there was no file) and the given ones.
    """
    real = files.write_atomic
    left = [name]

    def write(path: str, data: Any, **options: Any) -> int:
        if os.path.basename(path) not in left:
            return real(path, data, **options)
        left.clear()
        target = Path(path)
        before = target.read_bytes() if target.exists() else b""
        n_bytes: int = real(path, data, **options)
        target.write_bytes(change(before, data))
        return n_bytes

    monkeypatch.setattr(files, "write_atomic", write)
