"""Which command was asked for, and what becomes of an error?

A command's module is loaded when it is the one that runs (or when help lists them all): making
the parameters of every command takes longer than a search.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from memidx.cli import exit_codes
from memidx.cli.terminal import prepare_streams, reader_left, tell, tell_error
from memidx.errors import MemidxError
from memidx.version import VERSION

# In the order that help shows them: the order they are met in.
COMMANDS = (
    "init",
    "build",
    "query",
    "eval",
    "compare",
    "bisect",
    "tune",
    "calibrate",
    "ablate",
    "status",
    "verify",
    "merge",
    "export",
    "import",
)
# What git calls: no part of help.
HIDDEN = ("merge-driver",)

# Typer's usage errors, under the one name of theirs that is public.
_UsageError: Any = typer.BadParameter.__base__


class CommandGroup(TyperGroup):
    """The commands of memidx, loaded on demand; the one place where errors become exit codes."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, or None."""
        if cmd_name not in (*COMMANDS, *HIDDEN):
            # Typer looks here for the nearest name.
            self.commands.update((name, _load(name)) for name in COMMANDS)
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _load(cmd_name)
        return self.commands[cmd_name]

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Typer's own exits and usage errors pass."""
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except _UsageError as error:
            if not _is_unknown_option_of_query(error):
                raise
            error.show()
            tell("Hint: put -- before a query with words that begin with a dash.")
            raise typer.Exit(exit_codes.MISTAKE) from error
        except MemidxError as error:
            tell_error(error.message, error.hint)
            raise typer.Exit(exit_codes.for_error(error)) from error
        except KeyboardInterrupt as error:
            tell("Interrupted.")
            raise typer.Exit(exit_codes.INTERRUPTED) from error
        except BrokenPipeError as error:
            raise typer.Exit(exit_codes.YES) from error
        except Exception as error:
            # Python would end with 1, which means "a clean no" here.
            import traceback

            tell(traceback.format_exc())
            tell_error(
                f"memidx {VERSION} failed: {type(error).__name__}: {error}",
                "this is a fault of memidx; the lines above say where",
            )
            raise typer.Exit(exit_codes.UNFINISHED) from error


app = typer.Typer(
    name="memidx",
    cls=CommandGroup,
    no_args_is_help=True,
    # Rich would take longer to load than a search takes.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memidx {VERSION}")
        raise typer.Exit


@app.callback(
    help="Search the memory that agents keep beside the code, and measure how well that works.",
    epilog="Exit codes: 0 yes, 1 a clean no, 2 the caller's mistake, "
    "3 could not finish or inconclusive, 130 interrupted.",
)
def _callback(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version and exit.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Options before the command."""


def run() -> NoReturn:
    """Entry point of the console script and of `python -m memidx`."""
    prepare_streams()
    try:
        app(prog_name="memidx")
    except KeyboardInterrupt:
        sys.exit(exit_codes.INTERRUPTED)
    except SystemExit:
        if not reader_left():
            raise
    sys.exit(exit_codes.YES)


def _load(name: str) -> Any:
    """Typer's command for the function `NAME_command` in a module of that name."""
    from importlib import import_module

    function = f"{name.replace('-', '_')}_command"
    module = import_module(f"memidx.cli.{function}")
    single = typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
    )
    single.command(name)(getattr(module, function))
    return typer.main.get_command(single)


def _is_unknown_option_of_query(error: Any) -> bool:
    """Whether a word of a query may have been taken for an option."""
    context = getattr(error, "ctx", None)
    return hasattr(error, "option_name") and context is not None and context.info_name == "query"
