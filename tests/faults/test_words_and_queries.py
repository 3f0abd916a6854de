"""Kinds of faults with words and queries, end to end: written, built, opened, asked."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

import memidx
from memidx.search.answer import Answer
from tests.support import write_tree

Ask = Callable[..., Answer]

# Unrelated notes, so that idf and lengths are those of a small real memory.
TOPICS = ["gardens", "rivers", "bridges", "music", "trains", "bread", "chairs", "clouds", "ships"]
TOPICS += ["winters", "maps", "birds", "lamps", "stones", "paper", "glass", "wool", "salt", "bells"]
FILLER = {
    f"filler/{n:02}.md": f"# Note {n}\n\nSomething about {topic} and nothing else of interest.\n"
    for n, topic in enumerate(TOPICS)
}


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str], Ask]:
    """Build a project around one note and give a way to search it."""

    def prepare(note: str, name: str = "note.md") -> Ask:
        root = write_tree(tmp_path / "project", {**FILLER, name: note})
        memidx.build([str(root)], store=str(root / "store"), env={})
        index = memidx.open(str(root / "store"), env={})
        return index.search

    return prepare


def first(answer: Answer) -> str | None:
    """The best document, if any."""
    return answer.hits[0].doc_id if answer.hits else None


@pytest.mark.parametrize(
    ("note", "queries"),
    [
        (
            "see ADR-0017 and uteke-cloud-dev",
            ["ADR-0017", '"ADR-0017"', "adr-0017", "uteke-cloud-dev", '"uteke-cloud-dev"', "uteke"],
        ),
        (
            "v2.1.9-9-g3bf04290 fixes 1.0.21",
            ["v2.1.9", "2.1.9", '"1.0.21"', "1.0.21", "2.1", "v2.1", '"v2.1.9"', "g3bf04290"],
        ),
        (
            "The helper atomic_write_json calls parseHTMLResponse twice",
            [
                "write json",
                "html response",
                "atomic_write_json",
                "parseHTMLResponse",
                "parsehtmlresponse",
                "atomic write",
                '"atomic_write_json"',
            ],
        ),
        (
            "We compared Go with R, C++ and C# for GE's CI on an I7 under k8s and .NET",
            ["Go", "GE", "R", "C++", "C#", "CI", "I7", "k8s", ".NET", "go", "c++", "ci"],
        ),
        ("Treffen im café um acht", ["café", "cafe", unicodedata.normalize("NFD", "café"), "CAFÉ"]),
        ("заметка о памяти агента", ["памяти", "ПАМЯТИ", "агента"]),
        ("请先写好部署方案再上线", ["部署", "部署方案", "方案"]),
        (unicodedata.normalize("NFD", "학점인정 안내"), ["학점인정", "안내"]),
        (
            "학점인정 안내",
            [unicodedata.normalize("NFD", "학점인정"), unicodedata.normalize("NFC", "학점인정")],
        ),
        ("การทดสอบระบบค้นหา", ["ทดสอบ", "ค้นหา", "ระบบ"]),
        ("مذكرات الذاكرة للوكيل", ["الذاكرة", "ذاكرة"]),
        ("हिन्दी में स्मृति खोज", ["स्मृति", "खोज"]),
        ("==cutover== is next", ["cutover"]),
        ("**bold**word in a line", ["bold", "word", "boldword"]),
        ("set `max_retries` to 5", ["max_retries", "max retries"]),
        ("see [[wiki page|alias text]] here", ["wiki", "alias"]),
        ("This ends the budget. Next", ["budget"]),
        ("a <b>strong</b>hold here", ["strong", "hold", "stronghold"]),
        ("**C**ommand and un**do** and ~~x1~~yes", ["command", "undo", "x1yes"]),
        ("==mar==ked, `Vec`tor, *pre*fix, H<sub>2</sub>O", ["marked", "vector", "prefix", "H2O"]),
        ("R&amp;D&nbsp;caf&eacute; don&#39;t", ["R&D", "café", "cafe", "don't"]),
        ("see [text](https://ex.org/a_b?q=zeta#frag)", ["text", "ex.org", "a_b", "zeta", "frag"]),
        ("claim[^1] noted[^note2]. - [x] done", ["claim", "noted", "note2", "done"]),
        ("_word_ __strong__ #topic/sub @alice_b", ["word", "strong", "#topic/sub", "@alice_b"]),
        ("$HOME_DIR %PATH% C:\\path\\file.txt", ["$HOME_DIR", "path", "file.txt", "%PATH%"]),
        ("status:open owner=bob 🎉party🎉", ["status", "open", "owner=bob", "party"]),
        ("\u202bمرحبا\u202c abc\u200edef", ["مرحبا", "abcdef"]),
        (unicodedata.normalize("NFD", "Dvořák résumé Việt naïve"), ["Dvořák", "resume", "viet"]),
        ("İSTANBUL ışık Größe Hawaiʻi", ["istanbul", "IŞIK", "grosse", "hawaii"]),
        ("Chapter Ⅳ, x² and ½, the 1st", ["IV", "x2", "1/2", "1st"]),
        ("€50 or $1,200.50, 24/7, 16GB", ["€50", "$1,200.50", "1200.50", "24/7", "16 GB"]),
        ("C/C++ F# A* C♯ x86-64 v1", ["C++", "C", "F#", "A*", "C#", "x86-64", "v1"]),
        ("1.0.0-rc.1 for >=3.11", ["1.0.0-rc.1", "1.0.0", "rc.1", ">=3.11", "3.11"]),
        ("2024-05-01T10:00:00Z 20240501T100000Z", ["2024-05-01", "2024-05", "20240501"]),
        ("sha256:abcdef0123 0xDEADBEEF Ph.D.", ["abcdef0123", "0xdeadbeef", "PhD", "Ph.D."]),
        ("zero\u200bwidth and soft\u00adware", ["software"]),
        ("doc Grade 4: Week 1 done", ["Grade 4 Week 1", '"Grade 4 Week 1"']),
        ("merged (#123) today", ["PR #123", "#123", "123"]),
        ("PR #123 was merged", ["(#123)", "#123"]),
        ("ﬁle handling in ＦＵＬＬ width", ["file", "full"]),
        ("Straße und Maß", ["strasse", "straße"]),
    ],
)
def test_words_are_found(ask: Callable[[str], Ask], note: str, queries: list[str]) -> None:
    """Whatever the form a word is written or asked in, its note comes first."""
    search = ask(note)
    found = {query: first(search(query)) for query in queries}
    assert found == dict.fromkeys(queries, "note.md")


def test_the_whole_identifier_ranks_its_exact_holder_first(tmp_path: Path) -> None:
    """Parts find both notes; the whole name puts the note that has it in front."""
    files = {
        **FILLER,
        "parts.md": "write json atomic: write json, write the json, atomic json write. " * 3,
        "whole.md": "A long note. " * 20 + "It calls atomic_write_json once.",
    }
    root = write_tree(tmp_path / "p", files)
    memidx.build([str(root)], store=str(root / "store"), env={})
    with memidx.open(str(root / "store"), env={}) as index:
        assert first(index.search("atomic_write_json")) == "whole.md"
        both = {hit.doc_id for hit in index.search("write json").hits}
    assert {"parts.md", "whole.md"} <= both


@pytest.mark.parametrize("note", ["café", "cafe\u0301", "**部署**方案", "ﬁle"])
def test_snippets_keep_the_original_characters(ask: Callable[[str], Ask], note: str) -> None:
    """What is shown is what is written, not its folded form."""
    text = f"The note says {note} in the middle."
    answer = ask(text)("note says")
    assert note in answer.hits[0].snippet


@pytest.mark.parametrize(
    "query",
    [
        "what's the budget?",
        "status: done",
        "retry OR budget",
        "(",
        ")",
        '"',
        "*",
        "-- --limit",
        "go test -race",
        "a/b",
        "budget\0done",
        "\\",
        "title:",
        "source:",
        "source:nowhere",
        'title:"',
        "-",
        "--",
        '-"x',
        "[a-z",
        "budget~2^3",
        "NOT budget",
        "🙂",
        "\ud800",
        "a" * 100_000,
        "-x " * 2000,
        '"' * 1001,
    ],
)
def test_no_query_raises(ask: Callable[[str], Ask], query: str) -> None:
    """Every string is a query and gets a verdict."""
    answer = ask("The budget is done; retry a/b with --limit and go test.")(query)
    assert answer.verdict
    answer.to_dict()


@pytest.mark.parametrize(
    "query", ["what's the budget?", "status: done", "retry OR", "-- --limit", "a/b", "budget\0done"]
)
def test_syntax_characters_do_not_hide_words(ask: Callable[[str], Ask], query: str) -> None:
    """A question mark, a colon, a double dash: the words beside them are searched."""
    note = "The budget status is done; retry a/b with --limit."
    assert first(ask(note)(query)) == "note.md"


def test_an_excluded_word_is_listed(ask: Callable[[str], Ask]) -> None:
    """`go test -race` excludes, and says what it excluded."""
    search = ask("go test the race detector")
    answer = search("go test -race")
    assert answer.excluded == ("race",)
    assert answer.verdict == "filtered_out"
    assert first(search("go test --race")) == "note.md"


@pytest.mark.parametrize("query", ["", "   ", "???", "🙂🎉", "-foo", "-foo -bar", "...", "\n\t"])
def test_an_empty_question_says_so(ask: Callable[[str], Ask], query: str) -> None:
    """Nothing was asked: not everything, not the first k."""
    answer = ask("A note with foo in it.")(query)
    assert (answer.verdict, answer.hits, answer.n_matched) == ("empty_query", (), 0)


def test_a_query_of_stop_words_still_answers(ask: Callable[[str], Ask]) -> None:
    """Stop words are all there is to go by, so they count."""
    answer = ask("To be or not to be")("to be or not to be")
    assert answer.verdict == "hits"
    assert first(answer) == "note.md"


def test_a_long_question_of_which_two_words_exist(ask: Callable[[str], Ask]) -> None:
    """Words are OR-ed: the document that has two of twelve is found."""
    query = (
        "could anybody kindly explain whether quarterly invoices reconcile against zanzibar ledgers"
    )
    assert first(ask("Zanzibar invoices are kept here.")(query)) == "note.md"


def test_an_unrelated_question_has_no_hit_above_weak(ask: Callable[[str], Ask]) -> None:
    """One common word in an unrelated note is no answer."""
    answer = ask("The locations of offices.")("favourite scuba locations in Antarctica")
    assert {hit.confidence for hit in answer.hits} <= {"weak"}


def test_repetition_does_not_raise_confidence(ask: Callable[[str], Ask]) -> None:
    """`beta beta beta` is as sure as `beta`."""
    search = ask("The beta starts today.")
    one, three = search("beta"), search("beta beta beta")
    assert one.hits[0].confidence == three.hits[0].confidence
    assert one.hits[0].doc_id == three.hits[0].doc_id


def test_an_off_topic_query_is_not_reliable(ask: Callable[[str], Ask]) -> None:
    """The top hit of anything is not "1.0"."""
    answer = ask("The budget for music lessons.")("quantum chromodynamics lattice music simulation")
    assert all(hit.confidence != "reliable" for hit in answer.hits)
