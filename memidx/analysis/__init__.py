"""What counts as a term?

One analyzer serves documents, queries and passages; `base` says what it promises.
"""

from __future__ import annotations

from memidx.analysis.base import Analyzer
from memidx.analysis.default import DefaultAnalyzer
from memidx.errors import ConfigError
from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ANALYZERS = ("default", "ascii-compat")


def get_analyzer(name: str, *, aliases: Mapping[str, tuple[str, ...]] | None = None) -> Analyzer:
    """The analyzer of that name.

    Args:
        name: One of `ANALYZERS`.
        aliases: Word or phrase -> further words that a query for it also looks for, at a
            fraction of the weight. Only `default` uses them.

    Raises:
        ConfigError: There is no such analyzer.
    """
    if name == "default":
        return DefaultAnalyzer(aliases)
    if name == "ascii-compat":
        # Loaded by who wants it: it is the rare one.
        from memidx.analysis.ascii_compat import AsciiCompatAnalyzer

        return AsciiCompatAnalyzer()
    raise ConfigError("unknown analyzer", expected=" or ".join(ANALYZERS), found=name)


__all__ = ["ANALYZERS", "Analyzer", "get_analyzer"]
