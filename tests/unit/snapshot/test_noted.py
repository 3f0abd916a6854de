"""What is noted of a configuration file is what it says, as long as it has those bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import memidx
from memidx.config import Config, find_config_root, load_config
from memidx.config.parsing import parse
from memidx.errors import ConfigError
from memidx.snapshot.cache import NOTE_NAME, Cache
from memidx.snapshot.noted import Noted
from tests.unit.test_config import FULL

DATED = 'day = 2026-11-30\nstore = "s"\n'
NOT_A_NUMBER = "[search]\nk1 = nan\n"
ELSEWHERE = '[project]\nname = "memidx-user"\n'
PRIVATE = (
    'project_name = "of /home/alice/work"\n',
    'project_name = "C:\\\\Users\\\\alice\\\\work"\n',
    'framework = "ghp_0123456789abcdefABCDEF0123456789abcd"\n',
)
SECTION = "[tool.memidx.search]\nk1 = 1.0\nb = 0\n\n[tool.other]\nx = 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose store has a cache."""
    (tmp_path / "store" / ".cache").mkdir(parents=True)
    return tmp_path


def load(folder: Path, **environment: str) -> Config:
    """The settings as a new process has them, which then writes what it may."""
    cache = Cache(str(folder / "store"), {})
    try:
        return load_config(str(folder), env=environment, notes=lambda: Noted(cache))
    finally:
        cache.writer.write_note()


def note(folder: Path) -> Path:
    """Where the note is."""
    return folder / "store" / ".cache" / NOTE_NAME


@pytest.mark.parametrize(
    ("name", "text"),
    [("memidx.toml", FULL), ("memidx.toml", ""), ("pyproject.toml", SECTION)],
)
def test_the_second_process_reads_no_toml(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    """It gets from the note what the first one got from the file."""
    (folder / name).write_text(text)
    first = load(folder)
    monkeypatch.setattr("memidx.config.parsing.parse", None)
    assert load(folder) == first
    assert load(folder, MEMIDX_K1="1.9").search.k1 == 1.9
    cache = Cache(str(folder / "store"), {})
    assert find_config_root(str(folder), lambda _: lambda: Noted(cache)) == str(folder)


def test_a_file_about_something_else_is_noted_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project file that only names memidx is not read again to find that out."""
    (folder / "pyproject.toml").write_text(ELSEWHERE)
    assert load(folder) == Config()
    monkeypatch.setattr("memidx.config.parsing.parse", None)
    assert load(folder) == Config()


def test_a_file_that_never_names_memidx_is_not_even_parsed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most projects of Python have one; nothing is loaded or noted for it."""
    (folder / "pyproject.toml").write_text('[project]\nname = "other"\n')
    monkeypatch.setattr("memidx.config.parsing.read", None)
    assert load(folder) == Config()
    assert find_config_root(str(folder)) is None
    assert not note(folder).exists()


def test_other_bytes_are_another_file(folder: Path) -> None:
    """An edit that keeps size and time is seen, and so is the way back."""
    path = folder / "memidx.toml"
    for _ in range(2):
        for value in ("1.2", "1.3"):
            path.write_text(f"[search]\nk1 = {value}\n")
            os.utime(path, (1, 1))
            assert load(folder).search.k1 == load(folder).search.k1 == float(value)


def test_the_same_bytes_in_the_other_file_say_something_else(folder: Path) -> None:
    """A table that one of the two files has at the top is not memidx's in the other."""
    text = '[search]\nk1 = 1.2\n\n[tool.memidx]\nproject_name = "p"\n'
    path = folder / "pyproject.toml"
    path.write_text(text)
    assert (load(folder).project_name, load(folder).search.k1) == ("p", 1.5)
    path.rename(folder / "memidx.toml")
    with pytest.raises(ConfigError, match="tool"):
        load(folder)


@pytest.mark.parametrize("text", [DATED, NOT_A_NUMBER, *PRIVATE])
def test_what_may_not_be_noted_is_read_again(folder: Path, text: str) -> None:
    """Dates and numbers that are none, which JSON cannot say, and what is private."""
    found = parse("memidx.toml", "memidx.toml", text.encode())
    assert found is not None
    cache = Cache(str(folder / "store"), {})
    Noted(cache).keep("memidx.toml", text.encode(), found[1])
    cache.writer.write_note()
    assert not note(folder).exists()
    assert Noted(cache).find("memidx.toml", text.encode()) is None


@pytest.mark.parametrize("text", ["[search]\nk1 = -1\n", "store = 3\n", "\n\nnothing = 1\n"])
def test_a_mistake_is_refused_alike(folder: Path, text: str) -> None:
    """Noted or not, a value that a key cannot have is an error with its line."""
    (folder / "memidx.toml").write_text(text)
    errors = []
    for _ in range(2):
        with pytest.raises(ConfigError) as refused:
            load(folder)
        errors.append(str(refused.value))
    assert note(folder).exists()
    assert errors[0] == errors[1]
    assert "memidx.toml:" in errors[0]


def test_what_is_no_toml_is_not_noted(folder: Path) -> None:
    """It is an error each time."""
    (folder / "memidx.toml").write_text("a = = 1")
    for _ in range(2):
        with pytest.raises(ConfigError, match="is not TOML"):
            load(folder)
    assert not note(folder).exists()


@pytest.mark.parametrize("place", range(0, 200, 7))
def test_a_damaged_note_is_no_note(folder: Path, place: int) -> None:
    """One byte that is another one, and the file is read."""
    (folder / "memidx.toml").write_text(FULL)
    first = load(folder)
    data = bytearray(note(folder).read_bytes())
    data[-1 - place] ^= 1
    note(folder).write_bytes(data)
    assert load(folder) == first
    for damage in (b"", b"\n", b"\0" * 40, bytes(data[:place])):
        note(folder).write_bytes(damage)
        assert load(folder) == first


def test_who_may_only_look_writes_no_note(tmp_path: Path) -> None:
    """Neither a missing store nor a search that compares nothing makes a file."""
    (tmp_path / "memidx.toml").write_text('project_name = "p"\n')
    with pytest.raises(memidx.StoreMissing):
        memidx.open(str(tmp_path / "index"), env={})
    assert [path.name for path in tmp_path.iterdir()] == ["memidx.toml"]
    (tmp_path / "a.md").write_text("# Locks\n")
    memidx.build(root=str(tmp_path), store=str(tmp_path / "store"), env={})
    assert note(tmp_path).exists()  # who builds may write
    note(tmp_path).unlink()
    with memidx.open(str(tmp_path / "store"), env={}) as index:
        index.search("locks", refresh=False)
        assert not note(tmp_path).exists()
        index.search("locks")
        assert note(tmp_path).exists()


def test_an_edited_configuration_is_followed(tmp_path: Path) -> None:
    """An open index and a new one take the settings in force, whatever was noted before."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Locks\n\nThe lock times out.\n")
    settings = tmp_path / "memidx.toml"
    source = '[[sources]]\nname = "docs"\ninclude = ["docs/**"]\n\n[search]\nk1 = {}\n'
    settings.write_text(source.format(0.5))
    store = str(tmp_path / "store")
    memidx.build(root=str(tmp_path), store=store, env={})
    scores: dict[float, float] = {}
    with memidx.open(store, env={}) as index:
        for k1 in (0.5, 2.0, 0.5):
            settings.write_text(source.format(k1))
            (mine,) = index.search("lock times out").hits
            with memidx.open(store, env={}) as another:
                (fresh,) = another.search("lock times out", refresh=False).hits
            assert mine.score == fresh.score == scores.setdefault(k1, mine.score)
    assert len(set(scores.values())) == 2
