"""Was anything written to a store since?

A listing and a `stat` each, no reading: this runs on every search, so the module loads nothing of
what reads lines.
"""

from __future__ import annotations

import os

from memidx import files
from memidx.files import Signature
from memidx.store import MANIFEST_NAME, shard_prefix

# A folder that was written so shortly ago may be written again without another time.
_RACY_NS = 2_000_000_000


def store_signature(path: str) -> dict[str, Signature]:
    """File name -> signature, of the manifest and every shard file; empty without a store.

    Costs a listing and a `stat` each, and no reading: equal answers mean that nothing was
    written between them.
    """
    signatures: dict[str, Signature] = {}
    for name in files.names(path):
        if name == MANIFEST_NAME or shard_prefix(name) is not None:
            signature = files.signature(os.path.join(path, name))
            if signature is not None:
                signatures[name] = signature
    return signatures


class StoreFolder:
    """Tells with one `stat` that no file of a store was added, replaced or removed.

    Whoever writes a store renames files into its folder, and so do git and most editors, which
    changes the folder's time. A file that is written in place is seen by `store_signature` only.

    Args:
        path: Of the store's folder.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen: Signature | None = None

    def is_as_seen(self) -> bool:
        """Whether it is as it was when it was looked at last."""
        return self._seen is not None and files.signature(self._path) == self._seen

    def look(self, now_ns: int) -> None:
        """Look at it, before its files are looked at; not relied on when it was just written.

        Args:
            now_ns: The clock, nanoseconds since the epoch.
        """
        found = files.signature(self._path)
        is_settled = found is not None and 0 < found.mtime_ns < now_ns - _RACY_NS
        self._seen = found if is_settled else None
