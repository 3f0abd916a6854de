"""Which roles does this repository have?

One walk over the folders, names held against the rules of `roles`; records are tried, because any
JSON file may bear a name like `tasks.json`. Nothing is run.
"""

from __future__ import annotations

import os.path
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memidx import files
from memidx.config import SourceConfig, source_from_dict
from memidx.errors import ConfigError, FileError, InputError, ProgramError
from memidx.setup.roles import (
    ASIDE,
    CHANGELOG,
    MOST_FOLDERS_DEEP,
    NO_MEMORY,
    NUMBERED,
    OUTPUT,
    ROLES,
    Role,
    Rule,
)
from memidx.sources import FILE_KINDS
from memidx.sources.base import SUFFIXES
from memidx.sources.survey import survey
from memidx.text.paths import is_utf8, printable
from memidx.worktree import Worktree

_FEWEST_NUMBERED = 8
_MOST_TRIED_BYTES = 1 << 26
_MOST_RECORD_FILES = 20
_FEWEST_ASIDE = 5
# A file name like `plan` or `design` says something at the top, or in the docs folder, alone.
_TOP_ONLY = ("plans", "decisions", "tools-docs")


@dataclass(frozen=True, slots=True)
class Found:
    """One source that the repository has.

    Attributes:
        role: The role it plays.
        name: Of the source.
        kind: Of the source.
        include: Globs; empty for commits.
        n_files: Files that it takes, or commits.
        decays: Whether its documents grow old.
    """

    role: Role
    name: str
    kind: str
    include: tuple[str, ...]
    n_files: int
    decays: bool = False


@dataclass(frozen=True, slots=True)
class Detected:
    """What a repository has.

    Attributes:
        found: In the order of the configuration: the special before the general.
        left_out: Folder -> texts of tests, of others, of tools: no memory, where they are many.
        aside: Folder -> texts of examples and templates, where they are many.
        notes: What was seen and cannot be used, a sentence each.
        tree: The git working tree; None where there is none, or no git.
    """

    found: tuple[Found, ...]
    left_out: Mapping[str, int]
    aside: Mapping[str, int]
    notes: tuple[str, ...]
    tree: Worktree | None


def detect(root: str, own: Sequence[str], env: Mapping[str, str]) -> Detected:
    """Look at a repository.

    Args:
        root: Absolute path.
        own: Absolute paths that memidx writes.
        env: The environment, for git.
    """
    suffixes = frozenset().union(*SUFFIXES.values(), *(r.suffixes for r in _rules()))
    seen = survey(root, [""], suffixes, own)
    left = sorted(path for path in seen.files if is_utf8(path) and not _is_aside(path))
    notes = [f"{printable(path) or 'root'}: {reason}" for path, reason in seen.failed.items()]
    found: list[Found] = []
    for role in ROLES:
        for rule in role.rules:
            mine = _matches(rule, left)
            if rule.source == "decisions":
                mine |= _numbered(left)
            globs = _usable(root, rule, mine, notes)
            taken = [path for path in left if any(_takes(glob, path) for glob in globs)]
            taken = [path for path in taken if path.lower().endswith(tuple(rule.suffixes))]
            if taken:
                include = tuple(_glob(path) for path in globs)
                found.append(Found(role, rule.source, rule.kind, include, len(taken), rule.decays))
                left = sorted(set(left).difference(taken))
    docs = next(role for role in ROLES if role.name == "Docs")
    texts = [path for path in left if path.lower().endswith(tuple(SUFFIXES["markdown"]))]
    changes = [path for path in texts if CHANGELOG.fullmatch(_stem(path))]
    if changes:
        include = tuple(_glob(path) for path in changes)
        found.append(Found(docs, "changes", "changelog", include, len(changes)))
    aside = Counter(
        folder
        for path in seen.files
        if path.lower().endswith(tuple(SUFFIXES["markdown"])) and (folder := _aside_folder(path))
    )
    many = {folder: n for folder, n in sorted(aside.items()) if n >= _FEWEST_ASIDE}
    left_out = {folder: n for folder, n in many.items() if not ASIDE.fullmatch(_last(folder))}
    n_texts = len(texts) - len(changes) + sum(aside.values()) - sum(left_out.values())
    if n_texts:
        found.append(Found(docs, "docs", "markdown", ("**",), n_texts))
    tree, commits = _commits(root, env, notes)
    if commits:
        found.append(commits)
    rest = {folder: n for folder, n in many.items() if folder not in left_out}
    return Detected(tuple(found), left_out, rest, tuple(notes), tree)


def knows_kind(kind: str) -> bool:
    """Whether this version of memidx reads sources of a kind."""
    extra = {} if kind == "git" else {"include": ["/x"]}
    try:
        source_from_dict({"name": "x", "kind": kind, **extra})
    except ConfigError:
        return False
    return True


def _rules() -> Iterable[Rule]:
    return (rule for role in ROLES for rule in role.rules)


def _matches(rule: Rule, paths: Iterable[str]) -> set[str]:
    """Folders, each with a `/` at its end, and single files that a rule means."""
    found: set[str] = set()
    for path in paths:
        if not path.lower().endswith(tuple(rule.suffixes)):
            continue
        parts = path.split("/")
        for depth, name in enumerate(parts[:-1][:MOST_FOLDERS_DEEP], 1):
            if rule.folders is not None and rule.folders.fullmatch(name):
                found.add("/".join(parts[:depth]) + "/")
                break
        else:
            folders = parts[1:-1] if parts[0].lower() in ("docs", "doc") else parts[:-1]
            most = 0 if rule.source in _TOP_ONLY else MOST_FOLDERS_DEEP
            near = len(folders) <= most
            if rule.files is not None and near and rule.files.fullmatch(_stem(path)):
                found.add(path)
    return found


def _numbered(paths: Iterable[str]) -> set[str]:
    """Folders most of whose texts bear a number, as the RFCs and decisions of many projects do."""
    n_all: Counter[str] = Counter()
    n_numbered: Counter[str] = Counter()
    for path in paths:
        folder, _, name = path.rpartition("/")
        if folder and name.lower().endswith(tuple(SUFFIXES["markdown"])):
            n_all[folder] += 1
            n_numbered[folder] += NUMBERED.match(name) is not None
    return {
        f"{folder}/"
        for folder, n in n_numbered.items()
        if n >= _FEWEST_NUMBERED and n >= 0.8 * n_all[folder]
    }


def _usable(root: str, rule: Rule, places: set[str], notes: list[str]) -> list[str]:
    """The places that this version can read, none inside another."""
    outer: list[str] = []
    for place in sorted(places):
        if not any(place.startswith(above) for above in outer if above.endswith("/")):
            outer.append(place)
    if not outer:
        return []
    if not knows_kind(rule.kind):
        notes.append(
            f"{', '.join(outer[:5])}: left out, because this version has no sources of kind "
            f"{rule.kind!r}"
        )
        return []
    if rule.kind == "records":
        return [
            path for path in outer[:_MOST_RECORD_FILES] if _holds_records(root, rule, path, notes)
        ]
    if rule.kind == "openapi":
        return [path for path in outer if _is_spec(root, path)]
    return outer


def _holds_records(root: str, rule: Rule, path: str, notes: list[str]) -> bool:
    source = SourceConfig(name=rule.source, kind="records")
    try:
        data = files.read_bytes(os.path.join(root, path), _MOST_TRIED_BYTES)
    except FileError as error:
        notes.append(f"{path}: {error.what}")
        return False
    if FILE_KINDS["records"].parse(source, path, data).items:
        return True
    notes.append(f"{path}: its name is that of {rule.source}, but it holds no records")
    return False


def _is_spec(root: str, path: str) -> bool:
    """Whether a file begins as a description of an interface does; its kind reads it whole."""
    try:
        head = files.read_bytes(os.path.join(root, path), 1 << 16)
    except FileError:
        return False
    return b"openapi" in head or b"swagger" in head


def _commits(
    root: str, env: Mapping[str, str], notes: list[str]
) -> tuple[Worktree | None, Found | None]:
    try:
        tree = Worktree(root, env)
    except InputError:
        return None, None
    except ProgramError as error:
        notes.append(f"git: {error.what}")
        return None, None
    n_commits = tree.n_commits()
    if n_commits is None:
        notes.append("the clone is shallow: its commits are left out until it has its history")
        return tree, None
    commits = next(role for role in ROLES if role.name == "Commits")
    return tree, Found(commits, "commits", "git", (), n_commits, decays=True)


def _takes(place: str, path: str) -> bool:
    return path.startswith(place) if place.endswith("/") else path == place


def folder_glob(folder: str) -> str:
    """A glob that takes all below one folder."""
    return _glob(f"{folder}/")


def _glob(place: str) -> str:
    """A glob below root that takes a folder, or a file, and nothing else."""
    escaped = "".join(f"\\{c}" if c in "*?[]!#\\ " else c for c in place)
    return f"/{escaped}**" if place.endswith("/") else f"/{escaped}"


def _stem(path: str) -> str:
    return _last(path).rpartition(".")[0]


def _is_aside(path: str) -> bool:
    return _aside_folder(path) is not None


def _aside_folder(path: str) -> str | None:
    """The outermost folder of a path that is a test's, an example's or the like."""
    parts = path.split("/")[:-1]
    for depth, name in enumerate(parts, 1):
        if (
            ASIDE.fullmatch(name)
            or NO_MEMORY.fullmatch(name)
            or (depth == 1 and OUTPUT.fullmatch(name))
        ):
            return "/".join(parts[:depth])
    return None


def _last(path: str) -> str:
    return path.rpartition("/")[2]
