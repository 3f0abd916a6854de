"""Real git repositories for tests: the same commits on every machine, on every day."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

# What memidx is given as its environment: no setting of the person who runs the tests.
ENV = {
    "PATH": os.environ.get("PATH", os.defpath),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
_FIRST_SECOND = 1_700_000_000  # 2023-11-14T22:13:20Z


class Git:
    """A repository that is worked in.

    Args:
        folder: Its working tree; made here.
        options: Of `git init`.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self._n_commits = 0
        folder.mkdir(parents=True, exist_ok=True)
        self("init", "-q", "-b", "main", *options)

    def __call__(self, *arguments: str, data: bytes | None = None, **env: str) -> str:
        """Run git here, and give what it prints."""
        return git(self.folder, *arguments, data=data, **env)

    def commit(
        self, message: str, files: Mapping[str, str | bytes] | None = None, *options: str
    ) -> str:
        """Commit files, none for an empty commit; a minute after the last one. Its full name."""
        for name, content in (files or {}).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        if files:
            self("add", "-f", "--", *files)
        self("commit", "-q", "--allow-empty", "--allow-empty-message", *options, "-m", message,
             **self.clock())  # fmt: skip
        return self("rev-parse", "HEAD")

    def clock(self) -> dict[str, str]:
        """The dates of the next commit."""
        self._n_commits += 1
        date = f"{_FIRST_SECOND + 60 * self._n_commits} +0100"
        return {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}


def git(folder: Path, *arguments: str, data: bytes | None = None, **env: str) -> str:
    """Run git in a folder."""
    found = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={
            **ENV,
            "GIT_AUTHOR_NAME": "Ada Author",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Cleo Committer",
            "GIT_COMMITTER_EMAIL": "cleo@example.org",
            "GIT_AUTHOR_DATE": f"{_FIRST_SECOND} +0000",
            "GIT_COMMITTER_DATE": f"{_FIRST_SECOND} +0000",
            **env,
        },
        input=data,
        capture_output=True,
        check=False,
    )
    if found.returncode:
        pytest.fail(f"git {arguments}: {found.stderr.decode(errors='replace')}")
    return found.stdout.decode(errors="replace").strip()


def configure(folder: Path, **options: str) -> None:
    """A configuration with one git source, with these lines in it."""
    lines = [f"{key} = {value}" for key, value in options.items()]
    text = "\n".join(["[[sources]]", 'name = "commits"', 'kind = "git"', *lines, ""])
    (folder / "memidx.toml").write_text(text, encoding="utf-8")
