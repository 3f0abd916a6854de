"""Which file belongs to which source, and what is left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memidx import files
from memidx.config import DEFAULT_INCLUDE, SourceConfig
from memidx.sources.listing import Listing, list_files, survey_arguments
from tests.support import without_rights

DOCS = SourceConfig("docs")


def write(root: Path, *names: str, text: str = "x") -> None:
    """Files with the same text."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def paths(listing: Listing, source: str = "docs") -> list[str]:
    """Identities of a source's files."""
    return [entry.path for entry in listing.by_source[source]]


def reasons(listing: Listing) -> dict[str, str]:
    """Path -> why it was skipped."""
    return {skip.path: skip.reason for skip in listing.skips}


def test_the_built_in_source_takes_every_text_file(tmp_path: Path) -> None:
    """All suffixes of markdown are taken at every depth; others are counted."""
    write(tmp_path, "a.md", "b/c.markdown", "b/d.mdx", "e.rst", "f.txt", "g.json", "h.csv")
    listing = list_files(str(tmp_path), [DOCS])
    assert paths(listing) == ["a.md", "b/c.markdown", "b/d.mdx", "e.rst", "f.txt"]
    assert listing.survey.others == {".csv": 1, ".json": 1}
    entry = listing.by_source["docs"][1]
    assert entry.disk_path == str(tmp_path / "b" / "c.markdown")
    assert entry.signature == listing.survey.files["b/c.markdown"]


def test_the_first_source_that_takes_a_file_keeps_it(tmp_path: Path) -> None:
    """Sources are asked in their order; each source is in the result, an empty one too."""
    write(tmp_path, "docs/decisions/1.md", "docs/2.md", "docs/3.jsonl", "4.md")
    sources = [
        SourceConfig("decisions", include=("docs/decisions/**",)),
        SourceConfig("records", kind="records", include=("docs/**",)),
        DOCS,
        SourceConfig("rest"),
    ]
    listing = list_files(str(tmp_path), sources)
    assert paths(listing, "decisions") == ["docs/decisions/1.md"]
    assert paths(listing, "records") == ["docs/3.jsonl"]
    assert paths(listing, "docs") == ["4.md", "docs/2.md"]
    assert paths(listing, "rest") == []


@pytest.mark.parametrize(
    ("include", "exclude", "taken"),
    [
        (("*.md",), (), ["a.md", "docs/[x].md", "docs/b.md", "docs/old/c.md"]),
        (("/*.md",), (), ["a.md"]),
        (("docs/*.md",), (), ["docs/[x].md", "docs/b.md"]),
        (("docs/**",), ("docs/old/**",), ["docs/[x].md", "docs/b.md"]),
        (("docs",), (), ["docs/[x].md", "docs/b.md", "docs/old/c.md"]),
        (("old/",), (), ["docs/old/c.md"]),
        (("docs/old",), (), ["docs/old/c.md"]),
        (("/docs/\\[x\\].md",), (), ["docs/[x].md"]),
        (("/docs/\\[x\\].md", "/a.md"), (), ["a.md", "docs/[x].md"]),
        (("**", "!docs/**"), (), ["a.md"]),
        (("docs/../docs/old/**",), (), ["docs/old/c.md"]),
        (("./docs/**",), ("*",), []),
        (("DOCS/**",), (), []),
    ],
)
def test_globs_are_gitignore_patterns(
    tmp_path: Path, include: tuple[str, ...], exclude: tuple[str, ...], taken: list[str]
) -> None:
    """Include and exclude follow gitignore's syntax, relative to root and case-sensitive."""
    write(tmp_path, "a.md", "docs/b.md", "docs/old/c.md", "docs/[x].md")
    source = SourceConfig("docs", include=include, exclude=exclude)
    assert paths(list_files(str(tmp_path), [source])) == taken


def test_ignore_files_work_at_every_level(tmp_path: Path) -> None:
    """Deeper files overrule, but nothing comes back inside an ignored folder."""
    write(tmp_path, "a.md", "b.md", "d/a.md", "d/b.md", "e/x/a.md", "e/x/k.md", "f/draft-1.md")
    (tmp_path / ".memidxignore").write_text("# comment\na.md\n/e/x/\ndraft-*\n!draft-1.md\n")
    (tmp_path / "d" / ".memidxignore").write_text("!a.md\nb.md\n")
    (tmp_path / "e" / "x" / ".memidxignore").write_text("!k.md\n")
    assert paths(list_files(str(tmp_path), [DOCS])) == ["b.md", "d/a.md", "f/draft-1.md"]


def test_ignore_files_above_a_base_count(tmp_path: Path) -> None:
    """Root's ignore file speaks about a source that begins deeper."""
    write(tmp_path, "docs/in/a.md", "docs/in/b.md")
    (tmp_path / ".memidxignore").write_text("docs/in/a.md\n")
    source = SourceConfig("docs", include=("docs/in/**",))
    assert paths(list_files(str(tmp_path), [source])) == ["docs/in/b.md"]


def test_a_broken_ignore_file_is_reported(tmp_path: Path) -> None:
    """An ignore file that cannot be read ignores nothing, and that is said."""
    write(tmp_path, "a.md")
    (tmp_path / ".memidxignore").write_bytes(b"a.md\n\xff\n")
    listing = list_files(str(tmp_path), [DOCS])
    assert paths(listing) == ["a.md"]
    assert "ignores nothing: is not UTF-8" in reasons(listing)[".memidxignore"]


def test_an_ignored_problem_is_not_reported(tmp_path: Path) -> None:
    """Who ignores a dangling link does not want to read about it."""
    (tmp_path / "gone.md").symlink_to("nowhere")
    (tmp_path / ".memidxignore").write_text("gone.md\n")
    assert not list_files(str(tmp_path), [DOCS]).skips


def test_names_are_identities_once_composed(tmp_path: Path) -> None:
    """A decomposed name is stored composed; a second file of that name is skipped, by name."""
    write(tmp_path, "cafe\u0301.md")
    listing = list_files(str(tmp_path), [DOCS])
    assert paths(listing) == ["caf\u00e9.md"]
    assert listing.by_source["docs"][0].disk_path == str(tmp_path / "cafe\u0301.md")
    write(tmp_path, "caf\u00e9.md")
    if len(os.listdir(tmp_path)) == 1:
        pytest.skip("this file system composes names itself")
    listing = list_files(str(tmp_path), [DOCS])
    assert paths(listing) == ["caf\u00e9.md"]
    assert "has the same name as" in reasons(listing)["caf\u00e9.md"]


def test_a_name_that_is_not_utf_8_is_reported(tmp_path: Path) -> None:
    """Its bytes are shown, and the other files go on."""
    write(tmp_path, "a.md")
    try:
        with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "w") as handle:
            handle.write("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    listing = list_files(str(tmp_path), [DOCS])
    assert paths(listing) == ["a.md"]
    assert reasons(listing) == {"caf\\xe9.md": "the name is not UTF-8"}


def test_a_path_that_holds_a_secret_is_skipped_and_not_repeated(tmp_path: Path) -> None:
    """The report of a secret must not hold it either."""
    secret = "ghp_" + "a1B2c3D4e5" * 4
    write(tmp_path, f"{secret}/a.md", "C:\\Users\\alice\\b.md", "-Users-alice-code/memory.md")
    listing = list_files(str(tmp_path), [DOCS])
    assert paths(listing) == ["-Users-alice-code/memory.md"]
    assert set(reasons(listing)) == {"<secret>/a.md", "<path>\\b.md"}
    assert secret not in repr(listing.skips)


def test_a_missing_base_fails_its_sources_alone(tmp_path: Path) -> None:
    """Who has a base that is not there has failed, by name of the base; others have not."""
    write(tmp_path, "docs/a.md")
    (tmp_path / "empty").mkdir()
    sources = [
        SourceConfig("mounted", include=("docs/mount/**",)),
        SourceConfig("mixed", include=("docs/a.md", "gone/**")),
        SourceConfig("empty", include=("empty/**",)),
        SourceConfig("escape", include=("../**",)),
        SourceConfig("file", include=("docs/no.md",)),
    ]
    listing = list_files(str(tmp_path), sources)
    assert listing.failed == {
        "mounted": "docs/mount: is not there",
        "mixed": "gone: is not there",
        "escape": "..: leads out of root: only what lies below root is read",
    }
    assert paths(listing, "mixed") == ["docs/a.md"]


@pytest.mark.parametrize(
    ("include", "failed"),
    [
        (("docs/**",), "docs"),
        (("/docs",), None),
        (("/docs/",), "docs"),
        (("docs/*.md", "/a.md"), "docs"),
        (("/docs", "docs/x*"), "docs"),
        (("**", "docs/**"), "docs"),
        (("notes.md/**",), "notes.md"),
        (("/notes.md/",), "notes.md"),
        (("/notes.md",), None),
        (("**", "!docs/**"), None),
    ],
)
def test_a_base_that_became_a_file_fails_its_source(
    tmp_path: Path, include: tuple[str, ...], failed: str | None
) -> None:
    """Unless a glob names exactly that file; its name may be a document's."""
    write(tmp_path, "docs", "notes.md", "a.md")
    source = SourceConfig("docs", include=include)
    listing = list_files(str(tmp_path), [source, SourceConfig("rest")])
    assert listing.failed == ({"docs": f"{failed}: is not a folder"} if failed else {})


@pytest.mark.parametrize(
    ("include", "exclude", "failed"),
    [
        (("**",), (), True),
        (("docs/**",), (), True),
        (("docs",), (), True),
        (("/docs",), (), True),
        (("*.md",), (), True),
        (("docs/**/guide.md",), (), True),
        (("docs/*/*.md",), (), True),
        (("docs/s*/in/*.md",), (), True),
        (("docs/shut",), (), True),
        (("docs/shut/in/**", "docs/shut"), (), True),
        (("docs/*.md",), (), False),
        (("docs/o*/*.md",), (), False),
        (("/*.md",), (), False),
        (("docs/open/**",), (), False),
        (("**", "!docs/shut/**"), (), False),
        (("**", "!docs/shut/"), (), True),
        (("**", "!docs/shut/*.md"), (), True),
        (("!docs/shut/**", "**"), (), True),
        (("**",), ("docs/shut/**",), False),
        (("**",), ("shut",), False),
        (("**",), ("shut/*.md",), True),
    ],
)
def test_a_folder_that_cannot_be_read_fails_the_sources_that_walk_it(
    tmp_path: Path, include: tuple[str, ...], exclude: tuple[str, ...], failed: bool
) -> None:
    """Those that may have a document in there, and no others."""
    write(tmp_path, "a.md", "docs/b.md", "docs/open/c.md", "docs/shut/d.md")
    source = SourceConfig("docs", include=include, exclude=exclude)
    list_files(str(tmp_path), [source])  # what is imported late is there before rights are gone
    with without_rights(tmp_path, ("docs/shut", 0)):
        listing = list_files(str(tmp_path), [source])
    reason = "docs/shut: cannot list: Permission denied"
    assert listing.failed == ({"docs": reason} if failed else {})
    assert not listing.skips


def test_an_ignored_folder_need_not_be_readable(tmp_path: Path) -> None:
    """Who ignores a folder has no documents in there."""
    write(tmp_path, "a.md", "docs/shut/d.md")
    (tmp_path / "docs" / ".memidxignore").write_text("shut/\n")
    list_files(str(tmp_path), [DOCS])
    with without_rights(tmp_path, ("docs/shut", 0)):
        listing = list_files(str(tmp_path), [DOCS])
    assert paths(listing) == ["a.md"]
    assert not listing.failed
    assert not listing.skips


def test_an_unreadable_folder_with_a_secret_name_is_not_repeated(tmp_path: Path) -> None:
    """A source's failure is as public as a skip."""
    secret = "ghp_" + "a1B2c3D4e5" * 4
    write(tmp_path, f"{secret}/a.md")
    list_files(str(tmp_path), [DOCS])
    with without_rights(tmp_path, (secret, 0)):
        listing = list_files(str(tmp_path), [DOCS])
    assert listing.failed == {"docs": "<secret>: cannot list: Permission denied"}


def test_a_folder_that_keeps_changing_fails_the_sources_that_walk_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What vanished is reported, and the documents of the source stay."""
    write(tmp_path, "docs/a.md", "other/b.md")
    scan = files.scan_dir

    def racing(folder: str) -> list[os.DirEntry[str]]:
        write(tmp_path, "docs/flicker.md")
        entries = scan(folder)
        (tmp_path / "docs/flicker.md").unlink()
        return entries

    monkeypatch.setattr(files, "scan_dir", racing)
    sources = [SourceConfig("docs", include=("docs/**",)), SourceConfig("o", include=("other/**",))]
    listing = list_files(str(tmp_path), sources)
    assert listing.failed == {"docs": "docs: keeps changing while it is looked at"}
    assert reasons(listing) == {"docs/flicker.md": "vanished while it was looked at"}
    assert paths(listing, "o") == ["other/b.md"]


def test_a_malformed_glob_fails_its_source(tmp_path: Path) -> None:
    """A pattern nobody can read is not taken for one that matches nothing."""
    write(tmp_path, "a.md")
    listing = list_files(str(tmp_path), [SourceConfig("bad", include=("**", "!")), DOCS])
    assert "a glob cannot be read" in listing.failed["bad"]
    assert paths(listing) == ["a.md"]


def test_a_quick_look_asks_the_same(tmp_path: Path) -> None:
    """The arguments for a survey alone cover every source."""
    sources = [
        SourceConfig("a", include=("docs/**", "notes/x.md")),
        SourceConfig("b", kind="records", include=("data/*.jsonl",)),
    ]
    bases, suffixes = survey_arguments(sources)
    assert bases == ("data", "docs", "notes")
    assert {".md", ".txt", ".jsonl", ".csv"} <= suffixes
    assert survey_arguments([]) == ((), frozenset())


def test_programs_without_a_suffix(tmp_path: Path) -> None:
    """They are listed where globs were chosen for them, and only for such a source."""
    names = ("bin/run", "bin/a.sh", "bin/note.md", "bin/.hidden", "src/x.py", "LICENSE")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    chosen = SourceConfig("tools", kind="code", include=("bin/*", "/src"))
    listing = list_files(str(tmp_path), [chosen])
    assert [entry.path for entry in listing.by_source["tools"]] == [
        "bin/a.sh",
        "bin/run",
        "src/x.py",
    ]
    default = SourceConfig("tools", kind="code", include=DEFAULT_INCLUDE["code"])
    listing = list_files(str(tmp_path), [default])
    assert [entry.path for entry in listing.by_source["tools"]] == ["bin/a.sh", "src/x.py"]
    single = SourceConfig("tools", kind="code", include=("/bin/run",))
    listing = list_files(str(tmp_path), [single])
    assert [entry.path for entry in listing.by_source["tools"]] == ["bin/run"]
