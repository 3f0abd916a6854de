"""Which kinds of memory are there, and how does one know them?

The eight roles with their weights, and for each the names that folders and files of it go by. A
name is a convention, not a proof, so a match is always shown and can be changed in a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memidx.sources.base import SUFFIXES

_TEXT = SUFFIXES["markdown"]
_RECORDS = SUFFIXES["records"]
_SPEC = frozenset((".yaml", ".yml", ".json"))
_CODE = frozenset((".py", ".sh", ".bash"))


def _names(*names: str) -> re.Pattern[str]:
    """A whole name, whatever its case, `-` and `_` alike."""
    either = "|".join(name.replace("-", "[-_ ]?") for name in names)
    return re.compile(rf"(?:{either})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """How one source is known.

    Attributes:
        source: Its name in the configuration.
        kind: Its kind.
        suffixes: Of the files that count.
        folders: Name of a folder whose files it takes; None for none.
        files: Name, without suffix, of a single file it takes; None for none.
        decays: Whether its documents grow old.
    """

    source: str
    kind: str
    suffixes: frozenset[str]
    folders: re.Pattern[str] | None = None
    files: re.Pattern[str] | None = None
    decays: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """One of the eight roles.

    Attributes:
        name: For headings.
        what: A sentence about what belongs in it.
        weight: What its relevance is multiplied by.
        example: Lines of a source of this role, for a repository that has none yet.
        rules: In order; a file belongs to the first that takes it.
    """

    name: str
    what: str
    weight: float
    example: tuple[str, ...]
    rules: tuple[Rule, ...] = ()


# Folders of minutes, plans and the like are found below these, and nowhere deeper than this.
MOST_FOLDERS_DEEP = 3
# What lies in one of these plays no role; texts for tests and of others are no memory of this
# project, texts of examples may be.
NO_MEMORY = _names(
    "tests?", "testing", "testdata", "fixtures?", "expected", "vendor", "third-party",
    "site-packages",
)  # fmt: skip
ASIDE = _names("examples?", "samples?", "templates?", "benchmarks?")
# No memory either, but at the top alone: further down `build` may be what texts are about.
OUTPUT = _names("dist", "build", "target", "out")
# `0001-title.md`, most files of a folder: numbered records, whatever the folder's name.
NUMBERED = re.compile(r"\d{3,5}[-_.]")
CHANGELOG = _names("changelog", "changes", "history", "news", "release-?notes", "releases")

ROLES: tuple[Role, ...] = (
    Role(
        "Decisions and intents",
        "why things are as they are",
        1.4,
        ('name = "decisions"', 'include = ["/docs/decisions/**"]'),
        (
            Rule(
                "decisions",
                "markdown",
                _TEXT,
                folders=_names(
                    "decisions",
                    "adrs?",
                    "decision-records?",
                    "architecture-decisions",
                    "rfcs?",
                    "intents?",
                    "proposals?",
                    "keps?",
                    "peps?",
                    "enhancements?",
                    "design-docs?",
                ),
                files=_names("decisions", "decision-log", "intents?", "design"),
            ),
        ),
    ),
    Role(
        "Learnings",
        "what was found out the hard way",
        1.2,
        ('name = "learnings"', 'kind = "records"', 'include = ["/docs/learnings.jsonl"]'),
        (
            Rule(
                "learnings",
                "records",
                _RECORDS,
                files=_names(
                    "learnings?", "lessons?", "lessons-learned", "insights?", "memor(?:y|ies)"
                ),
            ),
            Rule(
                "learnings-notes",
                "markdown",
                _TEXT,
                folders=_names(
                    "learnings?",
                    "lessons?",
                    "lessons-learned",
                    "memor(?:y|ies)",
                    "retrospectives?",
                    "retros?",
                    "post-?mortems?",
                ),
                files=_names("learnings?", "lessons?", "lessons-learned", "memory"),
            ),
        ),
    ),
    Role(
        "API endpoints",
        "what can be called, and how",
        1.1,
        ('name = "api"', 'kind = "openapi"', 'include = ["/openapi.yaml"]'),
        (
            Rule(
                "api",
                "openapi",
                _SPEC,
                files=re.compile(r"(?:.*[-_.])?(?:openapi|swagger)(?:[-_.].*)?", re.IGNORECASE),
            ),
            Rule(
                "api-docs",
                "markdown",
                _TEXT,
                folders=_names("apis?", "api-references?", "api-docs?", "endpoints?"),
                files=_names("api", "api-reference", "endpoints?"),
            ),
        ),
    ),
    Role(
        "Tools",
        "scripts and commands that do a job",
        1.0,
        ('name = "tools"', 'include = ["/docs/tools.md", "/scripts/**"]'),
        (
            Rule("tools", "code", _CODE, folders=_names("scripts?", "tools?", "bin")),
            Rule(
                "tools-docs",
                "markdown",
                _TEXT,
                folders=_names("scripts?", "tools?", "bin", "runbooks?", "playbooks?"),
                files=_names("tools?", "cli", "commands?", "cli-reference", "runbook"),
            ),
        ),
    ),
    Role(
        "Records of work and verification",
        "what was done, tried on users, checked",
        0.9,
        ('name = "verifications"', 'kind = "records"', 'include = ["/docs/verifications.jsonl"]'),
        (
            Rule(
                "verifications",
                "records",
                _RECORDS,
                files=_names(
                    "verifications?", "ux", "ux-records?", "ux-findings?", "audits?", "checks"
                ),
                decays=True,
            ),
            Rule(
                "work-records",
                "markdown",
                _TEXT,
                folders=_names(
                    "verifications?",
                    "ux",
                    "usability",
                    "qa",
                    "audits?",
                    "test-reports?",
                    "work-summar(?:y|ies)",
                    "summaries",
                    "journals?",
                    "worklogs?",
                    "daily",
                ),
                decays=True,
            ),
        ),
    ),
    Role(
        "Tasks",
        "what is to be done",
        0.8,
        ('name = "tasks"', 'kind = "records"', 'include = ["/docs/tasks.yaml"]'),
        (
            Rule(
                "tasks",
                "records",
                _RECORDS,
                files=_names("tasks?", "todos?", "backlog", "issues?", "tickets?"),
                decays=True,
            ),
            Rule(
                "plans",
                "markdown",
                _TEXT,
                folders=_names("tasks?", "todos?", "backlog", "plans?", "tickets?", "roadmaps?"),
                files=_names("todos?", "tasks?", "road-?map", "backlog", "plan", ".*-plan"),
                decays=True,
            ),
        ),
    ),
    Role(
        "Docs",
        "every other text",
        1.0,
        ('name = "docs"', 'include = ["**"]'),
    ),
    Role(
        "Commits",
        "what was changed, and why",
        0.7,
        ('name = "commits"', 'kind = "git"', 'repos = ["."]'),
    ),
)
