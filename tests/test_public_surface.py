"""What can a caller rely on?"""

from __future__ import annotations

import inspect
from pathlib import Path

import memidx
from memidx.version import VERSION


def test_all_is_sorted_and_there() -> None:
    """Every name of `__all__` exists, once, in order, and `dir` shows it."""
    names = list(memidx.__all__)
    assert names == sorted(set(names))
    for name in names:
        assert getattr(memidx, name) is not None
        assert name in dir(memidx)


def test_the_documented_names_are_public() -> None:
    """The calls of the documentation and the published names are there."""
    assert {
        "build",
        "build_memory_index",
        "is_index_stale",
        "open",
        "query_index",
        "redact_local_paths",
    } <= set(memidx.__all__)


def test_public_things_say_what_they_are() -> None:
    """Every public function and class has a docstring of its own."""
    silent = [
        name
        for name in memidx.__all__
        if (inspect.isroutine(thing := getattr(memidx, name)) or inspect.isclass(thing))
        and not thing.__doc__
    ]
    assert silent == []


def test_no_module_bears_the_name_of_a_public_function(repository: Path) -> None:
    """`from memidx import build` is the function, whatever was imported before."""
    functions = {name for name in memidx.__all__ if inspect.isroutine(getattr(memidx, name))}
    modules = {
        path.stem if path.name != "__init__.py" else path.parent.name
        for path in (repository / "memidx").rglob("*.py")
    }
    assert functions & modules == set()


def test_the_version_is_said_once() -> None:
    """`memidx.__version__` is the version of the wheel."""
    assert memidx.__version__ == VERSION
