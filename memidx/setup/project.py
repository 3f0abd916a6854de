"""What is written where when a repository is set up, and what is left alone?

A file that is there is left as it is; where only lines are needed in it, they are put into a marked
block. Everything is decided before anything is written.
"""

from __future__ import annotations

import os.path
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from memidx import files
from memidx.analysis import get_analyzer
from memidx.config import (
    Config,
    SourceConfig,
    effective_sources,
    find_config_root,
    load_config,
    source_from_dict,
)
from memidx.errors import FileError, InputError, StoreError
from memidx.indexing.scan import Scan, Scanner
from memidx.setup.agents import AGENT_FILES, DEFAULT_AGENT_FILE, agent_block
from memidx.setup.blocks import HASH, HTML, Markers, with_block
from memidx.setup.configuration import CONFIG_NAME, configuration_text
from memidx.setup.detect import Detected, detect
from memidx.setup.git import attribute_lines, ignore_lines, set_driver
from memidx.setup.starter import SUITE_NAME, Starter, choose_starters, suite_text
from memidx.text.paths import is_within

Action = Literal["written", "left", "block added", "block renewed", "unchanged", "set"]

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one file, or of one setting.

    Attributes:
        path: Relative to root; the key of a setting.
        action: What was done, or would be.
        why: Why something was left, or what is inside.
        content: The bytes the file has afterwards; None where it is not written.
    """

    path: str
    action: Action
    why: str = ""
    content: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the caller asked for.

    Attributes:
        git: Set the merge driver, too.
        agents: Put the block into files of instructions for agents, too.
        has_also: Whether the query command takes a second wording (`--also`).
        python: Absolute path of the interpreter that git calls.
        write: False only says what would be written.
    """

    git: bool
    agents: bool
    has_also: bool
    python: str
    write: bool


@dataclass(frozen=True, slots=True)
class SetupReport:
    """What was found, and what was written.

    Attributes:
        root: Absolute path.
        sources: Name, role, kind, globs and number of files of each source that was found; empty
            where a configuration was there already.
        n_docs: Documents these sources give.
        steps: In the order they were taken.
        starters: Queries of the new suite.
        notes: What could not be used or done, a sentence each.
        written: Whether anything was written at all (not with `--print`).
    """

    root: str
    sources: tuple[Mapping[str, Any], ...]
    n_docs: int | None
    steps: tuple[Step, ...]
    starters: tuple[Starter, ...]
    notes: tuple[str, ...]
    written: bool

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        steps = [{"path": step.path, "action": step.action, "why": step.why} for step in self.steps]
        values = {**asdict(self), "steps": steps}
        return {"schema": "memidx.init/1", **values}


def set_up(root: str | None, env: Mapping[str, str], wanted: Wanted) -> SetupReport:
    """Look at a repository and write what it lacks.

    Args:
        root: Its folder; None takes that of the nearest configuration, else the working folder.
        env: The environment.
        wanted: What was asked for.

    Raises:
        InputError: Root is no folder, the configuration there cannot be used, or a marked block
            is broken; nothing was written.
        FileError: A file cannot be written; those before it are.
    """
    if root is not None and not files.is_dir(root):
        raise InputError("root is not a folder", path=root, hint="give an existing folder")
    here = files.working_folder()
    base = files.realpath(root or find_config_root(here) or here)
    config = load_config(base, env=env)
    store = os.path.join(base, config.store)
    detected = detect(base, [store], env)
    steps: list[Step] = []
    notes = [*detected.notes]
    is_new = config.file is None
    if is_new:
        notes += _apart(detected)
    starters: tuple[Starter, ...] = ()
    n_docs = None
    # Who asks for git or agents in a project that is set up gets that, and no suite besides.
    if is_new or not (wanted.git or wanted.agents):
        text = configuration_text(os.path.basename(base) or "project", detected)
        steps.append(_new_file(base, CONFIG_NAME, text, config.file))
        if is_new:
            config = _parsed(text, config)
        suite, starters, n_docs = _suite(base, config, store, env, notes)
        steps.append(suite)
    if is_new or wanted.git or not wanted.agents:
        steps += _git_files(base, store, detected)
    if wanted.git:
        steps.append(_driver(detected, wanted, notes))
    if wanted.agents:
        steps += _agents(base, wanted, notes)
    if wanted.write:
        for step in steps:
            if step.content is not None:
                target = os.path.join(base, step.path)
                files.write_atomic(target, step.content, scratch_dir=os.path.dirname(target))
    return SetupReport(
        root=base,
        sources=_described(detected) if is_new else (),
        n_docs=n_docs,
        steps=tuple(steps),
        starters=starters,
        notes=tuple(notes),
        written=wanted.write,
    )


def _apart(detected: Detected) -> list[str]:
    """What the configuration leaves out, and what it could."""
    said = {
        "texts of tests, of others and of tools are left out": detected.left_out,
        "texts of examples and templates are docs unless the configuration leaves them out": (
            detected.aside
        ),
    }
    return [
        f"{sum(folders.values())} {what} ({', '.join(folders)})"
        for what, folders in said.items()
        if folders
    ]


def _new_file(base: str, name: str, text: str, there: str | None) -> Step:
    if there is not None or files.exists(os.path.join(base, name)):
        where = os.path.basename(there) if there else name
        return Step(where, "left", "is there already")
    return Step(name, "written", content=text.encode("utf-8"))


def _suite(
    base: str, config: Config, store: str, env: Mapping[str, str], notes: list[str]
) -> tuple[Step, tuple[Starter, ...], int | None]:
    """The suite; its starters are tried on what the sources give right now."""
    if files.exists(os.path.join(base, SUITE_NAME)):
        return Step(SUITE_NAME, "left", "is there already"), (), None
    sources = effective_sources(config)
    files_only = tuple(source for source in sources if source.kind != "git")
    try:
        scan = _scan(base, files_only, config, store, env)
    except StoreError as error:
        notes.append(
            f"the sources could not be read, so the suite has no starters: {error.message}"
        )
        scan = None
    documents = scan.documents if scan else {}
    notes += [f"source {name}: {reason}" for name, reason in (scan.failed if scan else {}).items()]
    analyzer = get_analyzer(config.analysis.analyzer)
    starters = tuple(choose_starters(documents, files_only, analyzer, config.search))
    text = suite_text(starters)
    why = f"{len(starters)} starters, tried and found to pass"
    step = Step(SUITE_NAME, "written", why, text.encode("utf-8"))
    return step, starters, len(documents)


def _scan(
    base: str,
    sources: tuple[SourceConfig, ...],
    config: Config,
    store: str,
    env: Mapping[str, str],
) -> Scan:
    scanner = Scanner(base, sources, max_bytes=config.max_document_bytes, own=(store,), env=env)
    return scanner.scan(None)


def _parsed(text: str, config: Config) -> Config:
    """The configuration that the text is, as it will be read."""
    values = tomllib.loads(text)
    sources = tuple(source_from_dict(table) for table in values.get("sources", ()))
    return replace(config, project_name=values["project_name"], sources=sources)


def _git_files(base: str, store: str, detected: Detected) -> list[Step]:
    """`.gitattributes` and `.gitignore` beside the configuration, or beside the store."""
    if detected.tree is None:
        return []
    home = base if is_within(store, base) else os.path.dirname(store)
    inside = os.path.relpath(store, home).replace(os.sep, "/")
    return [
        _block(base, home, ".gitattributes", attribute_lines(inside), HASH),
        _block(base, home, ".gitignore", ignore_lines(inside), HASH),
    ]


def _driver(detected: Detected, wanted: Wanted, notes: list[str]) -> Step:
    if detected.tree is None:
        raise InputError(
            "there is no git repository here, or no git, so the merge driver has no place",
            hint="run `git init` first" if not detected.notes else detected.notes[-1],
        )
    state = set_driver(detected.tree, wanted.python, write=wanted.write)
    if state == "left":
        return Step("merge.memidx.driver", "left", "is set to something else")
    notes.append("the merge driver is a setting of this clone: each clone runs `memidx init --git`")
    return Step("merge.memidx.driver", state)


def _agents(base: str, wanted: Wanted, notes: list[str]) -> list[Step]:
    """A block in each file of instructions that is there; in a new AGENTS.md where none is."""
    names = [name for name in AGENT_FILES if files.exists(os.path.join(base, name))]
    body = agent_block(has_also=wanted.has_also)
    steps: list[Step] = []
    done: set[str] = set()
    for name in names or [DEFAULT_AGENT_FILE]:
        target = files.realpath(os.path.join(base, name))
        if not is_within(target, base):
            notes.append(f"{name}: is a link that leads out of the repository, so it was left")
            continue
        # One file by two names is the usual way to serve two agents.
        if target not in done:
            done.add(target)
            steps.append(_block(base, base, name, body, HTML))
    return steps


def _block(base: str, home: str, name: str, body: str, markers: Markers) -> Step:
    path = os.path.join(home, name)
    shown = os.path.relpath(path, base).replace(os.sep, "/")
    try:
        old = files.read_bytes(path)
    except FileError as error:
        if not files.is_missing(error):
            raise
        old = None
    if old is not None and old.startswith(_UTF_16):
        return Step(shown, "left", "is UTF-16: save it as UTF-8 first")
    if markers is HASH and markers.begin.encode() not in (old or b""):
        # What the owner wrote already need not be said twice.
        theirs = {line.strip() for line in (old or b"").decode("utf-8", "replace").splitlines()}
        body = "\n".join(line for line in body.splitlines() if line not in theirs)
    new = with_block(old or b"", body, markers, shown) if body else old
    if new is None or new == old:
        return Step(shown, "unchanged")
    if old is None:
        return Step(shown, "written", content=new)
    renewed = markers.begin.encode() in old
    return Step(shown, "block renewed" if renewed else "block added", content=new)


def _described(detected: Detected) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {
            "name": source.name,
            "role": source.role.name,
            "kind": source.kind,
            "include": list(source.include),
            "weight": source.role.weight,
            "n_files": source.n_files,
        }
        for source in detected.found
    )
