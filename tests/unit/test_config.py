"""Which settings are in force, and what is said of a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from memidx.config import (
    DEFAULT_SOURCE,
    Config,
    SourceConfig,
    effective_sources,
    find_config_root,
    load_config,
    source_from_dict,
    source_to_dict,
)
from memidx.config.repos import Repo
from memidx.errors import ConfigError

FULL = """
project_name = "p"
framework = "f"
store = "index"
max_document_bytes = 1000

[analysis]
analyzer = "ascii-compat"
aliases = "aliases.txt"

[search]
strategy = "hybrid"
k1 = 1.2
b = 1
title_weight = 0
lexical_weight = 0.6
vector_weight = 0.4
fusion = "rrf"
min_score = 0.1

[[sources]]
name = "decisions"
include = ["docs/decisions/**"]
exclude = ["*.draft.md"]
weight = 1.4

[[sources]]
name = "tasks"
kind = "records"
include = ["tasks/*.jsonl"]
decay = 0.012
decay_floor = 0
fields = { id = "key", text = "body" }
"""


def load(folder: Path, text: str, name: str = "memidx.toml", **env: str) -> Config:
    """The configuration of a folder with one file."""
    (folder / name).write_text(text, encoding="utf-8")
    return load_config(str(folder), env=env)


def refusal(folder: Path, text: str, name: str = "memidx.toml") -> ConfigError:
    """The error such a file gives; it must name the file."""
    with pytest.raises(ConfigError) as refused:
        load(folder, text, name)
    assert refused.value.path == str(folder / name)
    return refused.value


def test_every_key_is_read(tmp_path: Path) -> None:
    """A file with all keys gives exactly these settings; whole numbers become decimal ones."""
    config = load(tmp_path, FULL)
    assert (config.project_name, config.framework, config.store) == ("p", "f", "index")
    assert config.max_document_bytes == 1000
    assert (config.analysis.analyzer, config.analysis.aliases) == ("ascii-compat", "aliases.txt")
    search = config.search
    assert (search.strategy, search.k1, search.b, search.title_weight) == ("hybrid", 1.2, 1.0, 0.0)
    assert (search.lexical_weight, search.vector_weight) == (0.6, 0.4)
    assert (search.fusion, search.min_score) == ("rrf", 0.1)
    assert isinstance(search.b, float)
    assert config.sources == (
        SourceConfig(
            "decisions", include=("docs/decisions/**",), exclude=("*.draft.md",), weight=1.4
        ),
        SourceConfig(
            "tasks",
            kind="records",
            include=("tasks/*.jsonl",),
            decay=0.012,
            decay_floor=0.0,
            fields={"id": "key", "text": "body"},
        ),
    )
    assert config.file == str(tmp_path / "memidx.toml")


def test_the_query_log_has_a_variable_of_its_own(tmp_path: Path) -> None:
    """`MEMIDX_QUERY_LOG` goes before `[log]`; `MEMIDX_QUERIES` names no key."""
    assert load(tmp_path, "[log]\nqueries = true\n").log.queries
    assert not load(tmp_path, "[log]\nqueries = true\n", MEMIDX_QUERY_LOG="0").log.queries
    assert load(tmp_path, "", MEMIDX_QUERY_LOG="1").log.queries
    assert not load(tmp_path, "", MEMIDX_QUERIES="1").log.queries
    assert "'queries' in [log]" in str(refusal(tmp_path, "queries = true\n").hint)
    with pytest.raises(ConfigError, match="MEMIDX_QUERY_LOG cannot have this value"):
        load(tmp_path, "", MEMIDX_QUERY_LOG="yes please")


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    """Nothing configured means one markdown source over everything."""
    config = load_config(str(tmp_path), env={})
    assert config == Config()
    assert effective_sources(config) == (DEFAULT_SOURCE,)
    assert SourceConfig("docs", "markdown", ("**",)) == DEFAULT_SOURCE


def test_pyproject_counts_with_its_own_table_only(tmp_path: Path) -> None:
    """A `pyproject.toml` without `[tool.memidx]` is no configuration."""
    assert load(tmp_path, '[project]\nname = "memidx"\n', "pyproject.toml").file is None
    config = load(tmp_path, '[tool.memidx]\nstore = "s"\n', "pyproject.toml")
    assert config.store == "s"
    assert config.file == str(tmp_path / "pyproject.toml")


def test_memidx_toml_goes_before_pyproject(tmp_path: Path) -> None:
    """Where both are there, the file that is memidx's own counts, and alone."""
    (tmp_path / "pyproject.toml").write_text('[tool.memidx]\nstore = "p"\nframework = "x"\n')
    config = load(tmp_path, 'store = "m"\n')
    assert (config.store, config.framework) == ("m", "")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('strategi = "x"\n', 1, "unknown key 'strategi'"),
        ("[search]\nk1 = 1\nk2 = 1\n", 3, "unknown key 'k2' in [search]"),
        ("[search]\nk1 = true\n", 2, "k1 cannot have this value"),
        ('[search]\nk1 = "1.2"\n', 2, "a number of 0 or more"),
        ("[search]\nk1 = -1\n", 2, "a number of 0 or more"),
        ("[search]\nk1 = inf\n", 2, "a number of 0 or more"),
        ("[search]\nk1 = nan\n", 2, "a number of 0 or more"),
        ("[search]\nb = 1.01\n", 2, "a number from 0 to 1"),
        ('[search]\n\nstrategy = "dense"\n', 3, "one of lexical, vector, hybrid"),
        ("[search]\nlexical_weight = 0\nvector_weight = 0\n", 2, "both 0"),
        ("[search]\nmin_score = 2\n", 2, "from 0 to 1"),
        ('[analysis]\nanalyzer = "english"\n', 2, "one of default, ascii-compat"),
        ("max_document_bytes = 0\n", 1, "a whole number above 0"),
        ("max_document_bytes = 1.5\n", 1, "a whole number above 0"),
        ('store = ""\n', 1, "a path"),
        ("search = 3\n", 1, "search is not a table"),
        ('[sources]\nname = "x"\n', 1, "[[sources]]"),
        ("[[sources]]\nweight = 1\n", 1, "a source has no name"),
        ('[[sources]]\nname = "a b"\n', 2, "a name of letters"),
        ('[[sources]]\nname = "a"\n[[sources]]\nname = "a"\n', 4, "two sources named 'a'"),
        ('[[sources]]\nname = "a"\nkind = "sql"\n', 3, "come later"),
        ('[[sources]]\nname = "a"\nkind = "recods"\n', 3, "unknown kind"),
        ('[[sources]]\nname = "a"\ninclude = "docs/**"\n', 3, "a list of globs"),
        ('[[sources]]\nname = "a"\ninclude = []\n', 3, "include is empty"),
        ('[[sources]]\nname = "a"\ninclude = [1]\n', 3, "a list of globs"),
        ('[[sources]]\nname = "a"\ninclude = ["C:\\\\x\\\\**"]\n', 3, "absolute path"),
        ('[[sources]]\nname = "a"\nweight = 0\n', 3, "a number above 0"),
        ('[[sources]]\nname = "a"\ndecay = -0.1\n', 3, "0 or more"),
        ('[[sources]]\nname = "a"\ndecay_floor = 1.5\n', 3, "from 0 to 1"),
        ('[[sources]]\nname = "a"\nfields = {id = "x"}\n', 3, "only sources of kind 'records'"),
        (
            '[[sources]]\nname = "a"\nkind = "records"\n[sources.fields]\nbody = "x"\n',
            5,
            "unknown key 'body'",
        ),
        (
            '[[sources]]\nname = "a"\nkind = "code"\nlanguages = ["python"]\n',
            4,
            "unknown key 'languages'",
        ),
        (
            '[[sources]]\nname = "a"\nkind = "openapi"\nfields = {id = "x"}\n',
            4,
            "only sources of kind 'records'",
        ),
        ("x = [1,\n", None, "is not TOML"),
        ('a = "x"\nb = = 2\n', 2, "is not TOML"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, text: str, line: int | None, said: str
) -> None:
    """Unknown keys, wrong types and values out of range say where they are and what is right."""
    error = refusal(tmp_path, text)
    assert said in error.message
    assert error.line == line


def test_an_unknown_key_comes_with_the_nearest_one(tmp_path: Path) -> None:
    """The hint looks in the same table first, then says in which other one the key is."""
    assert refusal(tmp_path, "[search]\nstratgy = 1\n").hint == "did you mean 'strategy'?"
    assert refusal(tmp_path, "min_scor = 1\n").hint == "did you mean 'min_score' in [search]?"
    assert refusal(tmp_path, "zzz = 1\n").hint is None


def test_mistakes_in_pyproject_have_their_line(tmp_path: Path) -> None:
    """The tables of other tools are passed over when the line is looked for."""
    text = "[project]\nb = 1\n[tool.x]\nb = 2\n[tool.memidx.search]\nb = 3\n"
    assert refusal(tmp_path, text, "pyproject.toml").line == 6


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    """Latin-1 in a configuration is an error, not a crash; a byte order mark is fine."""
    (tmp_path / "memidx.toml").write_bytes(b'store = "caf\xe9"\n')
    with pytest.raises(ConfigError, match="is not UTF-8"):
        load_config(str(tmp_path), env={})
    (tmp_path / "memidx.toml").write_bytes(b'\xef\xbb\xbfstore = "s"\r\n')
    assert load_config(str(tmp_path), env={}).store == "s"


def test_the_environment_goes_over_the_file(tmp_path: Path) -> None:
    """A single-valued key can be set by its name in capitals; other variables do not matter."""
    config = load(
        tmp_path,
        'store = "file"\n[search]\nk1 = 1\n',
        MEMIDX_STORE="env",
        MEMIDX_K1="0.9",
        MEMIDX_MAX_DOCUMENT_BYTES="77",
        MEMIDX_STRATEGY="vector",
        MEMIDX_ANALYZER="ascii-compat",
        MEMIDX_MIN_SCORE="",
        MEMIDX_CACHE_DIR="/x",
        MEMIDX_UNKNOWN="1",
        K1="3",
    )
    assert (config.store, config.search.k1, config.max_document_bytes) == ("env", 0.9, 77)
    assert (config.search.strategy, config.analysis.analyzer) == ("vector", "ascii-compat")
    assert config.search.min_score == 0.0


@pytest.mark.parametrize(
    ("written", "variable", "expected"),
    [
        ("", "", False),
        ("incremental_sed = true", "", True),
        ("", "1", True),
        ("", "True", True),
        ("incremental_sed = true", "0", False),
        ("incremental_sed = true", "false", False),
    ],
)
def test_a_switch(tmp_path: Path, written: str, variable: str, expected: bool) -> None:
    """Off unless the file or the variable says otherwise; the variable goes first."""
    config = load(tmp_path, written, MEMIDX_INCREMENTAL_SED=variable)
    assert config.incremental_sed is expected


def test_a_switch_is_true_or_false(tmp_path: Path) -> None:
    """A number or a text in a file, and any other word in a variable, is an error."""
    for value in ("1", '"true"', "[]"):
        error = refusal(tmp_path, f"incremental_sed = {value}")
        assert (error.expected, error.line) == ("true or false", 1)
    with pytest.raises(ConfigError, match="MEMIDX_INCREMENTAL_SED") as refused:
        load(tmp_path, "", MEMIDX_INCREMENTAL_SED="maybe")
    assert refused.value.expected == "1 or 0, true or false"
    assert refusal(tmp_path, "max_document_bytes = true").expected == "a whole number above 0"


@pytest.mark.parametrize(
    ("name", "value"),
    [("K1", "x"), ("K1", "nan"), ("B", "2"), ("STRATEGY", "dense"), ("MAX_DOCUMENT_BYTES", "1.5")],
)
def test_a_bad_variable_is_named(tmp_path: Path, name: str, value: str) -> None:
    """The message names the variable, so that one knows where to look."""
    with pytest.raises(ConfigError, match=f"MEMIDX_{name}"):
        load_config(str(tmp_path), env={f"MEMIDX_{name}": value})


def test_absolute_globs_below_root_become_relative(tmp_path: Path) -> None:
    """A committed store must not name a folder of one machine."""
    text = f'[[sources]]\nname = "a"\ninclude = ["{tmp_path}/docs/**", "/notes/**"]\n'
    assert load(tmp_path, text).sources[0].include == ("/docs/**", "/notes/**")


def test_a_named_folder_must_exist(tmp_path: Path) -> None:
    """A mistyped root is an error, not a project without settings."""
    with pytest.raises(ConfigError, match="is not a folder"):
        load_config(str(tmp_path / "typo"), env={}, explicit=True)


def test_the_nearest_configuration_is_found_up_to_the_repository(tmp_path: Path) -> None:
    """The search goes up from a folder and ends at the one that holds `.git`."""
    inner = tmp_path / "repo" / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "memidx.toml").write_text("")
    assert find_config_root(str(inner)) == str(tmp_path)
    (tmp_path / "repo" / ".git").mkdir()
    assert find_config_root(str(inner)) is None
    (tmp_path / "repo" / "pyproject.toml").write_text("[tool.memidx]\n")
    assert find_config_root(str(inner)) == str(tmp_path / "repo")
    (inner / "pyproject.toml").write_text("[project]\nname = 'memidx'\n")
    assert find_config_root(str(inner)) == str(tmp_path / "repo")
    (inner / "memidx.toml").write_text("")
    assert find_config_root(str(inner)) == str(inner)


def test_sources_survive_the_manifest(tmp_path: Path) -> None:
    """What a manifest keeps of a source gives the same source back, and no defaults."""
    for source in (*load(tmp_path, FULL).sources, DEFAULT_SOURCE):
        assert source_from_dict(source_to_dict(source)) == source
    assert source_to_dict(DEFAULT_SOURCE) == {
        "name": "docs",
        "kind": "markdown",
        "include": ["**"],
    }


def test_sources_of_a_later_version_are_read(tmp_path: Path) -> None:
    """A key this version does not know is left aside; a kind it does not know is refused."""
    assert source_from_dict({"name": "a", "colour": "red"}) == SourceConfig("a")
    with pytest.raises(ConfigError, match="come later"):
        source_from_dict({"name": "a", "kind": "sql"})


def test_kinds_that_take_files_by_name(tmp_path: Path) -> None:
    """Without `include`, `openapi` and `code` take files named for them; the store says which."""
    text = (
        '[[sources]]\nname = "api"\nkind = "openapi"\n'
        '[[sources]]\nname = "tools"\nkind = "code"\n'
        '[[sources]]\nname = "bin"\nkind = "code"\ninclude = ["bin/*"]\n'
    )
    api, tools, own = load(tmp_path, text).sources
    assert {"openapi.*", "swagger.*"} < set(api.include)
    assert tools.include == ("*.py", "*.pyi", "*.sh", "*.bash")
    assert own.include == ("bin/*",)
    for source in (api, tools, own):
        assert source_from_dict(source_to_dict(source)) == source


def test_git_sources(tmp_path: Path) -> None:
    """Repositories are paths or tables, in one spelling; without any, root is one."""
    text = (
        '[[sources]]\nname = "all"\nkind = "git"\nweight = 0.7\nuntil = "v1.2~3"\n'
        f'repos = ["./libs//one/", {{name = "my repo", path = "two"}}, "{tmp_path}/three"]\n'
        '[[sources]]\nname = "own"\nkind = "git"\n'
    )
    first, second = load(tmp_path, text).sources
    assert first.repos == (
        Repo("libs/one", "libs/one"),
        Repo("my repo", "two"),
        Repo("three", "three"),
    )
    assert first.until == "v1.2~3"
    assert second == SourceConfig("own", kind="git", repos=(Repo(".", "."),))
    assert source_to_dict(first) == {
        "name": "all",
        "kind": "git",
        "weight": 0.7,
        "repos": ["libs/one", {"name": "my repo", "path": "two"}, "three"],
        "until": "v1.2~3",
    }
    assert source_to_dict(second) == {"name": "own", "kind": "git", "repos": ["."]}
    for source in (first, second):
        assert source_from_dict(source_to_dict(source)) == source


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("repos = []", "repos is empty"),
        ("repos = [1]", "repos cannot have this value"),
        ('repos = ["../other"]', "leads out of root"),
        ('repos = ["a/../.."]', "leads out of root"),
        ('repos = ["/etc"]', "absolute path"),
        ('repos = ["C:/a"]', "absolute path"),
        ('repos = [""]', "a repository has no path"),
        ('repos = ["a", "./a"]', "two repositories named 'a'"),
        ('repos = ["a#b"]', "cannot have this name"),
        ('repos = [{path = "a", name = " a"}]', "cannot have this name"),
        ('repos = [{path = "a", nam = "b"}]', "unknown key 'nam'"),
        ('include = ["**"]', "sources of kind 'git' have no include"),
        ('fields = {id = "x"}', "only sources of kind 'records' have fields"),
        ('until = ""', "until cannot have this value"),
        ('until = "--all"', "until cannot have this value"),
        ('until = "a..b"', "until cannot have this value"),
        ('until = "^main"', "until cannot have this value"),
        ('until = "main@{1}"', "until cannot have this value"),
        ('until = "main:file"', "until cannot have this value"),
        ('until = ":/text"', "until cannot have this value"),
        ('until = "two words"', "until cannot have this value"),
    ],
)
def test_mistakes_of_a_git_source(tmp_path: Path, line: str, what: str) -> None:
    """Each is named with its line; none waits until git is asked."""
    error = refusal(tmp_path, f'[[sources]]\nname = "a"\nkind = "git"\n{line}\n')
    assert what in error.what
    assert error.line == 4


def test_one_repository_in_two_sources_is_refused(tmp_path: Path) -> None:
    """Its commits would be documents twice, under one `doc_id`."""
    text = '[[sources]]\nname = "a"\nkind = "git"\n[[sources]]\nname = "b"\nkind = "git"\n'
    assert "two repositories named '.'" in refusal(tmp_path, text).what


def test_options_of_git_are_its_own(tmp_path: Path) -> None:
    """A source that reads files has no repositories."""
    for line in ('repos = ["."]', 'until = "v1"'):
        error = refusal(tmp_path, f'[[sources]]\nname = "a"\nkind = "changelog"\n{line}\n')
        assert "only sources of kind 'git' have" in error.what


def test_the_page_names_every_key_with_its_default(repository: Path) -> None:
    """`docs/configuration.md` has a row for each key of the schema, and no row for another."""
    from memidx.config import schema

    page = (repository / "docs" / "configuration.md").read_text(encoding="utf-8")
    rows = {
        cells[1].strip(" `"): cells[3].strip(" `")
        for line in page.split("\n")
        if line.startswith("| `") and len(cells := line.split("|")) == 6
    }
    keys = {f"{table}.{key}".strip(".") for table, rules in schema.SCHEMA.items() for key in rules}
    assert set(rows) == keys | {"sources"}
    defaults = Config()
    for key, shown in rows.items():
        table, _, name = key.rpartition(".")
        if table != "sources" and key != "sources":
            value = getattr(getattr(defaults, table) if table else defaults, name)
            spelt = str(value).lower() if isinstance(value, bool) else repr(value)
            assert shown == ("none" if value is None else spelt.replace("'", '"')), key


def test_the_page_s_example_is_a_configuration(repository: Path, tmp_path: Path) -> None:
    """The example can be copied as it stands."""
    page = (repository / "docs" / "configuration.md").read_text(encoding="utf-8")
    example = page.partition("```toml\n")[2].partition("```")[0]
    assert [source.name for source in load(tmp_path, example).sources] == ["decisions", "tasks"]
