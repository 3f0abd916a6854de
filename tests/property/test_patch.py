"""A patched store, what sed makes of it, and a clean build are the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import memidx
from memidx import files
from memidx.store.patch import Decline, Wanted
from memidx.store.patcher import patch_store
from memidx.store.reader import read_store
from tests.faults.patching import PATCHING, committed, gnu_sed, sed
from tests.support import write_tree
from tests.unit.store.helpers import MANIFEST, clean_bytes, make_doc, make_lines, write

# Backslashes in every company, what sed and JSON treat specially, and anything else.
PIECES = st.one_of(
    st.sampled_from(
        ["\\", "\\\\", "\\n", "\\\n", "\\t", "\\x5c", "\\d065", "\\o101", "\\cA", "\\1"]
    ),
    st.sampled_from(["\\&", "&", "/", '"', "'", "{", "}", ";", "#n", "$!N", "c\\", "4c\\\nx"]),
    st.sampled_from(
        ["\n", "\t", " ", "  \n", "\r\n", "\0", "\x7f", "\x85", "\u2028", "é", "部", "🐘"]
    ),
    st.text(st.characters(exclude_categories=["Cs"])),
)
TEXT = st.lists(PIECES, max_size=12).map("".join)
IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@pytest.fixture(scope="module", autouse=True)
def _unsynced() -> Iterator[None]:
    """Thousands of writes: what the disk does about a sync is not what is tested here."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(files, "_fsync", lambda descriptor: None)
        yield


@settings(max_examples=200)
@given(st.dictionaries(IDS, TEXT, min_size=1, max_size=12), TEXT, TEXT, st.data())
def test_a_patch_is_what_sed_and_a_clean_build_make(
    texts: dict[str, str], text: str, title: str, data: st.DataObject
) -> None:
    """Any documents, any edit of one of them, in one shard or in several."""
    gnu_sed()
    cap = data.draw(st.sampled_from([600, 900, 10**7]))
    doc_id = data.draw(st.sampled_from(sorted(texts)))
    old = make_lines(make_doc(other, body) for other, body in texts.items())
    new = old | make_lines([make_doc(doc_id, text, title=title)])
    assume(old != new and all(len(line) <= cap for line in (old | new).values()))
    assume(len(old[doc_id]) <= cap)
    with TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        write(store, old, cap=cap)
        before = committed(store)
        done = patch_store(str(store), old, (), Wanted(MANIFEST, new, cap=cap))
        clean = clean_bytes(Path(folder) / "clean", new, cap=cap)
        event("declined" if isinstance(done, Decline) else "patched")
        if isinstance(done, Decline):
            assert done.reason == "layout_would_change"
            assert committed(store) == before
            assert before.keys() != clean.keys()
            return
        _, patch = done
        assert committed(store) == clean
        script = store / ".cache" / "incremental-update.sed"
        assert sed(script, before[patch.shard]) == clean[patch.shard]
        assert read_store(str(store)).lines == new


NAMES = ["a.md", "b.md", "c.md", "é ü.md"]
EDITS = st.lists(
    st.dictionaries(st.sampled_from(NAMES), st.none() | TEXT, max_size=3), min_size=1, max_size=5
)


@settings(max_examples=25)
@given(EDITS)
def test_the_setting_changes_no_byte(edits: list[dict[str, str | None]]) -> None:
    """Any sequence of edits, additions and deletions, built with and without it after each."""
    with TemporaryDirectory() as folder:
        root = write_tree(Path(folder) / "root", {"a.md": "# A\n", "b.md": "# B\n"})
        stores = [Path(folder) / "with", Path(folder) / "without"]
        for edit in ({}, *edits):
            for name, text in edit.items():
                if text is not None:
                    write_tree(root, {name: text})
                elif (root / name).exists():
                    (root / name).unlink()
            for store, env in zip(stores, (PATCHING, {}), strict=True):
                report = memidx.build([str(root)], store=str(store), env=env)
                if report.patch is not None:
                    event(report.patch.declined or "patched")
            assert committed(stores[0]) == committed(stores[1])
