"""What programs become: functions, classes and scripts."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from memidx.config import SourceConfig
from memidx.sources.base import Item, Parsed
from memidx.sources.code import KIND

SOURCE = SourceConfig("tools", kind="code")


def parse(text: str | bytes, path: str = "a.py") -> Parsed:
    """The parsed file."""
    return KIND.parse(SOURCE, path, text.encode() if isinstance(text, str) else text)


def pieces(text: str | bytes, path: str = "a.py") -> dict[str | None, Item]:
    """The items of a file that is read without complaint, by anchor."""
    parsed = parse(text, path)
    assert not parsed.skips
    found = {item.anchor: item for item in parsed.items}
    assert len(found) == len(parsed.items)
    return found


def problems(parsed: Parsed) -> list[tuple[int | None, str]]:
    """Line and reason of each skip."""
    return [(skip.line, skip.reason) for skip in parsed.skips]


PROGRAM = '''\
#!/usr/bin/env python3
"""Sends mail.

To many.
"""
import os.path
from smtplib import SMTP as Server

LIMIT = 3

# How it is done.
# Twice.
@cached
@app.route("/x")
def send(to):
    """Send one
    letter. Or two.

    More.
    """
    with Server("x") as server:
        return server.send(os.path.join(to, "a"))


async def later(): pass


class Box(dict):
    """Holds."""

    def get(self):
        import json
        return json.loads(self)

if __name__ == "__main__":
    send("me")
'''


def test_a_python_file_in_pieces() -> None:
    """Functions and classes with their lines, comments and decorators; the rest is the script."""
    found = pieces(PROGRAM)
    assert list(found) == [None, "send", "later", "Box"]
    lines = PROGRAM.split("\n")
    assert found["send"].text == "\n".join(lines[10:22]) + "  # uses smtplib, smtplib.SMTP"
    assert (found["send"].line, found["later"].line, found["Box"].line) == (11, 25, 28)
    assert found["Box"].text == "\n".join(lines[27:33])
    assert found[None].text == (
        "\n".join(lines[:10]) + '\n\f\n\n\n\f\n\n\n\f\n\nif __name__ == "__main__":\n    send("me")'
    )
    assert found[None].line == 1


def test_facts_of_pieces() -> None:
    """Title with the docstring's first line, tags by language and sort, imports and calls."""
    found = pieces(PROGRAM)
    assert found[None].title == "a.py: Sends mail."
    assert found["send"].title == "send: Send one letter."
    assert found["later"].title == "later"
    assert [item.tags for item in found.values()] == [
        ("python", "script"),
        ("python", "function"),
        ("python", "function"),
        ("python", "class"),
    ]
    assert found["send"].meta == {
        "imports": ["smtplib", "os.path"],
        "calls": ["app.route", "smtplib.SMTP", "server.send", "os.path.join"],
    }
    assert found["Box"].meta == {"imports": ["json"], "calls": ["json.loads"]}
    assert found[None].meta == {"imports": ["os.path", "smtplib"], "calls": ["send"]}


def test_names_behind_aliases_are_in_the_text() -> None:
    """What an alias or a relative import hides is added on the last line; nothing else is."""
    text = (
        "import numpy as np\nfrom . import near\nfrom ..up import go as went\nfrom x import *\n"
        "def f():\n    np.array(near.here(), went())\n    numpy.array\n"
    )
    found = pieces(text)
    assert found["f"].text.split("\n")[-1] == (
        "    numpy.array  # uses .near, ..up, .near.here, ..up.go"
    )
    assert found["f"].meta["calls"] == ["numpy.array", ".near.here", "..up.go"]
    assert list(found) == ["f"]


def test_definitions_wherever_the_module_binds_them() -> None:
    """Conditions, handlers, loops and contexts are the module's own code; a repeat is another."""
    text = """\
if TYPE_CHECKING:
    def a(): ...
else:
    def a(): ...
try:
    import x
except ImportError:
    class b: ...
finally:
    def c():
        def inner(): ...
for i in ():
    def d(): ...
with e:
    def f(): ...
match g:
    case 1:
        def h(): ...
"""
    parsed = parse(text)
    assert [item.anchor for item in parsed.items] == [None, "a", "a", "b", "c", "d", "f", "h"]
    assert "inner" in parsed.items[4].text
    assert [item.line for item in parsed.items[1:]] == [2, 4, 8, 10, 13, 15, 18]


def test_overloads_belong_to_what_they_overload() -> None:
    """One document for all signatures; another function between them ends that."""
    text = (
        "@overload\ndef f(a: int): ...\n@typing.overload\ndef f(a: str): ...\n"
        "def f(a):\n    return a\ndef f(b):\n    return b\n"
    )
    first, second = parse(text).items
    assert first.text == "\n".join(text.split("\n")[:6])
    assert (second.text, second.line) == ("def f(b):\n    return b", 7)


def test_a_module_of_imports_and_definitions_has_no_script() -> None:
    """Imports are with the pieces that use them; a word beside them makes a script."""
    header = "#!/usr/bin/python\n# -*- coding: utf-8 -*-\nfrom __future__ import annotations\n"
    body = "import os\ndef f(): os.getcwd()\n"
    assert list(pieces(header + body)) == ["f"]
    assert list(pieces(header + "# Licensed.\n\n" + body)) == [None, "f"]
    assert list(pieces("import os\nimport sys\n")) == [None]


def test_an_edit_inside_a_piece_changes_no_other() -> None:
    """The script's text does not depend on how long the functions are."""
    before, after = "a = 1\ndef f():\n    pass\nb = 2\n", "a = 1\ndef f():\n    x\n    y\nb = 2\n"
    assert pieces(before)[None].text == pieces(after)[None].text == "a = 1\n\f\nb = 2"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def f(:\n  pass\n", (1, "is not Python: invalid syntax")),
        ("x = 1\nprint 'old'\n", (2, "is not Python: Missing parentheses")),
        ("(" * 100_000, (1, "is not Python: too many nested parentheses")),
        ("-" * 100_000 + "1", (None, "is nested too deep")),
        ("a" + ".b" * 100_000, (None, "is nested too deep")),
        ("1" + "+1" * 100_000, (None, "is nested too deep")),
        ("if a:\n pass\n" + "elif a:\n pass\n" * 100_000, (None, "is nested too deep")),
        ("1" * 5000, (1, "is not Python: Exceeds the limit")),
        ("".join(" " * n + "if 1:\n" for n in range(200)), (101, "is not Python: too many")),
    ],
    ids=lambda value: str(value)[:12].strip(),
)
def test_a_file_that_does_not_parse_is_one_document(
    text: str, reason: tuple[int | None, str]
) -> None:
    """Its text is still found, the reason is reported with the line."""
    parsed = parse(text)
    ((line, said),) = problems(parsed)
    assert (line, said[: len(reason[1])]) == reason
    assert said.endswith("the file is one document")
    (item,) = parsed.items
    assert (item.anchor, item.text, item.tags) == (None, text, ("python", "script"))


def test_long_but_flat_code_is_read() -> None:
    """What is only long takes no stack."""
    text = "x = (" + "1 and " * 50_000 + "1)\n" + "@a\n" * 5_000 + "def f(): pass\n"
    assert list(pieces(text)) == [None, "f"]


def test_nothing_of_a_program_runs(capfd: pytest.CaptureFixture[str]) -> None:
    """Not even its odd strings lead to a warning, and warnings are errors here."""
    assert list(pieces("print('ran')\nx = '\\d'\nassert (1, 2)\nx is 1\nraise SystemExit\n")) == [
        None
    ]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "é"),
        ("#!/bin/python\n# vim: set fileencoding=cp1252 :\nx = '€'\n".encode("cp1252"), "€"),
        ("# coding: iso2022_jp\nx = 'あ'\n".encode("iso2022_jp"), "あ"),
        ("\ufeffx = 'é'\n".encode(), "é"),
        ("# coding: utf-8\nx = 'é'\r\n".encode(), "é"),
        ("x = 1\ty\n\n# coding: latin-1\nz = 'é'\n".encode(), "é"),
    ],
)
def test_declared_encodings(data: bytes, found: str) -> None:
    """PEP 263: what the first two lines declare is how the file is read."""
    items = parse(data).items
    assert found in items[0].text
    assert "\r" not in items[0].text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = '\xe9'\n", "is not UTF-8"),
        (b"# coding: no-such-thing\nx = 1\n", "not known: no-such-thing"),
        (b"# coding: hex\nx = 1\n", "none of a text: hex"),
        (b"# coding: ascii\nx = '\xe9'\n", "is not UTF-8"),
        (b"# coding: shift_jis\nx = '\xff\xff'\n", "is not shift_jis"),
        (b"x = '\0'\n", "holds NUL"),
        (b"", "is empty"),
    ],
)
def test_undecodable_programs_are_skipped(data: bytes, reason: str) -> None:
    """With the reason, and without an item."""
    parsed = parse(data)
    assert not parsed.items
    assert reason in parsed.skips[0].reason


def test_which_language() -> None:
    """By suffix, else by the first line; a file that is no program is passed over in silence."""
    assert parse("#!/usr/bin/python3\nx = 1\n", "bin/run").items[0].tags[0] == "python"
    for first in ("#!/bin/sh", "#!/usr/bin/env bash", "#! /usr/bin/env -S FOO=1 bash -x"):
        assert parse(f"{first}\nls\n", "bin/run").items[0].tags[0] == "shell"
    for text in ("MIT licence\n", "#!/usr/bin/perl\n", "#!/usr/bin/env shellcheck\n", ""):
        assert parse(text, "LICENSE") == Parsed()
    assert parse("", "pkg/__init__.py") == Parsed()


SCRIPT = """\
#!/usr/bin/env bash
# Deploys.
set -euo pipefail
source ./lib.sh

# Says } twice.
say() { echo "}" '}' } ${x:-"}"} \\}; }

function with-dash {
  cat <<EOF
}
fi { " '
EOF
  cat <<-'END' && cat <<"X Y"
	$(
	END
}
X Y
  case "$1" in
    a) echo }; ;;
    (b|c) : ;;
    esac-like | *) : ;;
  esac
  if [[ $x =~ ^(a|\\)b)$ ]]; then git commit; fi
  for ((i=0; i<3; i++)); do (( n << 2 )); done
  local arr=( case { ) y=$((1 << 2)) z=$( (ls; pwd) | wc -l) w=$((du) | x)
  tr a b <<< "}" 2>&1 >/dev/null # it's }
}
sub() (
  curl -s "$(printf '%s' "${a#\\"}" `date` ")")" $'\\'}'
)
if true; then
  inner ()
  {
    deeper() { :; }; docker run
  }
fi
a() { :; }; b() { :; }
FOO=$(x) deploy one || fallback
"""


def test_a_shell_script_in_pieces() -> None:
    """A function ends where its brace is closed, whatever looks like one before."""
    found = pieces(SCRIPT, "a.sh")
    lines = SCRIPT.split("\n")
    assert list(found) == [None, "say", "with-dash", "sub", "inner", "a", "b"]
    assert found["say"].text == "\n".join(lines[5:7])
    assert found["with-dash"].text == "\n".join(lines[8:28])
    assert found["sub"].text == "\n".join(lines[28:31])
    assert found["inner"].text == "\n".join(lines[32:36])
    assert found["a"].text == found["b"].text == lines[37]
    assert [item.line for item in found.values()] == [1, 6, 9, 29, 33, 38, 38]
    assert found[None].text == (
        "\n".join(lines[:5]) + "\n\f\n\n\f\nif true; then\n\f\nfi\n\f\n" + lines[38]
    )


def test_facts_of_a_shell_script() -> None:
    """Comments are summaries; commands are calls, but for those of the shell itself."""
    found = pieces(SCRIPT, "a.sh")
    assert (found[None].title, found["say"].title) == ("a.sh: Deploys.", "say: Says } twice.")
    assert found[None].meta == {
        "imports": ["./lib.sh"],
        "calls": ["x", "deploy", "fallback"],
    }
    assert found["with-dash"].meta == {"calls": ["cat", "git", "ls", "wc", "du", "x", "tr"]}
    assert found["sub"].meta == {"calls": ["curl", "date"]}
    assert found["inner"].meta == {"calls": ["docker"]}


FUNCTIONS = [
    "f() {\n  x <<A $(\ncat <<B\nb }\nB\n)\na }\nA\n}",
    "f() { case x in a) case y in b) ls;; esac;; *) (ls) ;; esac }",
    'f() { echo "`echo \\"}\\"`" "$(case x in x) echo "}";; esac)"; }',
    "f() { if x; then { ls; } fi; ! ls; time { ls; }; }",
    "f() { [[ -n $a && ( $b == *\\)* || $c =~ { ) ]] && ls; }",
    "f() { echo ${a//\\}/x} ${b:-${c:-'}'}} ${#d} $# $((${#e} - 1)) a#b; }",
    "f() { a=(1 } 2); b[1]=} ; declare -A c=( [x]=} ); ls > } 2>} ; }",
    "f() { cat <(ls }) >(x); shopt -s extglob; ls !(a|}) @(b); }",
    "f()\n# why\n\n{\n  ls &> x; ls &\n}",
    'f() { echo \\\n} \\"} "\\"}"; }',
    "function f() ( case a in (a) ls ;; esac )",
    "f() { until x; do ls; done < y; while :; do ls; done; }",
    "f() { cat << \\EOF\n}\nEOF\n}",
]


@pytest.mark.parametrize("text", FUNCTIONS)
def test_where_a_shell_function_ends(text: str) -> None:
    """All of it and nothing behind it, each of these as the shell reads it."""
    found = pieces(f"{text}\nafter() {{ ls; }}\n", "a.sh")
    assert list(found) == ["f", "after"]
    assert found["f"].text == text


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is the oracle")
def test_the_shell_agrees() -> None:
    """Bash finds the same functions in all of these, and no fault in the script."""
    for text in FUNCTIONS:
        command = f"{text}\nafter() {{ ls; }}\ndeclare -F"
        said = subprocess.run(
            ["bash", "-O", "extglob", "-c", command], capture_output=True, text=True, check=True
        )
        assert (said.stdout, said.stderr) == ("declare -f after\ndeclare -f f\n", ""), text
    said = subprocess.run(["bash", "-n", "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert said.stderr == ""


@pytest.mark.parametrize(
    ("text", "anchors", "line", "reason"),
    [
        ("ok() { :; }\nf() {\n  ls\n", [None, "ok"], 2, "the end of f is not found"),
        ('ok() { :; }\nls "\nf() { :; }\n', [None, "ok"], 2, '" is not closed'),
        ("f() { ls; ) }\n", ["f"], None, ""),
        ("a() { b() { :; }\n", [None], 1, "the end of a is not found"),
        ("cat <<X\nf() { :; }\n", [None], None, ""),
        ("ls '\nf() { :; }\n", [None, "f"], None, ""),
    ],
)
def test_broken_shell_is_left_in_the_script(
    text: str, anchors: list[str | None], line: int | None, reason: str
) -> None:
    """What comes before is read, what has no end is reported, and no word is lost."""
    parsed = parse(text, "a.sh")
    assert [item.anchor for item in parsed.items] == anchors
    assert [problem[0] for problem in problems(parsed)] == ([line] if line else [])
    assert all(reason in problem[1] for problem in problems(parsed))
    every = "\n".join(item.text for item in parsed.items)
    assert all(word in every for word in text.split())


@pytest.mark.parametrize(
    "text",
    [
        "$(" * 50_000,
        "((" * 20_000,
        "f() {" * 20_000,
        "`" * 50_001,
        "${" * 50_000 + '"' * 50_001,
        "case x in " * 20_000,
        "cat <<A\n" * 20_000,
        "[[ ( " * 20_000,
        "a=(" * 20_000,
        "f()\n\n\n" * 5_000,
        "f() { " * 20_000 + "}; " * 19_999,
        "${" * 50_000 + "'" * 50_000,
        "$(" * 50_000 + "`" * 50_001,
    ],
    ids=lambda text: text[:6].strip(),
)
def test_hostile_shell_ends(text: str) -> None:
    """However much is opened, the file is read once and stays one document."""
    parsed = parse(text, "a.sh")
    assert [item.anchor for item in parsed.items] == [None]
