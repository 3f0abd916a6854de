"""Which settings are in force, and where did each come from?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """One `[[sources]]` table.

    Attributes:
        name: Unique.
        kind: `markdown` or `records` (others come later).
        include: Globs relative to root, gitignore syntax; a file must match one.
        exclude: Globs that take files out again.
        weight: Multiplies relevance; > 0.
        decay: Rate per day of the age penalty; 0 = evergreen.
        decay_floor: What the penalty never falls below, 0..1.
        fields: For `records`: which key holds id, title, text, time, tags.
    """

    name: str
    kind: str = "markdown"
    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    weight: float = 1.0
    decay: float = 0.0
    decay_floor: float = 0.3
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnalysisConfig:
    """`[analysis]`."""

    analyzer: str = "default"
    aliases: str | None = None


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """`[search]`: what turns matches into an order."""

    strategy: str = "lexical"
    k1: float = 1.5
    b: float = 0.75
    title_weight: float = 0.8
    lexical_weight: float = 0.7
    vector_weight: float = 0.3
    fusion: str = "weighted"
    min_score: float = 0.0


@dataclass(frozen=True, slots=True)
class Config:
    """Everything memidx can be told, after defaults.

    Attributes:
        sources: In the order of the file; a file of the tree belongs to the first that takes it.
            Empty means "not configured": the built-in `docs` source over every markdown file.
        file: Absolute path of the file it was read from, or None.
    """

    project_name: str = ""
    framework: str = ""
    store: str = "store"
    max_document_bytes: int = 2**20
    analysis: AnalysisConfig = AnalysisConfig()
    search: SearchConfig = SearchConfig()
    sources: tuple[SourceConfig, ...] = ()
    file: str | None = None
