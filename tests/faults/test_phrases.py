"""Faults with exact phrases, end to end: what is found bare is found quoted, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

import memidx
from memidx.index import Index
from tests.support import write_tree

FILLER = {
    f"filler/{topic}.md": f"# Note\n\nSomething about {topic} and nothing else of interest.\n"
    for topic in ("gardens", "rivers", "bridges", "music", "trains", "bread", "chairs", "clouds")
}


def opened(tmp_path: Path, files: dict[str, str]) -> Index:
    """An index of some notes among unrelated ones."""
    root = write_tree(tmp_path / "project", {**FILLER, **files})
    memidx.build([str(root)], store=str(root / "store"), env={})
    return memidx.open(str(root / "store"), env={})


def found(index: Index, query: str) -> list[str]:
    """Documents that answer a query, in the order of their ids."""
    return sorted(hit.doc_id for hit in index.search(query, k=20).hits)


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("**R**epresentational state transfer", "Representational"),
        ("a **bold**word in a line", "boldword"),
        ("a **bold**word in a line", "bold word"),
        ("H<sub>2</sub>O is water", "H2O"),
        ("a caf&eacute; in town", "café"),
        ("calls by AT&amp;T in town", "AT&T"),
        ("we don&#39;t know yet", "don't"),
        ("it calls parseHTMLResponse twice", "html response"),
        ("it calls parseHTMLResponse twice", "parse html response"),
        ("a camelCase name", "camel case"),
        ("what RFC2119 says", "rfc 2119"),
        ("what RFC 2119 says", "RFC2119"),
        ("what ADR-0017 says", "ADR-0017"),
        ("v2.1.9-9-g3bf04290 fixes 1.0.21", "2.1.9"),
        ("the <b>return value</b> of it", "return value of it"),
        ("the [return value](a.md) of it", "return value of it"),
        ("데이터베이스를 백업", "데이터베이스"),
    ],
)
def test_what_is_found_bare_is_found_quoted(tmp_path: Path, note: str, words: str) -> None:
    """Quotation marks ask for the words together, not for how they are written."""
    with opened(tmp_path, {"note.md": note}) as index:
        assert index.search(words).hits[0].doc_id == "note.md"
        assert found(index, f'"{words}"') == ["note.md"]


@pytest.mark.parametrize("query", ['"max retries"', '"camel case"'])
def test_titles_and_paths_are_read_too(tmp_path: Path, query: str) -> None:
    """A phrase stands in the name of a file as it stands in a text."""
    files = {"maxRetries.md": "nothing here", "other.md": "# The camelCase rule\n\nmax, retries?"}
    with opened(tmp_path, files) as index:
        assert found(index, query)


@pytest.mark.parametrize(
    ("note", "phrase"),
    [
        ("the team runs", "running"),
        ("the team runs fast", "team run fast"),
        ("response as HTML", "html response"),
        ("camelCased names, each a camel; no case", "camel case"),
        ("file lock", "filelock"),
    ],
)
def test_a_phrase_is_exact(tmp_path: Path, note: str, phrase: str) -> None:
    """Neither another form of a word nor another order is the phrase."""
    with opened(tmp_path, {"note.md": note}) as index:
        assert found(index, f'"{phrase}"') == []


@pytest.mark.parametrize("written", ["htmlResponse", "html response", "**html** response"])
def test_an_excluded_phrase_is_the_same_phrase(tmp_path: Path, written: str) -> None:
    """`-"a b"` takes out what `"a b"` finds, and nothing else."""
    files = {"one.md": f"a parser: {written}", "two.md": "a parser: response, html"}
    with opened(tmp_path, files) as index:
        assert found(index, '"html response"') == ["one.md"]
        assert found(index, 'parser -"html response"') == ["two.md"]
