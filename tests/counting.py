"""How much did the tests that try everything try? Shown at the end of a run."""

from __future__ import annotations

from collections import Counter

COUNTS: Counter[str] = Counter()


def count(what: str, n: int) -> None:
    """Add to what the end of the run shows."""
    COUNTS[what] += n
