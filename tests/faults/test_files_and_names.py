"""Odd names, encodings, front matter, records and links, from the disk to the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memidx
from tests.support import write_tree


def found(root: Path, word: str) -> list[str]:
    """The documents that hold a word, whole."""
    with memidx.open(str(root / "store"), env={}) as index:
        return sorted(hit.doc_id for hit in index.search(f'"{word}"', k=50).hits)


def store_bytes(root: Path) -> dict[str, bytes]:
    """Every committed byte."""
    return {path.name: path.read_bytes() for path in (root / "store").iterdir() if path.is_file()}


NAMES = ["a b.md", "a_b.md", "a-b.md", "README.md", "readme.md", "🐘.md", "[x].md", "%_.md"]
NAMES += ["x" * 252 + ".md", "#1.md", "-r.md", "a*b?.md", "new\nline.md", "é.md"]


def test_each_name_is_its_own_document(tmp_path: Path) -> None:
    """Names that differ by a blank, a case or a wildcard; each is found, edited and removed."""
    words = {name: f"lantern{n}" for n, name in enumerate(NAMES)}
    root = write_tree(tmp_path, {name: f"A {word} shines.\n" for name, word in words.items()})
    assert memidx.build(root=str(root), env={}).skips == ()
    with memidx.open(str(root / "store"), env={}) as index:
        assert index.doc_ids() == sorted(NAMES)
    for name, word in words.items():
        assert found(root, word) == [name]
    write_tree(root, {"[x].md": "A candle.\n"})
    (root / "a*b?.md").unlink()
    report = memidx.build(root=str(root), env={})
    assert (report.changed, report.removed) == (("[x].md",), ("a*b?.md",))


MEGABYTE = 1 << 20
ENCODINGS: dict[str, tuple[bytes, str | None]] = {
    # What the file holds, and the reason it is named for; None when there is nothing to say.
    "bom.md": ("\ufeff# Title0\n\nlantern0\n".encode(), None),
    "crlf.md": (b"# Title1\r\n\r\nlantern1\r\n", None),
    "utf16.md": ("# Title2\n\nlantern2 café\n".encode("utf-16"), None),
    "latin.md": ("# Title3\n\nlantern3 café\n".encode("latin-1"), "UTF-8"),
    "nul.md": (b"# Title4\n\nlantern4\0\n", "NUL"),
    "big.md": (b"# Title5 " + b"lantern5 " * (50 * MEGABYTE // 9), "cut to 1,048,576 of 52,428,"),
    "empty.md": (b"", "empty"),
    "blank.md": (b" \n\t\n", "empty"),
    "front.md": (b"---\ntitle: Title8\nnote: lantern8\n---\n", None),
}


def test_every_encoding_is_read_or_named(tmp_path: Path) -> None:
    """Marks and line ends make no difference; what is no text says so; nothing crashes."""
    root = write_tree(tmp_path, {name: data for name, (data, _) in ENCODINGS.items()})
    report = memidx.build(root=str(root), env={})
    reasons = {skip.path: skip.reason for skip in report.skips}
    assert set(reasons) == {name for name, (_, reason) in ENCODINGS.items() if reason}
    for n, (name, (_, reason)) in enumerate(ENCODINGS.items()):
        assert (reason or "") in reasons.get(name, "")
        is_document = reason is None or reason.startswith("cut")
        assert found(root, f"lantern{n}") == ([name] if is_document else [])
        if reason is None:
            with memidx.open(str(root / "store"), env={}) as index:
                assert index.search(f'"lantern{n}"').hits[0].title == f"Title{n}"
    lines = (root / "store/docs.jsonl").read_bytes().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    assert not any("\r" in text or "\ufeff" in text for text in texts)
    assert max(len(text) for text in texts) == MEGABYTE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\ntitle: candle\n---", ["candle"]),
        ("---\n- candle\n- wick\n---\nwax\n", ["candle", "wick", "wax"]),
        ("---\ntitle:\tcandle\n\tnote: wick\n---\nwax\n", ["candle", "wick", "wax"]),
        ("---\nDear candle,\nthe wick is short.\n---\nwax\n", ["candle", "wick", "wax"]),
        ("\ufeff---\ntitle: candle\nnote: wick\n---\nwax\n", ["candle", "wick", "wax"]),
        ("---\ntitle: [candle\nnote: wick\n---\nwax\n", ["candle", "wick", "wax"]),
        ("---\ntitle: candle\nwick and wax\n", ["candle", "wick", "wax"]),
        ("---\nnote: &a [candle]\nb: *a\n---\nwax\n", ["candle", "wax"]),
    ],
)
def test_no_word_of_front_matter_is_lost(tmp_path: Path, text: str, words: list[str]) -> None:
    """At the end of the file, as a list, with tabs, as a letterhead, behind a mark, broken."""
    root = write_tree(tmp_path, {"a.md": text, "b.md": "Something else.\n"})
    memidx.build(root=str(root), env={})
    for word in words:
        assert found(root, word) == ["a.md"]


def test_bad_records_are_named_by_their_real_lines(tmp_path: Path) -> None:
    """A mark on line 1, a blank line, a list, an id twice, half a line: the good ones are there."""
    lines = [
        '\ufeff{"id": "a", "text": "torch1"}',
        "",
        "[1]",
        '{"id": "a", "text": "torch2"}',
        '{"text": "torch3"}',
        '{"id": "b", "text": "tor',
    ]
    settings = '[[sources]]\nname = "r"\nkind = "records"\ninclude = ["*.jsonl"]\n'
    root = write_tree(tmp_path, {"memidx.toml": settings, "r.jsonl": "\n".join(lines)})
    report = memidx.build(root=str(root), env={})
    assert [(skip.path, skip.line) for skip in report.skips] == [("r.jsonl", 3), ("r.jsonl", 6)]
    assert found(root, "torch1") == ["r.jsonl#a"]
    assert found(root, "torch2") == ["r.jsonl#a-2"]
    # It is the fourth value of the file; mending the bad ones changes no other's name.
    assert found(root, "torch3") == ["r.jsonl#4"]
    with memidx.open(str(root / "store"), env={}) as index:
        assert index.search('"torch2"').hits[0].line_start == 4
        assert index.search('"torch3"').hits[0].line_start == 5


def test_links_are_contained_and_end(tmp_path: Path) -> None:
    """Out of root, in a circle, to a device, to nothing: named; root itself may be a link."""
    outside = write_tree(tmp_path / "outside", {"secret.md": "A torch.\n"})
    real = write_tree(tmp_path / "real", {"docs/a.md": "A lantern.\n"})
    (real / "docs/out").symlink_to(outside)
    (real / "docs/out.md").symlink_to(outside / "secret.md")
    (real / "docs/again").symlink_to(real / "docs")
    (real / "docs/null.md").symlink_to("/dev/null")
    (real / "docs/gone.md").symlink_to("nothing.md")
    (real / "docs/same.md").symlink_to("a.md")
    root = tmp_path / "root"
    root.symlink_to(real)
    report = memidx.build(root=str(root), env={})
    assert [skip.path for skip in report.skips] == [
        f"docs/{name}" for name in ("again", "gone.md", "null.md", "out", "out.md")
    ]
    assert found(root, "lantern") == ["docs/a.md", "docs/same.md"]
    assert found(root, "torch") == []
    assert b"torch" not in b"".join(store_bytes(root).values())


@pytest.mark.parametrize("glob", ["../**", "../outside/*.md", "docs/../../outside/**", "out/**"])
def test_a_glob_out_of_root_reads_nothing(tmp_path: Path, glob: str) -> None:
    """By dots or through a link: the source failed, by name; nothing of it is in the store."""
    write_tree(tmp_path / "outside", {"secret.md": "A torch.\n"})
    settings = f'[[sources]]\nname = "far"\ninclude = ["{glob}"]\n[[sources]]\nname = "docs"\n'
    root = write_tree(tmp_path / "root", {"memidx.toml": settings, "docs/a.md": "A lantern.\n"})
    (root / "out").symlink_to(tmp_path / "outside")
    report = memidx.build(root=str(root), env={})
    (failed,) = report.sources_failed
    assert failed.path == "far"
    assert "leads out of root" in failed.reason
    assert found(root, "torch") == []
    assert found(root, "lantern") == ["docs/a.md"]
    assert b"torch" not in b"".join(store_bytes(root).values())


@pytest.mark.parametrize("name", ["venv", ".git", "node_modules", ".cache", "__pycache__"])
def test_a_project_inside_a_folder_of_tools_is_indexed(tmp_path: Path, name: str) -> None:
    """Such names count below root alone."""
    root = write_tree(tmp_path / name, {"a.md": "A lantern.\n", f"{name}/b.md": "A lantern.\n"})
    memidx.build(root=str(root), env={})
    assert found(root, "lantern") == ["a.md"]


def test_an_emptied_source_leaves_no_ghost(tmp_path: Path) -> None:
    """All its documents go, also from searches before the build; the store is that of the rest."""
    settings = "".join(
        f'[[sources]]\nname = "{name}"\ninclude = ["{name}/**"]\n' for name in ("one", "two")
    )
    rest = {"memidx.toml": settings, "one/a.md": "A lantern.\n"}
    root = write_tree(tmp_path / "p", {**rest, "two/b.md": "A lantern.\n", "two/c.md": "torch\n"})
    memidx.build(root=str(root), env={})
    for path in (root / "two").iterdir():
        path.unlink()
    assert found(root, "lantern") == ["one/a.md"]
    assert found(root, "torch") == []
    assert memidx.build(root=str(root), env={}).removed == ("two/b.md", "two/c.md")
    clean = write_tree(tmp_path / "clean", rest)
    (clean / "two").mkdir()
    memidx.build(root=str(clean), env={})
    assert store_bytes(root) == store_bytes(clean)
