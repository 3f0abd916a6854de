"""A survey that goes on from the one before it is the survey made anew, whatever was done."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.sources.survey import Survey, survey
from memidx.sources.watch import Watch

SUFFIXES = frozenset({".md", ".txt"})
FOLDERS = ["", "d/", "d/in/", "e/", "p/q/t/"]
names = st.builds(
    "".join, st.tuples(st.sampled_from(FOLDERS), st.sampled_from(["a.md", "b.TXT", "c.bin"]))
)
TARGETS = [
    "../a.md",
    "a.md",
    "nowhere.md",
    "..",
    "d",
    "../e",
    "../../outside.md",
    "../p/q/t",
    "p/q",
]
targets = st.sampled_from(TARGETS)
far = st.sampled_from(["p", "p/q", "p/q/t", "o", "o/q", "way"])
acts = st.one_of(
    st.tuples(st.just("write"), names, st.sampled_from(["one", "two", "three!"])),
    st.tuples(st.just("remove"), names, st.just("")),
    st.tuples(st.just("link"), names, targets),
    st.tuples(st.just("folder"), names, st.just("")),
    st.tuples(st.just("rename"), names, names),
    st.tuples(st.just("rename"), st.sampled_from(["d", "e"]), st.sampled_from(["f", "d", "e/d"])),
    st.tuples(st.just("rename"), far, far),
    st.tuples(st.just("link"), st.sampled_from(["way", "d/way"]), targets),
    st.tuples(st.just("ignore"), st.sampled_from(FOLDERS), st.sampled_from(["*.md", "x"])),
    st.tuples(st.just("pipe"), names, st.just("")),
    st.tuples(st.just("store"), st.sampled_from(FOLDERS), st.just("")),
)


def _do(root: Path, kind: str, name: str, more: str) -> None:
    """One change; what cannot be done is not."""
    path = root / name
    try:
        if kind == "remove":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            return
        (path if kind in ("ignore", "store") else path.parent).mkdir(parents=True, exist_ok=True)
        match kind:
            case "write" if path.is_file() or not path.exists():
                if path.is_symlink():
                    path.unlink()
                path.write_text(more)
            case "link":
                path.symlink_to(more)
            case "folder":
                path.mkdir()
                (path / "inside.md").write_text("inside")
            case "rename":
                path.rename(root / more)
            case "ignore":
                (path / ".memidxignore").write_text(more)
            case "pipe":
                os.mkfifo(path)
            case "store":
                (path / "manifest.json").write_text('{"artifact_type": "memory-index"}')
                (path / "docs.jsonl").write_text("")
    except OSError:
        pass


def _parts(seen: Survey) -> tuple[object, ...]:
    return dict(seen.files), seen.others, seen.failed, seen.skips, seen.unlisted


@given(
    st.lists(st.lists(acts, max_size=4), min_size=1, max_size=5),
    st.sampled_from([("",), ("d", "e"), ("", "d/in"), ("d/a.md", "e")]),
)
def test_a_survey_that_goes_on_is_the_one_made_anew(
    history: list[list[tuple[str, str, str]]], bases: tuple[str, ...]
) -> None:
    """Files, links, folders, pipes and stores that come, go, change, and take another's place.

    What it says has changed is what a comparison of all files shows.
    """
    folder = Path(tempfile.mkdtemp(prefix="memidx-survey-")).resolve()
    try:
        root = folder / "root"
        root.mkdir()
        (folder / "outside.md").write_text("outside")
        last: Survey | None = None
        for act in history:
            for kind, name, more in act:
                _do(root, kind, name, more)
            anew = survey(str(root), bases, SUFFIXES)
            gone_on = survey(str(root), bases, SUFFIXES, before=last)
            assert _parts(gone_on) == _parts(anew)
            assert anew.changed is None
            if last is not None:
                _check_changed(last, gone_on)
            last = gone_on
    finally:
        shutil.rmtree(folder)


@given(
    st.lists(st.lists(acts, max_size=3), min_size=1, max_size=6),
    st.sampled_from(
        [("",), ("d", "e"), ("", "d/in"), ("d/a.md", "e"), ("none/at/all", "d"), ("way/t", "d")]
    ),
)
def test_a_watched_survey_is_the_one_made_anew(
    history: list[list[tuple[str, str, str]]], bases: tuple[str, ...]
) -> None:
    """Whatever was done between two looks, and whichever way the second one was made."""
    pytest.importorskip("inotify_simple")
    folder = Path(tempfile.mkdtemp(prefix="memidx-watch-")).resolve()
    root = folder / "root"
    root.mkdir()
    (folder / "outside.md").write_text("outside")
    for name in ("a.md", "d/a.md", "d/in/b.TXT", "e/c.bin", "e/a.md"):
        _do(root, "write", name, "at first")
    watch = Watch(str(root), bases, SUFFIXES, ())
    try:
        last: Survey | None = None
        for act in history:
            for kind, name, more in act:
                _do(root, kind, name, more)
            anew = survey(str(root), bases, SUFFIXES)
            seen = watch.survey(now_ns=1)
            assert _parts(seen) == _parts(anew)
            assert watch.refusal is None
            if last is not None and seen.changed is not None:
                assert seen.files.keys() == last.files.keys()
                signatures = seen.files.items()
                assert seen.changed == {p: sign for p, sign in signatures if last.files[p] != sign}
            last = seen
    finally:
        watch.close()
        shutil.rmtree(folder)


def _check_changed(last: Survey, now: Survey) -> None:
    changed = {path: sign for path, sign in now.files.items() if last.files.get(path) != sign}
    if now.changed is not None:
        assert now.changed == changed
        assert now.files.keys() == last.files.keys()
        assert changed or now.files is last.files
    elif now.files.keys() == last.files.keys():
        # It may say that it does not know, but never of folders that are as they were.
        assert now.files != last.files or now.shelves.keys() != last.shelves.keys() or now.rest
