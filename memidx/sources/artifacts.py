"""Is a file something memidx wrote?

Reports, baselines and indexes say so themselves at their beginning; wherever they lie, and whatever
folder they lie in is called, they are never a source.
"""

from __future__ import annotations

import re

_HEAD_BYTES = 512
_TYPE = rb"(?:memidx-|memory-index)"
_MARKED = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*"
    rb"(?:(?:<!--|#) artifact_type: %b|\{[^{}\[\]]*\"artifact_type\"\s*:\s*\"%b)" % (_TYPE, _TYPE)
)


def is_artifact(data: bytes) -> bool:
    """Whether a file's bytes begin as those of a memidx report or index do."""
    head = data[:_HEAD_BYTES]
    # A plain search passes nearly every file over.
    return b"artifact_type" in head and _MARKED.match(head) is not None
