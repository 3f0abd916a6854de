"""Where do the functions of a shell script end, and where are its commands?

Reads the parts of the language that decide it: quotes, comments, here documents, substitutions,
`case`, `[[ … ]]`, arithmetic, and reserved words where a command may begin. One walk over the text
with a stack of what is open, no recursion; nothing is run, and no shell's options are known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

_NAME = r"[^\s()<>;&|\"'`$\\#={}\[\]]+"
_FUNCTION = re.compile(
    rf"(?:function[ \t]+({_NAME})[ \t]*(?:\([ \t]*\))?|({_NAME})[ \t]*\([ \t]*\))"
    r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(?=\{\s|\()"
)
_BLANK = re.compile(r"(?:[ \t\f\v]|\\\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_WORD = re.compile(r"[^\s;&|()<>\"'`$\\]+")
_ENDS_WORD = " \t\f\v\n;&|)<>"
_HEREDOC = re.compile(r"<<(-?)[ \t]*((?:[^\s;&|()<>\"'\\]|\\.|'[^'\n]*'|\"[^\"\n]*\")+)")
_REDIRECTION = re.compile(r"<<<|&>>?|<[>&]?|>[>|&]?")
_SINGLE = re.compile(r"'[^']*'")
_ANSI = re.compile(r"\$'(?:[^'\\]|\\.)*'", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]\n]*\])?\+?=")
_IN_QUOTES = re.compile(r"[\"\\`$]")
_IN_EXPANSION = re.compile(r"[}\\\"'`$()]")
_BRACKET = re.compile(r"[()]")
_LOOK_AHEAD = 500
# After these a command may begin at once.
_OPENERS = frozenset(("then", "do", "else", "elif", "if", "while", "until", "time", "!", "coproc"))
_CLOSERS = frozenset(("fi", "done"))
_NO_COMMANDS = frozenset(("for", "select", "function", "in"))
# Of every script, and so of none.
_COMMON = frozenset(
    """: . [ alias break builtin cd command continue declare echo eval exec exit export false
    getopts hash let local printf pwd read readonly return set shift shopt source test trap true
    type typeset ulimit umask unset wait""".split()  # noqa: SIM905 - short names, one a word
)
_COMMAND_NAME = re.compile(r"[\w./~][\w./+:@~-]*")


class _State(NamedTuple):
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
class _Frame:
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
    after: _State
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


def read_script(text: str) -> Found:
    """Read a script, whatever it holds."""
    return _Reader(text).read()


class _Reader:
    """One walk through a script, with a stack of what is open instead of recursion."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._frames: list[_Frame] = []
        # Delimiter, whether tabs may stand before it, and how many substitutions it stands in.
        self._heredocs: list[tuple[str, bool, int]] = []
        self._command, self._in_word, self._role = _State(True)
        # Of the open frames; looking for them each time would take the square of the depth.
        self._n_backquotes = 0
        self._n_functions = 0
        self._n_substitutions = 0
        self._found = Found()

    def read(self) -> Found:
        """Read all of it."""
        while self._at < len(self._text):
            close = self._frames[-1].close if self._frames else ""
            if close == '"':
                self._quoted()
            elif close in ("${", "))"):
                self._expansion()
            else:
                self._code()
        self._report_open()
        self._found.functions.sort(key=lambda found: found[1])
        return self._found

    def _report_open(self) -> None:
        if not self._frames:
            return
        frame = next((frame for frame in self._frames if frame.function), self._frames[0])
        if frame.function:
            name, begin = frame.function
            reason = f"the end of {name} is not found: from here on the file is one document"
        else:
            mark = self._text[frame.begin : frame.begin + 2].strip()
            begin, reason = frame.begin, f"{mark} is not closed: no function is found behind it"
        self._found.problems.append((begin, reason))

    def _push(self, close: str, length: int, after: _State, part: str = "") -> None:
        quoted = close == '"' or (close == "${" and self._within_quotes())
        self._frames.append(_Frame(close, self._at, after, quoted, part))
        self._n_backquotes += close == "`"
        self._n_substitutions += self._frames[-1].is_substitution
        self._at += length
        self._command, self._in_word, self._role = close in ("}", ")", "`"), False, ""

    def _pop(self, length: int) -> None:
        frame = self._frames.pop()
        self._at += length
        self._command, self._in_word, self._role = frame.after
        self._n_backquotes -= frame.close == "`"
        self._n_substitutions -= frame.is_substitution
        if frame.function is not None:
            self._n_functions -= 1
            if not self._n_functions:
                name, begin = frame.function
                self._found.functions.append((name, begin, self._at))

    def _open_word(self) -> _State:
        """The state behind something that is part of a word."""
        return _State(self._command, True, self._role)

    # What is no code

    def _quoted(self) -> None:
        """Inside double quotes."""
        found = _IN_QUOTES.search(self._text, self._at)
        self._at = found.start() if found else len(self._text)
        mark = found[0] if found else ""
        if mark == '"':
            self._pop(1)
        elif mark == "\\":
            self._at += 2
        elif mark == "`":
            self._backquote()
        elif mark and not self._substitution():
            self._at += 1

    def _expansion(self) -> None:
        """Inside `${…}` or arithmetic, where neither comments nor commands are."""
        text, frame = self._text, self._frames[-1]
        found = _IN_EXPANSION.search(text, self._at)
        self._at = found.start() if found else len(text)
        mark = found[0] if found else ""
        is_arithmetic = frame.close == "))"
        if mark == "}" and not is_arithmetic:
            self._pop(1)
        elif mark == ")" and is_arithmetic:
            self._pop(2 if text.startswith("))", self._at) else 1)
        elif mark == "(" and is_arithmetic:
            self._push("))", 1, self._open_word())
        elif mark == "\\":
            self._at += 2
        elif mark == '"':
            self._push('"', 1, self._open_word())
        elif mark == "'" and not is_arithmetic and not self._within_quotes():
            single = _SINGLE.match(text, self._at)
            self._at = single.end() if single else self._at + 1
        elif mark == "`":
            self._backquote()
        elif mark and (mark != "$" or not self._substitution()):
            self._at += 1

    def _within_quotes(self) -> bool:
        """Whether the innermost thing around expansions is a pair of double quotes."""
        return bool(self._frames) and self._frames[-1].quoted

    def _backquote(self) -> None:
        """Backquotes do not nest: one closes the innermost that is open, or opens one."""
        if not self._n_backquotes:
            self._push("`", 1, self._open_word())
            return
        while self._frames[-1].close != "`":
            # What was opened inside of it ends with it.
            frame = self._frames.pop()
            self._n_functions -= frame.function is not None
            self._n_substitutions -= frame.is_substitution
        self._pop(1)

    def _substitution(self) -> bool:
        """Enter what a `$` begins; False where it begins nothing."""
        text, at = self._text, self._at
        if text.startswith("$((", at) and self._is_arithmetic(at + 3):
            self._push("))", 3, self._open_word())
        elif text.startswith("$(", at):
            self._push(")", 2, self._open_word())
        elif text.startswith("${", at):
            self._push("${", 2, self._open_word())
        elif (ansi := _ANSI.match(text, at)) and not self._within_quotes():
            self._at = ansi.end()
        else:
            return False
        return True

    def _is_arithmetic(self, at: int) -> bool:
        """Whether two brackets that were opened together are closed together, too."""
        depth = 2
        for bracket in _BRACKET.finditer(self._text, at, at + _LOOK_AHEAD):
            depth += 1 if bracket[0] == "(" else -1
            if depth == 1:
                return self._text.startswith("))", bracket.start())
        return True

    # Code

    def _code(self) -> None:
        """One step where commands are."""
        text, at = self._text, self._at
        mark = text[at]
        if mark in " \t\f\v\n;&|()<>" and self._in_word and mark != "(":
            self._end_word()
        if mark == "\n":
            self._at += 1
            self._newline()
        elif blank := _BLANK.match(text, at):
            self._at = blank.end()
        elif mark == "#" and not self._in_word:
            comment = _COMMENT.match(text, at)
            self._at = comment.end() if comment else at + 1
        elif mark in ";&|()<>":
            self._operator(mark)
        elif mark in "\"'`$\\":
            self._in_word = True
            self._quoting(mark)
        elif self._in_word:
            word = _WORD.match(text, at)
            self._at = word.end() if word else at + 1
        else:
            self._word()

    def _quoting(self, mark: str) -> None:
        if mark == '"':
            self._push('"', 1, self._open_word())
        elif mark == "'":
            single = _SINGLE.match(self._text, self._at)
            self._at = single.end() if single else self._at + 1
        elif mark == "`":
            self._backquote()
        elif mark == "\\":
            self._at += 2
        elif not self._substitution():
            self._at += 1

    def _end_word(self) -> None:
        self._in_word = False
        if self._role not in ("assignment", "target"):
            self._command = False
        self._role = ""

    def _newline(self) -> None:
        self._command, self._role = self._may_command(), ""
        # One that a substitution on the same line interrupts begins when that is over.
        ready = [doc for doc in self._heredocs if doc[2] >= self._n_substitutions]
        for delimiter, may_indent, _ in ready:
            indent = r"\t*" if may_indent else ""
            end = re.compile(rf"^{indent}{re.escape(delimiter)}$", re.MULTILINE)
            found = end.search(self._text, self._at)
            self._at = min(found.end() + 1, len(self._text)) if found else len(self._text)
        if ready:
            self._heredocs = [doc for doc in self._heredocs if doc[2] < self._n_substitutions]

    def _may_command(self) -> bool:
        """Whether commands can be where the reader is: not in an array, a test or a pattern."""
        frame = self._frames[-1] if self._frames else None
        return frame is None or (
            frame.close not in ("a)", "]]") and frame.part not in ("head", "pattern")
        )

    def _operator(self, mark: str) -> None:
        text, at = self._text, self._at
        frame = self._frames[-1] if self._frames else None
        close = frame.close if frame else ""
        if mark in "<>" or text.startswith("&>", at):
            self._redirect()
        elif mark == "(":
            self._bracket(frame)
        elif mark == ")":
            if frame and frame.part == "pattern":
                frame.part = "body"
                self._at += 1
                self._command = True
            elif close in (")", "a)"):
                self._pop(1)
            else:
                self._at += 1
        else:
            ends_branch = re.compile(r";;&?|;&").match(text, at)
            if ends_branch and frame and frame.part == "body":
                frame.part = "pattern"
            self._at = ends_branch.end() if ends_branch else at + 1
            self._command, self._role = self._may_command(), ""

    def _bracket(self, frame: _Frame | None) -> None:
        """An opening bracket."""
        if frame and (frame.close == "]]" or frame.part == "pattern"):
            self._at += 1
        elif self._in_word:
            self._push("a)", 1, self._open_word())
        elif self._text.startswith("((", self._at) and self._is_arithmetic(self._at + 2):
            self._push("))", 2, _State(True))
        else:
            self._push(")", 1, _State(True))

    def _redirect(self) -> None:
        text, at = self._text, self._at
        heredoc = None if text.startswith("<<<", at) else _HEREDOC.match(text, at)
        if text.startswith(("<(", ">("), at):
            self._push(")", 2, self._open_word())
        elif heredoc and self._may_command():
            delimiter = re.sub(r"\\(.)|[\"']", r"\1", heredoc[2])
            is_indented = heredoc[1] == "-"
            self._heredocs.append((delimiter, is_indented, self._n_substitutions))
            self._at = heredoc.end()
        else:
            found = _REDIRECTION.match(text, at)
            self._at = found.end() if found else at + 1
            if self._may_command():
                self._role = "target"

    def _word(self) -> None:
        """A word begins."""
        text, at = self._text, self._at
        if self._command and self._function():
            return
        assigned = _ASSIGNMENT.match(text, at) if self._command else None
        if assigned is not None:
            self._at = assigned.end()
            if text.startswith("(", self._at):
                self._push("a)", 1, _State(True))
            else:
                self._in_word, self._role = True, "assignment"
            return
        found = _WORD.match(text, at)
        end = found.end() if found else at + 1
        self._at = end
        ends = end == len(text) or text[end] in _ENDS_WORD
        if not ends and not (text[end] == "`" and self._n_backquotes):
            self._in_word = True
            return
        word = text[at:end]
        if self._role == "target":
            self._role = ""
        elif self._command:
            self._at = at
            self._command_word(word)
        else:
            self._other_word(word, at)

    def _function(self) -> bool:
        """Enter a function's body, if one begins here."""
        found = _FUNCTION.match(self._text, self._at)
        if found is None:
            return False
        begin, name = self._at, found[1] or found[2]
        self._at = found.end()
        self._push("}" if self._text[self._at] == "{" else ")", 1, _State(True))
        self._frames[-1].function = (name, begin)
        self._n_functions += 1
        return True

    def _command_word(self, word: str) -> None:
        """A whole word where a command may begin."""
        at, close = self._at, self._frames[-1].close if self._frames else ""
        if word == "{":
            self._push("}", 1, _State(True))
        elif word == "}" and close == "}":
            self._pop(1)
        elif word == "[[":
            self._push("]]", 2, _State(False))
        elif word == "case":
            self._push("esac", 4, _State(True), "head")
        elif word == "esac" and close == "esac":
            self._pop(4)
        else:
            self._at += len(word)
            if word in _OPENERS or word in _CLOSERS:
                return
            self._command = False
            self._role = "source" if word in ("source", ".") else ""
            if word not in _COMMON | _NO_COMMANDS and _COMMAND_NAME.fullmatch(word):
                self._found.commands.append((at, word))

    def _other_word(self, word: str, at: int) -> None:
        """A whole word that is no command's."""
        frame = self._frames[-1] if self._frames else None
        if self._role == "source":
            self._role = ""
            self._found.sourced.append((at, word))
        elif frame is None:
            return
        elif frame.part == "head" and word == "in":
            frame.part = "pattern"
        elif (frame.part == "pattern" and word == "esac") or frame.close == word == "]]":
            self._pop(0)
