"""In which state are the sources that have no files?

Asked on every search, beside the survey of the files.
"""

from __future__ import annotations

from memidx.config import SourceConfig
from memidx.light import TYPE_CHECKING
from memidx.sources import FEED_KINDS
from memidx.text import FEEDS

if TYPE_CHECKING:
    from collections.abc import Sequence


def feed_tokens(root: str, sources: Sequence[SourceConfig]) -> dict[str, str | None]:
    """Part of a feed -> token of its state, for every feed; see `FeedKind.token`."""
    return {
        part: FEED_KINDS[source.kind].token(source, part, root)
        for source in sources
        if source.kind in FEEDS
        for part in FEED_KINDS[source.kind].parts(source)
    }
