"""Where do the functions of a shell script end, and where are its commands?

Reads the parts of the language that decide it: quotes, comments, here documents, substitutions,
`case`, `[[ … ]]`, arithmetic, and reserved words where a command may begin. One walk over the text
with a stack of what is open, no recursion; nothing is run, and no shell's options are known.
"""

from __future__ import annotations

import re

from memidx.sources.shell_words import (
    ANSI,
    ASSIGNMENT,
    BLANK,
    BRACKET,
    CLOSERS,
    COMMAND_NAME,
    COMMENT,
    COMMON,
    ENDS_WORD,
    FUNCTION,
    HEREDOC,
    IN_EXPANSION,
    IN_QUOTES,
    LOOK_AHEAD,
    NO_COMMANDS,
    OPENERS,
    REDIRECTION,
    SINGLE,
    WORD,
    Found,
    Frame,
    State,
)


def read_script(text: str) -> Found:
    """Read a script, whatever it holds."""
    return _Reader(text).read()


class _Reader:
    """One walk through a script, with a stack of what is open instead of recursion."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._frames: list[Frame] = []
        # Delimiter, whether tabs may stand before it, and how many substitutions it stands in.
        self._heredocs: list[tuple[str, bool, int]] = []
        self._command, self._in_word, self._role = State(True)
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

    def _push(self, close: str, length: int, after: State, part: str = "") -> None:
        quoted = close == '"' or (close == "${" and self._within_quotes())
        self._frames.append(Frame(close, self._at, after, quoted, part))
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

    def _open_word(self) -> State:
        """The state behind something that is part of a word."""
        return State(self._command, True, self._role)

    # What is no code

    def _quoted(self) -> None:
        """Inside double quotes."""
        found = IN_QUOTES.search(self._text, self._at)
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
        found = IN_EXPANSION.search(text, self._at)
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
            single = SINGLE.match(text, self._at)
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
        elif (ansi := ANSI.match(text, at)) and not self._within_quotes():
            self._at = ansi.end()
        else:
            return False
        return True

    def _is_arithmetic(self, at: int) -> bool:
        """Whether two brackets that were opened together are closed together, too."""
        depth = 2
        for bracket in BRACKET.finditer(self._text, at, at + LOOK_AHEAD):
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
        elif blank := BLANK.match(text, at):
            self._at = blank.end()
        elif mark == "#" and not self._in_word:
            comment = COMMENT.match(text, at)
            self._at = comment.end() if comment else at + 1
        elif mark in ";&|()<>":
            self._operator(mark)
        elif mark in "\"'`$\\":
            self._in_word = True
            self._quoting(mark)
        elif self._in_word:
            word = WORD.match(text, at)
            self._at = word.end() if word else at + 1
        else:
            self._word()

    def _quoting(self, mark: str) -> None:
        if mark == '"':
            self._push('"', 1, self._open_word())
        elif mark == "'":
            single = SINGLE.match(self._text, self._at)
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

    def _bracket(self, frame: Frame | None) -> None:
        """An opening bracket."""
        if frame and (frame.close == "]]" or frame.part == "pattern"):
            self._at += 1
        elif self._in_word:
            self._push("a)", 1, self._open_word())
        elif self._text.startswith("((", self._at) and self._is_arithmetic(self._at + 2):
            self._push("))", 2, State(True))
        else:
            self._push(")", 1, State(True))

    def _redirect(self) -> None:
        text, at = self._text, self._at
        heredoc = None if text.startswith("<<<", at) else HEREDOC.match(text, at)
        if text.startswith(("<(", ">("), at):
            self._push(")", 2, self._open_word())
        elif heredoc and self._may_command():
            delimiter = re.sub(r"\\(.)|[\"']", r"\1", heredoc[2])
            is_indented = heredoc[1] == "-"
            self._heredocs.append((delimiter, is_indented, self._n_substitutions))
            self._at = heredoc.end()
        else:
            found = REDIRECTION.match(text, at)
            self._at = found.end() if found else at + 1
            if self._may_command():
                self._role = "target"

    def _word(self) -> None:
        """A word begins."""
        text, at = self._text, self._at
        if self._command and self._function():
            return
        assigned = ASSIGNMENT.match(text, at) if self._command else None
        if assigned is not None:
            self._at = assigned.end()
            if text.startswith("(", self._at):
                self._push("a)", 1, State(True))
            else:
                self._in_word, self._role = True, "assignment"
            return
        found = WORD.match(text, at)
        end = found.end() if found else at + 1
        self._at = end
        ends = end == len(text) or text[end] in ENDS_WORD
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
        found = FUNCTION.match(self._text, self._at)
        if found is None:
            return False
        begin, name = self._at, found[1] or found[2]
        self._at = found.end()
        self._push("}" if self._text[self._at] == "{" else ")", 1, State(True))
        self._frames[-1].function = (name, begin)
        self._n_functions += 1
        return True

    def _command_word(self, word: str) -> None:
        """A whole word where a command may begin."""
        at, close = self._at, self._frames[-1].close if self._frames else ""
        if word == "{":
            self._push("}", 1, State(True))
        elif word == "}" and close == "}":
            self._pop(1)
        elif word == "[[":
            self._push("]]", 2, State(False))
        elif word == "case":
            self._push("esac", 4, State(True), "head")
        elif word == "esac" and close == "esac":
            self._pop(4)
        else:
            self._at += len(word)
            if word in OPENERS or word in CLOSERS:
                return
            self._command = False
            self._role = "source" if word in ("source", ".") else ""
            if word not in COMMON | NO_COMMANDS and COMMAND_NAME.fullmatch(word):
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
