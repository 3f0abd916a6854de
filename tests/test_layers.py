"""Who may import whom, and who may touch the world?"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import memidx
from tests.git_support import ENV, Git, configure

PACKAGE = Path(__file__).resolve().parents[1] / "memidx"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Loaded by a search over a ready snapshot, beside the standard library.
QUERY_PATH_PACKAGES = {"memidx", "Stemmer"}
# Part of the standard library, and slower to load than a search is. (`inspect` comes with
# `dataclasses`, OpenSSL with `hashlib`.)
SLOW = {
    "_hashlib", "asyncio", "concurrent", "dataclasses", "email", "http", "inspect",
    "multiprocessing", "ssl", "unittest",
}  # fmt: skip

# What reads or writes files; `os.path` without these only joins names.
FILE_MODULES = {"glob", "mmap", "pathlib", "shutil", "tempfile"}
FILE_CALLS = {
    "chmod", "close", "dup2", "fsync", "link", "listdir", "lstat", "makedirs", "mkdir", "open",
    "readlink", "remove", "rename", "replace", "rmdir", "scandir", "stat", "symlink", "truncate",
    "unlink", "utime", "walk", "write",
}  # fmt: skip
# What starts other programs.
PROCESS_MODULES = {"concurrent", "multiprocessing", "pty", "subprocess"}
PATH_CALLS = {"exists", "getmtime", "getsize", "isdir", "isfile", "islink", "realpath", "samefile"}


def _name(module: Path) -> str:
    return module.relative_to(PACKAGE.parent).as_posix()


def _is_in(module: Path, *places: str) -> bool:
    name = module.relative_to(PACKAGE).as_posix()
    return any(name == place or name.startswith(f"{place}/") for place in places)


def _dotted(node: ast.AST) -> str:
    """`os.path.exists` for the expression that is written so; empty for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def _imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def _dotted_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            yield node.lineno, _dotted(node)


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """Every module of the package, parsed."""
    return {module: ast.parse(module.read_text(encoding="utf-8")) for module in MODULES}


def test_imports_point_down_the_flow(repository: Path) -> None:
    """The layers of pyproject.toml hold, and no module is without a place."""
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from importlinter.cli import lint_imports; "
            "sys.exit(lint_imports(no_cache=True))",
        ],
        cwd=repository,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_one_module_touches_files(trees: dict[Path, ast.Module]) -> None:
    """Only memidx/files reads, writes or looks at a file, so that faults are met in one place.

    The command line may redirect its own streams, and ask for the width of the terminal.
    """
    found = []
    for module, tree in trees.items():
        if _is_in(module, "files", "cli/terminal.py"):
            continue
        for line, imported in _imports(tree):
            if imported.split(".")[0] in FILE_MODULES:
                found.append(f"{_name(module)}:{line}: imports {imported}")
        for line, name in _dotted_names(tree):
            owner, _, called = name.rpartition(".")
            if (
                (owner == "os" and called in FILE_CALLS)
                or (owner == "os.path" and called in PATH_CALLS)
                or (owner in {"io", "codecs"} and called == "open")
            ):
                found.append(f"{_name(module)}:{line}: uses {name}")
        found += [
            f"{_name(module)}:{node.lineno}: calls open"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and _dotted(node.func) == "open"
        ]
    assert found == []


def test_one_module_starts_processes(trees: dict[Path, ast.Module]) -> None:
    """Only memidx/processes.py runs another program, so that what it is given is decided once.

    A build may share its work with processes of its own.
    """
    found = [
        f"{_name(module)}:{line}: uses {name}"
        for module, tree in trees.items()
        if not _is_in(module, "processes.py", "crew.py")
        for line, name in (*_imports(tree), *_dotted_names(tree))
        if name.split(".")[0] in PROCESS_MODULES or _starts_a_process(name)
    ]
    assert found == []


def _starts_a_process(name: str) -> bool:
    return name.startswith(("os.exec", "os.spawn", "os.posix_spawn")) or name in {
        "os.fork", "os.forkpty", "os.popen", "os.startfile", "os.system",
    }  # fmt: skip


def test_only_the_command_line_prints_or_exits(trees: dict[Path, ast.Module]) -> None:
    """No library call writes to the caller's streams or ends the caller's process."""
    found = [
        f"{_name(module)}:{line}: uses {name}"
        for module, tree in trees.items()
        if not _is_in(module, "cli", "__main__.py")
        for line, name in _dotted_names(tree)
        if name in {"print", "sys.exit", "sys.stdout", "sys.stderr", "exit", "quit", "os._exit"}
    ]
    assert found == []


def test_environment_and_clock_are_read_at_the_boundary(trees: dict[Path, ast.Module]) -> None:
    """Only cli and index read the environment and the date; the rest is given both.

    A stopwatch (`time.perf_counter`, `time.monotonic`) is not a clock.
    """
    readers = {
        "os.environ", "os.getenv", "time.time", "time.time_ns", "time.gmtime", "time.localtime",
        "datetime.now", "datetime.utcnow", "datetime.today", "date.today",
        "datetime.datetime.now", "datetime.date.today",
    }  # fmt: skip
    found = [
        f"{_name(module)}:{line}: uses {name}"
        for module, tree in trees.items()
        if not _is_in(module, "cli", "index.py", "published.py")
        for line, name in _dotted_names(tree)
        if name in readers
    ]
    assert found == []


def test_modules_stay_small(trees: dict[Path, ast.Module]) -> None:
    """A module past 400 lines holds two things; each says in its header which one it holds."""
    long = {
        _name(module): lines
        for module in trees
        if (lines := len(module.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}
    silent = [
        _name(module)
        for module, tree in trees.items()
        if tree.body and ast.get_docstring(tree) is None
    ]
    assert silent == []


@pytest.fixture(scope="module")
def ready_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a document, a store and a snapshot that is ready."""
    folder = tmp_path_factory.mktemp("ready")
    (folder / "locks.md").write_text("# File locks\n\nA lock times out after two seconds.\n")
    for arguments in (["build"], ["query", "lock"]):
        subprocess.run(
            [sys.executable, "-m", "memidx", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
            check=True,
            capture_output=True,
        )
    return folder


def _loaded(code: str, cwd: Path) -> set[str]:
    """Top-level modules that a piece of code loads in a process of its own."""
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys\nbefore = set(sys.modules)\n{code}\n"
            "print('LOADED', *sorted({m.split('.')[0] for m in set(sys.modules) - before}))",
        ],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        check=True,
        capture_output=True,
        text=True,
    )
    return set(found.stdout.splitlines()[-1].split()[1:])


_COMMAND = """
import sys
sys.argv = ["memidx", {arguments}]
{imports}
try:
    {call}
except SystemExit:
    pass
"""


def _is_third_party(module: str) -> bool:
    # Stemmer is written in Cython, which puts modules without a file beside it.
    return module not in sys.stdlib_module_names and "cython" not in module


def test_a_search_loads_the_standard_library_and_the_stemmer(ready_store: Path) -> None:
    """Opening a ready store and searching it loads nothing that is slow to load."""
    loaded = _loaded(
        "import memidx\n"
        "with memidx.open('store') as index:\n"
        "    answer = index.search('lock')\n"
        "assert answer.hits, answer",
        ready_store,
    )
    assert {m for m in loaded if _is_third_party(m)} <= QUERY_PATH_PACKAGES
    assert loaded & SLOW == set()


def test_a_calibrated_search_loads_no_more_packages(ready_store: Path) -> None:
    """Fitted thresholds are a file of JSON; reading and holding it needs the standard library."""
    calibration = ready_store / "evals" / "calibration.json"
    calibration.parent.mkdir()
    calibration.write_text('{"artifact_type": "memidx-calibration", "schema": "other"}')
    try:
        loaded = _loaded(
            "import memidx\n"
            "with memidx.open('store') as index:\n"
            "    answer = index.search('lock')\n"
            "assert any('calibration.json' in note for note in answer.notes), answer",
            ready_store,
        )
    finally:
        calibration.unlink()
        calibration.parent.rmdir()
    assert {m for m in loaded if _is_third_party(m)} <= QUERY_PATH_PACKAGES
    assert loaded & SLOW == set()


def test_a_search_of_unchanged_commits_loads_no_process(tmp_path: Path) -> None:
    """The state of a repository is read from its files; neither git nor what runs it is loaded."""
    repo = Git(tmp_path / "project")
    configure(repo.folder)
    repo.commit("A file lock")
    memidx.build(root=str(repo.folder), env=ENV)
    loaded = _loaded(
        "import memidx, sys\n"
        "with memidx.open('store') as index:\n"
        "    answer = index.search('lock')\n"
        "assert (answer.freshness, len(answer.hits)) == ('fresh', 1), answer\n"
        "assert 'memidx.sources.git_refs' in sys.modules\n"
        "assert 'memidx.sources.git_log' not in sys.modules",
        repo.folder,
    )
    assert {m for m in loaded if _is_third_party(m)} <= QUERY_PATH_PACKAGES
    assert loaded & (SLOW | PROCESS_MODULES) == set()


def test_the_command_line_adds_typer_and_what_typer_loads(ready_store: Path) -> None:
    """`memidx query` loads no third-party package that a bare Typer application does not."""
    bare = _loaded(
        _COMMAND.format(
            arguments='"a"',
            imports="import typer\napp = typer.Typer(rich_markup_mode=None)\n"
            "app.command('a')(lambda: None)\napp.command('b')(lambda: None)",
            call="app()",
        ),
        ready_store,
    )
    ours = _loaded(
        _COMMAND.format(
            arguments='"query", "lock", "--format", "json"',
            imports="from memidx.cli.app import run",
            call="run()",
        ),
        ready_store,
    )
    assert {m for m in ours - bare if _is_third_party(m)} <= QUERY_PATH_PACKAGES


def test_no_group_repeats_possessively() -> None:
    """Python 3.11.0 to 3.11.3 stays behind a last repetition that matched in part."""
    possessive = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d+,?\d*\})\+|\(\?>")
    found = {
        _name(module): match[0]
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        for text in [node.value if isinstance(node.value, str) else node.value.decode("latin-1")]
        if (match := possessive.search(text)) and not text.startswith("\x1b")
    }
    assert found == {}
