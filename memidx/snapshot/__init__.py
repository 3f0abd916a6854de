"""What does a query read?

Here: which store, sources and settings belong together?
"""

from __future__ import annotations

from memidx.hashing import blake2b
from memidx.light import TYPE_CHECKING
from memidx.text import RULES_VERSION
from memidx.values import Value, field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memidx.analysis.base import Analyzer
    from memidx.config import SourceConfig


class Workspace(Value):
    """A store and where its documents come from.

    Attributes:
        store: Absolute path of the store's folder.
        root: Absolute path of the sources' root; None when it is not known.
        sources: In order of precedence.
        settings: Hash of whatever decides what a file becomes.
        max_bytes: Size cap of one document.
        own: Absolute paths memidx writes, which are never a source.
        env: The environment, for sources that run another program.
    """

    store: str
    root: str | None
    sources: tuple[SourceConfig, ...]
    settings: str
    max_bytes: int
    own: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


def analyzer_key(analyzer: Analyzer) -> str:
    """What of a snapshot's key says which analyzer made it."""
    return blake2b(analyzer.fingerprint().encode(), digest_size=6).hexdigest()


def settings_key(sources: Sequence[Mapping[str, object]], max_bytes: int) -> str:
    """Hash of whatever decides what a file becomes; another key makes a recorded look useless."""
    text = repr((RULES_VERSION, [sorted(source.items()) for source in sources], max_bytes))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
