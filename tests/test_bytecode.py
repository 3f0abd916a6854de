"""Do modules out of the bundle behave as those that Python found, and is it never out of date?

Each test starts processes over a copy of the package, as bytecode is a matter between processes.
"""

from __future__ import annotations

import importlib.util
import json
import marshal
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
        if "/site/memidx/" in name and name.endswith(".pyc")
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
        return sorted(self.folder.rglob("bundled.*.pyc"))

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
    assert len(first["opened"]) > 30
    second = copy.run()
    assert others(second["opened"]) == [str(copy.bundle)]
    assert len(second["opened"]) == 3
    assert second["collects"]


def test_whoever_removes_the_package_removes_the_bundle(copy: Copy) -> None:
    """It lies where the bytecode of a module may, where pip looks; else an empty package stays."""
    for _ in range(2):
        copy.run()
    sources = sorted((copy.folder / "memidx").rglob("*.py"))
    known = {Path(importlib.util.cache_from_source(str(source))) for source in sources}
    found = set(copy.folder.rglob("__pycache__/*"))
    assert copy.bundle in found
    assert found <= known


def test_whoever_loads_its_place_gets_a_module(copy: Copy) -> None:
    """Tools that load every module of a package find an empty one, and the bundle is made anew."""
    copy.run()
    assert "memidx.bytecode" in copy.value("__import__('memidx.bundled').bundled.__doc__")
    copy.run()
    assert others(copy.run()["opened"]) == [str(copy.bundle)]


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
    assert len(found["opened"]) > 30
    assert copy.bundle.read_bytes() == whole


def test_damage_that_bytecode_alone_can_have_heals(copy: Copy) -> None:
    """What looks like code and cannot be any raises SystemError, which is damage as well."""
    copy.run()
    whole = copy.bundle.read_bytes()
    start = whole.index(b"__init__.py\n") + len(b"__init__.py\n")
    assert marshal.loads(whole[start:])
    for at in range(start, len(whole)):
        damaged = bytearray(whole)
        damaged[at] = 0xFF
        try:
            marshal.loads(memoryview(damaged)[start:])
        except SystemError:
            break
        except (EOFError, TypeError, ValueError):
            pass
    else:
        raise AssertionError("no byte raises it")
    copy.bundle.write_bytes(damaged)
    assert len(copy.run()["opened"]) > 40
    assert copy.bundle.read_bytes() == whole


def test_a_bundle_of_another_python_is_not_understood(copy: Copy) -> None:
    """Its bytes may mean something else there, so nothing is made of them before that is known."""
    copy.run()
    other = copy.bundle.read_bytes().replace(sys.version.encode(), b"another", 1)
    copy.bundle.write_bytes(other)
    code = """
import sys
loaded = []
sys.addaudithook(lambda event, args: event == "marshal.loads" and loaded.append(len(args[0])))
import memidx; memidx.open
print(max(loaded))
"""
    done = copy.process(code, "-B")
    assert int(done.stdout) < len(other) // 2, done.stderr


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


def test_code_of_a_moved_package_names_its_new_place(copy: Copy, tmp_path: Path) -> None:
    """Tracebacks and `inspect` show the sources that are there, as Python's own bytecode has it."""
    copy.run()
    moved = Copy.__new__(Copy)
    moved.folder = copy.folder.rename(tmp_path / "moved")
    for _ in range(3):
        where = moved.value("memidx.index.Index.search.__code__.co_filename")
        assert where == str(moved.folder / "memidx" / "index.py")


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
    (bundle,) = prefix.rglob("bundled.*.pyc")
    assert [name for name in found["opened"] if Path(name).name.startswith("bundled.")] == [
        str(bundle)
    ]


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
    assert len(others(found["opened"])) > 30
    assert copy.bundle.stat().st_mtime_ns == written.st_mtime_ns
    copy.edit("scoring.py", '"""', '"""Edited. ')
    assert copy.value("memidx.scoring.__doc__").startswith("Edited. ")


def test_a_module_that_became_a_package_is_found(copy: Copy) -> None:
    """Python takes the folder of that name, though the old source is still there."""
    copy.run()
    folder = copy.folder / "memidx" / "scoring"
    folder.mkdir()
    text = (copy.folder / "memidx" / "scoring.py").read_text(encoding="utf-8")
    (folder / "__init__.py").write_text(text, encoding="utf-8")
    for _ in range(2):
        found = copy.run()["modules"]["memidx.scoring"]
        assert found[0] == str(folder / "__init__.py")


def test_the_package_may_be_searched_elsewhere_first(copy: Copy) -> None:
    """A module laid over the package's, as some tests do, is the one that is loaded."""
    copy.run()
    over = copy.folder / "over"
    over.mkdir()
    text = (copy.folder / "memidx" / "scoring.py").read_text(encoding="utf-8")
    (over / "scoring.py").write_text(text, encoding="utf-8")
    found = copy.run("import memidx; memidx.__path__.insert(0, 'over'); memidx.open")
    assert found["modules"]["memidx.scoring"][0] == str(over / "scoring.py")
    for how in ("insert(0, {})", "append({})"):
        code = f"import memidx.search as s; s.__path__.{how.format(repr(str(over)))}; memidx.open"
        assert copy.run("import memidx;" + code)["modules"].keys() > {"memidx.search.parse"}


def test_finders_before_pythons_own_are_asked(copy: Copy) -> None:
    """Who watches, forbids or changes imports sees all of them, as without a bundle."""
    code = """
import sys
from importlib.machinery import PathFinder, SourceFileLoader
asked = set()
class Loader(SourceFileLoader):
    def exec_module(self, module):
        super().exec_module(module)
        module.IS_CHANGED = True
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        asked.add(name)
        if name != "memidx.scoring":
            return None
        spec = PathFinder.find_spec(name, path)
        spec.loader = Loader(name, spec.origin)
        return spec
sys.meta_path.insert(0, Finder)
import memidx; memidx.open
assert memidx.scoring.IS_CHANGED
print(len([name for name in asked if name.startswith("memidx.")]))
"""
    done = [copy.process(code) for _ in range(2)]
    assert [run.stderr for run in done] == ["", ""]
    assert int(done[0].stdout) == int(done[1].stdout) > 40


def test_who_changes_sources_of_the_package_goes_on(copy: Copy) -> None:
    """A loader of another kind may compile them in its own way."""
    copy.run()
    code = """
import sys
from importlib.machinery import (
    EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
)
class Loader(SourceFileLoader):
    def get_code(self, name):
        return compile(self.get_data(self.path), self.path, "exec", dont_inherit=True)
    def exec_module(self, module):
        super().exec_module(module)
        module.IS_CHANGED = True
sys.path_hooks.insert(0, FileFinder.path_hook(
    (ExtensionFileLoader, EXTENSION_SUFFIXES), (Loader, [".py"])
))
sys.path_importer_cache.clear()
import memidx; memidx.open
assert memidx.index.IS_CHANGED and memidx.scoring.IS_CHANGED
"""
    assert copy.process(code).stderr == ""


def test_what_other_threads_load_is_no_part_of_a_search(copy: Copy) -> None:
    """A module that another thread imports meanwhile is not run whenever something is searched."""
    code = """
import sys, threading
def load():
    import memidx.version
def meanwhile(event, args):
    if event == "exec" and args[0].co_filename.endswith("errors.py"):
        thread = threading.Thread(target=load)
        thread.start()
        thread.join()
sys.addaudithook(meanwhile)
import memidx; memidx.open
"""
    assert "memidx.version" in copy.run(code)["modules"]
    for _ in range(2):
        assert "memidx.version" not in copy.run()["modules"]


def test_modules_are_bound_as_soon_as_they_are_known(copy: Copy) -> None:
    """`import memidx.errors; memidx.errors` holds in another thread, and after a failure."""
    copy.run()
    code = """
import sys
def unbound():
    for name in list(sys.modules):
        package, _, tail = name.rpartition(".")
        if name.startswith("memidx.") and package in sys.modules:
            is_ready = not getattr(sys.modules[name].__spec__, "_initializing", False)
            if is_ready and tail not in vars(sys.modules[package]):
                yield name
found = []
def look(event, args):
    if event == "exec":
        found.extend(unbound())
sys.addaudithook(look)
import memidx
sys.modules["Stemmer"] = None
try:
    memidx.open
except ImportError:
    pass
else:
    raise AssertionError("it was loaded without PyStemmer")
import memidx.files.refusals
assert memidx.files.refusals
assert not found, found
"""
    done = copy.process(code)
    assert done.returncode == 0, done.stderr


def test_a_bundle_is_as_private_as_the_source(copy: Copy) -> None:
    """Who may not read the package's code does not find it in the bundle."""
    for path in copy.folder.rglob("*.py"):
        path.chmod(0o600)
    copy.run()
    beside = copy.bundle.parent / f"index.{sys.implementation.cache_tag}.pyc"
    assert copy.bundle.stat().st_mode == beside.stat().st_mode
    assert copy.bundle.stat().st_mode & 0o077 == 0


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
        assert len(found["modules"]) > 30
    assert not copy.bundles


def test_there_is_one_of_each_module_whoever_loads_it(copy: Copy) -> None:
    """A module that another thread has just found is not run a second time under its name."""
    copy.run()
    code = """
import sys, threading
from importlib.machinery import PathFinder, SourceFileLoader
is_in, is_done = threading.Event(), threading.Event()
class Slow(SourceFileLoader):
    def create_module(self, spec):
        is_in.set()
        is_done.wait(1)
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "memidx.search.answer" and threading.current_thread() is other:
            spec = PathFinder.find_spec(name, path)
            spec.loader = Slow(name, spec.origin)
            return spec
def load():
    import memidx.search.answer
sys.meta_path.insert(0, Finder)
import memidx
other = threading.Thread(target=load)
other.start()
is_in.wait()
memidx.open
is_done.set()
other.join()
import memidx.search.answer, memidx.search.answering
assert memidx.search.answering.Answer is memidx.search.answer.Answer is memidx.Answer
"""
    done = copy.process(code)
    assert done.returncode == 0, done.stderr
