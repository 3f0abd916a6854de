"""Write docs/cli.md: the help of every command, as the command prints it.

`make docs` runs this; a test compares the file with it.
"""

from __future__ import annotations

import sys

from typer.testing import CliRunner

from memidx.cli.app import COMMANDS, app

_HEAD = """# The command line

This page is the output of `--help`; `make docs` writes it again.
Results go to stdout and everything else to stderr.
`memidx --install-completion` teaches your shell to complete commands and options.

| code | meaning |
|---|---|
| 0 | yes: any hit, the gate passed, the store is sound |
| 1 | a clean no |
| 2 | the caller's mistake: usage, configuration, suite, empty query |
| 3 | could not finish, or inconclusive |
| 130 | interrupted |

Where several apply, 2 goes before 1, and 1 before 3.
A query that finds nothing while a source failed, or while the index is stale, ends with 3.
"""


def cli_reference() -> str:
    """The page."""
    parts = [_HEAD, _section("memidx")]
    parts += [_section(f"memidx {command}") for command in COMMANDS]
    return "\n".join(parts)


def _section(command: str) -> str:
    arguments = [*command.split()[1:], "--help"]
    # The width is fixed: the page does not depend on the terminal it is made in.
    runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"})
    shown = runner.invoke(app, arguments, prog_name="memidx", catch_exceptions=False)
    help_text = "\n".join(line.rstrip() for line in shown.stdout.strip().splitlines())
    return f"## {command}\n\n```text\n{help_text}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(cli_reference())
