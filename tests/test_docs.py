"""Do the documents say what is there?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from memidx.cli.app import COMMANDS, app
from memidx.cli.exit_codes import INTERRUPTED, MISTAKE, NO, UNFINISHED, YES

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])
WRITTEN_BY_HAND = [page for page in PAGES if page.name != "cli.md"]

_FENCE = re.compile(r"^(```+|~~~+)(\w*)")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+\s+(.*)")
# A full stop inside a line, and a new sentence after it; `e.g. X` and `No. 3` are none.
_SECOND_SENTENCE = re.compile(r"(?<![.\d])(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)[.?!][`*)\"]*\s+[A-Z`*]")

# An entry of a list of references, `- [RZ09] …`: full stops part its fields.
_REFERENCE = re.compile(r"- \[\w+\] ")


def _label(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def _lines(page: Path) -> Iterator[tuple[int, str, str | None]]:
    """Number and text of each line, and the language of the fence it stands in (None: prose)."""
    language = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line.strip())
        if fence is None:
            yield number, line, language
        else:
            language = None if language is not None else fence[2]


def _anchors(page: Path) -> set[str]:
    """What a link into a page may name, as GitHub makes it from headings."""
    found = set()
    for _, line, language in _lines(page):
        if language is None and (heading := _HEADING.match(line)):
            plain = re.sub(r"[^\w\- ]", "", heading[1].lower())
            found.add(plain.strip().replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES, ids=_label)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file of the repository, and a heading that is there."""
    broken = []
    for number, line, language in _lines(page):
        for target in _LINK.findall(line) if language is None else ():
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            linked = (page.parent / name).resolve() if name else page
            if not linked.exists() or (anchor and anchor not in _anchors(linked)):
                broken.append(f"{_label(page)}:{number}: {target}")
    assert broken == []


@pytest.mark.parametrize("page", WRITTEN_BY_HAND, ids=_label)
def test_one_sentence_a_line(page: Path) -> None:
    """A change of a sentence is a change of one line."""
    crowded = [
        f"{_label(page)}:{number}: {line}"
        for number, line, language in _lines(page)
        if language is None
        and not line.startswith("|")
        and not _REFERENCE.match(line)
        and _SECOND_SENTENCE.search(line)
    ]
    assert crowded == []


def _shell_commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Place and words of each command in a page's shell blocks; what follows a pipe is another."""
    for number, line, language in _lines(page):
        if language not in {"sh", "bash", "console"}:
            continue
        words = shlex.split(line.removeprefix("$ "), comments=True)
        while words:
            end = next((i for i, word in enumerate(words) if word in {"|", "&&", ";"}), len(words))
            if words[:end]:
                yield f"{_label(page)}:{number}", words[:end]
            words = words[end + 1 :]


def _options(command: str | None) -> set[str]:
    """Names of the options of a command, or of the application."""
    group: Any = typer.main.get_command(app)
    thing = group if command is None else group.get_command(None, command)
    named = {name for param in thing.params for name in (*param.opts, *param.secondary_opts)}
    return {name for name in named if name.startswith("-")} | {"--help", "-h"}


def test_commands_in_documents_exist() -> None:
    """Every `memidx` command with its options, and every `make` target, is there."""
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))
    wrong, n_seen = [], 0
    for page in PAGES:
        for place, words in _shell_commands(page):
            if words[0] == "make":
                n_seen += 1
                wrong += [
                    f"{place}: make {word}"
                    for word in words[1:]
                    if "=" not in word and word not in targets
                ]
            elif words[0] == "memidx":
                n_seen += 1
                command = next((word for word in words[1:] if not word.startswith("-")), None)
                if command is not None and command not in COMMANDS:
                    wrong.append(f"{place}: memidx {command}")
                    continue
                given = words[: words.index("--")] if "--" in words else words
                wrong += [
                    f"{place}: {word}"
                    for word in given
                    if word.startswith("--") and word.split("=")[0] not in _options(command)
                ]
    assert wrong == []
    assert n_seen > 10


def test_exit_codes_are_documented_as_they_are() -> None:
    """The tables of README and docs/cli.md hold the codes of the one table in the code."""
    codes = [YES, NO, MISTAKE, UNFINISHED, INTERRUPTED]
    for page in (REPOSITORY / "README.md", REPOSITORY / "docs" / "cli.md"):
        text = page.read_text(encoding="utf-8")
        table = text.split("| code | meaning |")[1].split("\n\n")[0]
        assert [int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)] == codes


def test_the_changelog_knows_what_is_unreleased() -> None:
    """Keep a Changelog: the first section is what the next release brings."""
    text = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)", text, flags=re.MULTILINE)[0] == "[Unreleased]"


def test_the_suite_of_the_readme_can_be_run() -> None:
    """The example of a suite is one that `memidx eval` reads."""
    from memidx.evals import parse_suite

    readme = REPOSITORY / "README.md"
    (block,) = ["\n".join(lines) for lines in _blocks(readme, "yaml")]
    suite = parse_suite(block + "\n", "README.md")
    assert [query.query_id for query in suite.queries] == ["lock", "none"]


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example for programs finds the document that the tour is about."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "locks.md").write_text("# File locks\n\nA file lock has a timeout of two seconds.\n")
    monkeypatch.chdir(tmp_path)
    (block,) = ["\n".join(lines) for lines in _blocks(REPOSITORY / "README.md", "python")]
    said: list[object] = []
    exec(compile(block, "README.md", "exec"), {"print": lambda *values: said.extend(values)})
    assert said == ["hits", ["docs/locks.md"]]


def _blocks(page: Path, language: str) -> Iterator[list[str]]:
    """Lines of each fenced block of a language."""
    block: list[str] = []
    for _, line, found in _lines(page):
        if found == language:
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block
