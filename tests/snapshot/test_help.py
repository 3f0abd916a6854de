"""The help is as documented."""

from __future__ import annotations

from pathlib import Path

from tests.snapshot.cli_reference import cli_reference


def test_the_reference_is_the_help(repository: Path) -> None:
    """docs/cli.md is what --help prints; `make docs` writes it again."""
    written = (repository / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == cli_reference(), "docs/cli.md is out of date: make docs"
