"""What do the words and marks of a shell script look like, and what may be open in one?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

NAME = r"[^\s()<>;&|\"'`$\\#={}\[\]]+"
FUNCTION = re.compile(
    rf"(?:function[ \t]+({NAME})[ \t]*(?:\([ \t]*\))?|({NAME})[ \t]*\([ \t]*\))"
    r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(?=\{\s|\()"
)
BLANK = re.compile(r"(?:[ \t\f\v]|\\\n)+")
COMMENT = re.compile(r"#[^\n]*")
WORD = re.compile(r"[^\s;&|()<>\"'`$\\]+")
ENDS_WORD = " \t\f\v\n;&|)<>"
HEREDOC = re.compile(r"<<(-?)[ \t]*((?:[^\s;&|()<>\"'\\]|\\.|'[^'\n]*'|\"[^\"\n]*\")+)")
REDIRECTION = re.compile(r"<<<|&>>?|<[>&]?|>[>|&]?")
SINGLE = re.compile(r"'[^']*'")
ANSI = re.compile(r"\$'(?:[^'\\]|\\.)*'", re.DOTALL)
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]\n]*\])?\+?=")
IN_QUOTES = re.compile(r"[\"\\`$]")
IN_EXPANSION = re.compile(r"[}\\\"'`$()]")
BRACKET = re.compile(r"[()]")
LOOK_AHEAD = 500
# After these a command may begin at once.
OPENERS = frozenset(("then", "do", "else", "elif", "if", "while", "until", "time", "!", "coproc"))
CLOSERS = frozenset(("fi", "done"))
NO_COMMANDS = frozenset(("for", "select", "function", "in"))
# Of every script, and so of none.
COMMON = frozenset(
    """: . [ alias break builtin cd command continue declare echo eval exec exit export false
    getopts hash let local printf pwd read readonly return set shift shopt source test trap true
    type typeset ulimit umask unset wait""".split()  # noqa: SIM905 - short names, one a word
)
COMMAND_NAME = re.compile(r"[\w./~][\w./+:@~-]*")


class State(NamedTuple):
    """Where the reader is in a command.

    Attributes:
        command: Whether the next word is a command's name.
        in_word: Whether a word has begun that is not a plain one.
        role: What the word is, if not a command or an argument: `assignment`, `target`, `source`.
    """

    command: bool
    in_word: bool = False
    role: str = ""


@dataclass(slots=True)
class Frame:
    """Something that was opened and is to be closed.

    Attributes:
        close: `}` `)` `"` `` ` `` `]]` `esac`; `${` for the `}` of an expansion, `))` for
            arithmetic, `a)` for an array or a pattern in brackets.
        begin: Where it was opened.
        after: State of the reader behind it.
        quoted: Whether expansions in here stand in double quotes.
        part: Of `case`: `head`, `pattern` or `body`.
        function: Name and begin, where it is the body of a function.
    """

    close: str
    begin: int
    after: State
    quoted: bool
    part: str = ""
    function: tuple[str, int] | None = None

    @property
    def is_substitution(self) -> bool:
        """Whether it is part of a word of the command around it."""
        return self.close in (")", "`") and self.after.in_word


@dataclass(slots=True)
class Found:
    """What a script was found to hold; places are offsets into its text.

    Attributes:
        functions: Name, begin and end of each that is in no other one.
        commands: Place and name of each command that is no part of the shell.
        sourced: Place and name of each file that is read in.
        problems: Place and reason of what is opened and never closed.
    """

    functions: list[tuple[str, int, int]] = field(default_factory=list)
    commands: list[tuple[int, str]] = field(default_factory=list)
    sourced: list[tuple[int, str]] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
