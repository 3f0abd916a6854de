"""Round trips, and a layout that does not remember."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.documents import Document
from memidx.errors import InputError, StoreCorrupt, StoreVersion
from memidx.store import shard_prefix
from memidx.store.layout import layout
from memidx.store.line import (
    DamagedLine,
    check_line,
    decode_line,
    encode_line,
    line_doc_id,
    line_sum,
)
from memidx.store.manifest import Manifest, manifest_bytes, parse_manifest
from memidx.store.reader import read_store
from tests.unit.store.helpers import clean_bytes, committed, make_doc, make_lines, write

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
META_VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
DOCUMENT = st.builds(
    Document,
    doc_id=TEXT,
    source=TEXT,
    kind=TEXT,
    path=TEXT,
    title=TEXT,
    time=st.none() | TEXT,
    tags=st.lists(TEXT, max_size=3).map(tuple),
    meta=st.dictionaries(TEXT, META_VALUE, max_size=4),
    source_hash=st.text("0123456789abcdef", min_size=64, max_size=64),
    text=TEXT,
)


@given(DOCUMENT)
def test_a_line_gives_its_document_back(document: Document) -> None:
    """Whatever the document holds, and one LF, at the end; the quick readers agree."""
    line = encode_line(document)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode_line(line) == document
    assert line_doc_id(line) == document.doc_id
    assert line_sum(line) == json.loads(line)["sum"]
    assert encode_line(decode_line(line)) == line


@given(DOCUMENT, st.data())
def test_any_change_of_a_line_is_found(document: Document, data: st.DataObject) -> None:
    """A stretch of bytes replaced by others, anywhere."""
    line = encode_line(document)
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    changed = line[:start] + data.draw(st.binary(max_size=8)) + line[end:]
    if changed != line:
        with pytest.raises(DamagedLine):
            check_line(changed)


@given(st.binary())
def test_no_bytes_make_the_line_readers_fail_otherwise(data: bytes) -> None:
    """Anything is a document or a DamagedLine, rightly summed or not."""
    summed = data + b',"sum":"%s"}\n' % blake2b(data, digest_size=8).hexdigest().encode()
    readers: tuple[Callable[[bytes], Any], ...] = (check_line, decode_line, line_doc_id)
    for line in (data, summed):
        for read in readers:
            with contextlib.suppress(DamagedLine):
                read(line)


@given(st.binary())
def test_no_bytes_make_the_manifest_reader_fail_otherwise(data: bytes) -> None:
    """Anything is a manifest or refused."""
    with pytest.raises((StoreCorrupt, StoreVersion)):
        parse_manifest(data, "m")


@given(TEXT, TEXT, st.lists(st.dictionaries(TEXT, META_VALUE, max_size=3), max_size=3))
def test_a_manifest_gives_its_fields_back(
    name: str, framework: str, sources: list[dict[str, Any]]
) -> None:
    """Whatever the configuration holds."""
    manifest = Manifest(name, framework, tuple(sources))
    assert parse_manifest(manifest_bytes(manifest), "m") == manifest


SIZES = st.dictionaries(st.text("abc/.", max_size=6), st.integers(1, 60), max_size=60)


@given(SIZES, st.integers(60, 400))
def test_the_layout_keeps_its_promises(sizes: dict[str, int], cap: int) -> None:
    """Every document once, in hash order, no shard above the cap, no two files where one fits."""
    shards = layout(sizes.items(), cap)
    placed = [doc_id for members in shards.values() for doc_id in members]
    assert placed == sorted(sizes, key=lambda d: (blake2b(d.encode(), digest_size=8).digest(), d))
    totals = {name: sum(map(sizes.__getitem__, members)) for name, members in shards.items()}
    assert all(total <= cap for total in totals.values())
    if sum(sizes.values()) <= cap:
        assert list(shards) == (["docs.jsonl"] if sizes else [])
    # No prefix was split that fits one file.
    for name in shards:
        prefix = shard_prefix(name)
        assert prefix is not None
        if prefix:
            family = [n for n in shards if (shard_prefix(n) or "").startswith(prefix[:-1])]
            assert sum(totals[n] for n in family) > cap
    assert layout(reversed(sizes.items()), cap) == shards


STATE = st.dictionaries(
    st.integers(0, 30).map("n/{}.md".format), st.text("ab \n", max_size=80), max_size=20
)


@given(st.lists(st.tuples(STATE, st.sampled_from([420, 900, 2500, 10**6])), max_size=5), STATE)
def test_any_sequence_of_writes_equals_a_clean_write(
    history: list[tuple[dict[str, str], int]], last: dict[str, str]
) -> None:
    """Adds, edits, removals, splits and joins leave nothing behind; reading gives it all back."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("memidx.files._fsync", lambda descriptor: None)
        store, clean = Path(folder, "store"), Path(folder, "clean")
        for state, cap in [*history, (last, 900)]:
            lines = make_lines(make_doc(doc_id, text) for doc_id, text in state.items())
            try:
                write(store, lines, cap=cap)
            except InputError:
                assert max(map(len, lines.values())) > cap
                continue
            stored = read_store(str(store))
            assert (stored.lines, stored.damage) == (lines, ())
        assert committed(store) == clean_bytes(clean, lines, cap=900)


@given(text=st.text(st.sampled_from('ab"\\/\n\t\r\x00\x1f\x7f\x85\u2028é🐘')) | TEXT)
def test_text_is_written_as_the_json_encoder_writes_it(text: str) -> None:
    """A line's text is what `json` makes of it, escapes and all."""
    written = encode_line(make_doc("a.md", text=text)).decode()
    expected = json.dumps(text, ensure_ascii=False)
    assert f',"text":{expected},"sum":"' in written
