"""Do modules out of the bundle behave as those that Python found, and is it never out of date?

Each test starts processes over a copy of the package, as bytecode is a matter between processes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "memidx"
LOAD = "import memidx; memidx.open"
# What a process opened of the package, and what its modules say of themselves.
REPORT = """
import sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
finders = list(sys.meta_path)
{code}
assert sys.meta_path == finders
import gc, json
modules = {{
    name: [
        module.__file__, module.__cached__, module.__package__, type(module.__loader__).__name__,
        module.__spec__.loader is module.__loader__, module.__spec__.origin,
        list(getattr(module, "__path__", [])), module.__loader__.get_source(name) is not None,
    ]
    for name, module in list(sys.modules.items()) if name.partition(".")[0] == "memidx"
}}
print(json.dumps({{
    "opened": [
        name for name in opened
        if "/site/memidx/" in name and name.endswith((".pyc", ".bundle"))
    ],
    "modules": modules,
    "collects": gc.isenabled(),
}}))
"""


class Copy:
    """A copy of the package in a folder, and processes that load it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, folder / "memidx", ignore=ignored)

    def run(self, code: str = LOAD, *options: str, **environment: str) -> dict[str, Any]:
        """What a process says that runs a piece of code."""
        done = self.process(REPORT.format(code=code), *options, **environment)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    def process(
        self, code: str, *options: str, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """A process that runs a piece of code."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV"))}
        return subprocess.run(
            [sys.executable, *options, "-c", code],
            env={**inherited, "PYTHONPATH": str(self.folder), **environment},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def value(self, expression: str, *options: str) -> str:
        """What an expression is after the package was loaded."""
        done = self.process(f"{LOAD}; print({expression})", *options)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    @property
    def bundles(self) -> list[Path]:
        """Bundles there are."""
        return sorted(self.folder.rglob("*.bundle"))

    @property
    def bundle(self) -> Path:
        """The one there is."""
        (only,) = self.bundles
        return only

    def edit(self, module: str, old: str, new: str) -> None:
        """Change a module, by so many characters that its size tells."""
        path = self.folder / "memidx" / module
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """A copy of the package whose bytecode has never been written."""
    return Copy(tmp_path / "site")


def others(opened: list[str]) -> list[str]:
    """Files of bytecode that were read, but for those of the package itself and of the finder."""
    return [n for n in opened if Path(n).name.split(".")[0] not in ("__init__", "bytecode")]


def test_the_second_process_reads_one_file(copy: Copy) -> None:
    """All that a search needs comes from the bundle, which the first process wrote."""
    first = copy.run()
    assert len(first["opened"]) > 40
    second = copy.run()
    assert others(second["opened"]) == [str(copy.bundle)]
    assert len(second["opened"]) == 3
    assert second["collects"]


def test_modules_look_the_same(copy: Copy) -> None:
    """Whatever a module says of itself does not depend on where its bytecode lay."""
    assert copy.run()["modules"] == copy.run()["modules"]
    where = "memidx.index.Index.search.__code__.co_filename"
    assert copy.value(where) == str(copy.folder / "memidx" / "index.py")
    source = "__import__('inspect').getsource(memidx.index.Index.search).split('(')[0].strip()"
    assert copy.value(source) == "def search"
    again = "__import__('importlib').reload(memidx.index).__file__"
    assert copy.value(again) == str(copy.folder / "memidx" / "index.py")


def test_it_answers(copy: Copy) -> None:
    """A search with modules of the bundle finds what one without it finds."""
    (copy.folder / "notes").mkdir()
    (copy.folder / "notes" / "a.md").write_text("# Locks\n\nThe lock times out.\n")
    code = (
        "import memidx; memidx.build(['notes'], store='store', root='.', env={});"
        "hit = memidx.open('store', env={}).search('lock').hits[0]; print(hit.path, hit.score)"
    )
    done = [copy.process(code) for _ in range(3)]
    assert [run.stderr for run in done] == ["", "", ""]
    assert {run.stdout for run in done} == {done[0].stdout}
    assert done[0].stdout.startswith("notes/a.md ")


def test_an_edit_is_seen_at_once(copy: Copy) -> None:
    """A module whose source changed is loaded from it, and the bundle has it from then on."""
    for _ in range(2):
        copy.run()
    copy.edit("scoring.py", '"""', '"""Edited. ')
    assert copy.value("memidx.scoring.__doc__").startswith("Edited. ")
    after = copy.run()
    assert others(after["opened"]) == [str(copy.bundle)]
    assert copy.value("memidx.scoring.__doc__").startswith("Edited. ")


def test_a_source_of_another_time_is_another_source(copy: Copy) -> None:
    """The time alone tells, as an edit may keep the size."""
    copy.run()
    path = copy.folder / "memidx" / "scoring.py"
    text = path.read_text(encoding="utf-8")
    first = text.split("\n", 1)[0]
    path.write_text(text.replace(first, first[:-1] + "!", 1), encoding="utf-8")
    seconds = path.stat().st_mtime + 10
    os.utime(path, (seconds, seconds))
    assert copy.value("memidx.scoring.__doc__.split(chr(10))[0]")[-1] == "!"


def test_a_module_that_went_is_missed(copy: Copy) -> None:
    """A source that is gone is not replaced by what is remembered of it."""
    copy.run()
    (copy.folder / "memidx" / "scoring.py").unlink()
    done = copy.process(LOAD)
    assert "ModuleNotFoundError: No module named 'memidx.scoring'" in done.stderr
    assert "bytecode.py" not in copy.process("import sys; print(sys.meta_path)").stdout


@pytest.mark.parametrize("data", [b"", b"\0", b"not a bundle", b"\xa9\x02garbage", None])
def test_a_damaged_bundle_is_made_anew(copy: Copy, data: bytes | None) -> None:
    """What cannot be read counts as nothing, and is whole again afterwards; None cuts it."""
    copy.run()
    whole = copy.bundle.read_bytes()
    copy.bundle.write_bytes(whole[: len(whole) // 2] if data is None else data)
    found = copy.run()
    assert len(found["opened"]) > 40
    assert copy.bundle.read_bytes() == whole


def test_a_copied_package_does_not_load_the_old_one(copy: Copy, tmp_path: Path) -> None:
    """A bundle that came along with a copy speaks of another place, and is not used."""
    for _ in range(2):
        copy.run()
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(copy.folder, elsewhere)
    moved = Copy.__new__(Copy)
    moved.folder = elsewhere
    for _ in range(2):
        files = [module[0] for module in moved.run()["modules"].values()]
        assert all(file.startswith(str(elsewhere)) for file in files)


def test_nothing_is_written_where_bytecode_is_unwanted(copy: Copy) -> None:
    """`-B` and PYTHONDONTWRITEBYTECODE keep bundles away as well as other bytecode."""
    copy.run(LOAD, "-B")
    copy.run(PYTHONDONTWRITEBYTECODE="1")
    assert not list(copy.folder.rglob("__pycache__"))


def test_a_prefix_moves_the_bundle_too(copy: Copy, tmp_path: Path) -> None:
    """PYTHONPYCACHEPREFIX says where bytecode is, that of the bundle too."""
    prefix = tmp_path / "prefix"
    for _ in range(2):
        found = copy.run(PYTHONPYCACHEPREFIX=str(prefix))
    assert not copy.bundles
    (bundle,) = prefix.rglob("*.bundle")
    assert [name for name in found["opened"] if name.endswith(".bundle")] == [str(bundle)]


def test_each_level_of_optimisation_has_its_own(copy: Copy) -> None:
    """Code without its assertions is not mistaken for code with them."""
    for _ in range(2):
        copy.run()
        copy.value("memidx.open", "-O")
        copy.value("memidx.open", "-OO")
    assert len(copy.bundles) == 3
    assert copy.value("memidx.scoring.__doc__ is None", "-OO") == "True"
    assert copy.value("memidx.scoring.__doc__ is None", "-O") == "False"


def test_bytecode_that_is_judged_by_hash_is_left_to_python(copy: Copy) -> None:
    """A distribution may compile so; then there is nothing in the bundle, and nothing is lost."""
    compiling = "import compileall as c, py_compile as p; c.compile_dir('memidx', quiet=1, "
    mode = "invalidation_mode=p.PycInvalidationMode.CHECKED_HASH)"
    assert copy.process(compiling + mode).returncode == 0
    copy.run()
    written = copy.bundle.stat()
    found = copy.run()
    assert len(others(found["opened"])) > 40
    assert copy.bundle.stat().st_mtime_ns == written.st_mtime_ns
    copy.edit("scoring.py", '"""', '"""Edited. ')
    assert copy.value("memidx.scoring.__doc__").startswith("Edited. ")


def test_a_failing_import_leaves_nothing_behind(copy: Copy) -> None:
    """Where a module cannot be loaded, the error is the usual one, and a second try may succeed."""
    copy.run()
    code = """
import sys, gc
sys.modules["Stemmer"] = None
finders = list(sys.meta_path)
import memidx
try:
    memidx.open
except ImportError as error:
    assert "Stemmer" in str(error)
else:
    raise AssertionError("it was loaded without PyStemmer")
assert sys.meta_path == finders and gc.isenabled()
del sys.modules["Stemmer"]
assert callable(memidx.open)
"""
    done = copy.process(code)
    assert done.returncode == 0, done.stderr


def test_threads_may_load_it_at_once(copy: Copy) -> None:
    """Whoever comes second waits for the first, as with any import."""
    copy.run()
    code = """
import threading, sys
sys.setswitchinterval(1e-6)
import memidx
failed = []
start = threading.Barrier(8)
def go(number):
    start.wait()
    try:
        if number % 2:
            assert callable(memidx.open)
        else:
            from memidx.search.answering import answer
            assert callable(answer)
    except BaseException as error:
        failed.append(repr(error))
threads = [threading.Thread(target=go, args=(n,)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failed, failed
import gc
assert gc.isenabled()
"""
    for _ in range(5):
        done = copy.process(code)
        assert done.returncode == 0, done.stderr


def test_where_nothing_can_be_written_modules_load_as_ever(copy: Copy) -> None:
    """Who may not write beside the package, or anywhere, reads what there is; here nothing."""
    for _ in range(2):
        found = copy.run(PYTHONPYCACHEPREFIX="/dev/null/nowhere")
        assert len(found["modules"]) > 40
    assert not copy.bundles
