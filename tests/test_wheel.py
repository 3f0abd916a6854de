"""Does the package work where only the package is?

A flat layout finds the checkout by accident; these tests run from another folder, with the wheel
alone. Dependencies come from the environment that runs the tests, so nothing is downloaded.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            *(sys.executable, "-m", "build", "--wheel", "--no-isolation"),
            *("--outdir", str(folder), str(repository)),
        ],
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("memidx-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`bin` of an environment that holds the wheel, and sees this one's dependencies after it."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", str(python), "install"),
            *("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)),
        ],
        check=True,
        capture_output=True,
    )
    packages = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    # A folder named in a .pth file is searched last, and its own .pth files (an editable
    # install's is one) are not read.
    dependencies = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(packages, "dependencies.pth").write_text("\n".join(sorted(dependencies)) + "\n")
    return folder / "bin"


def _run(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(installed / arguments[0]), *arguments[1:]],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_holds_the_package_and_its_data(wheel: Path, repository: Path) -> None:
    """Every file of the package is in the wheel, py.typed and the schemas too, and nothing else."""
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    there = {
        path.relative_to(repository).as_posix()
        for path in (repository / "memidx").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == there
    assert "memidx/py.typed" in held
    assert any(name.endswith(".schema.json") for name in held)


def test_the_installed_package_is_the_wheels(installed: Path, tmp_path: Path) -> None:
    """The command imports the installed package, not the checkout, and says its version."""
    where = _run(installed, tmp_path, "python", "-c", "import memidx; print(memidx.__file__)")
    assert Path(where.stdout).is_relative_to(installed.parent), where.stderr
    version = _run(installed, tmp_path, "memidx", "--version")
    assert version.stdout.startswith("memidx 0."), version.stderr


def test_the_installed_command_builds_and_answers(installed: Path, tmp_path: Path) -> None:
    """A build and a query work from another folder, with the wheel alone."""
    (tmp_path / "locks.md").write_text("# File locks\n\nA lock times out after two seconds.\n")
    built = _run(installed, tmp_path, "memidx", "build")
    assert built.returncode == 0, built.stderr
    found = _run(installed, tmp_path, "memidx", "query", "lock", "--format", "files")
    assert (found.returncode, found.stdout) == (0, "locks.md\n"), found.stderr
    nothing = _run(installed, tmp_path, "memidx", "query", "scuba")
    assert nothing.returncode == 1, nothing.stderr


def test_the_installed_command_evaluates(installed: Path, tmp_path: Path) -> None:
    """The main job reads its schema from the wheel and passes."""
    (tmp_path / "locks.md").write_text("# File locks\n\nA lock times out after two seconds.\n")
    (tmp_path / "queries.yaml").write_text(
        "version: 1\n"
        "queries:\n"
        "- {id: lock, query: lock timeout, category: keyword, severity: must, k: 5,\n"
        "   expect_paths: [{path: locks.md}]}\n"
    )
    evaluated = _run(installed, tmp_path, "memidx", "eval", "queries.yaml")
    assert evaluated.returncode == 0, evaluated.stdout + evaluated.stderr
