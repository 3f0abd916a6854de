"""How does the index survive a crash, a merge and a flipped bit?

Here: which files are its own, and was anything written to them since? Below:

    line      what is one document, in bytes?
    layout    which shard holds it, and in which place?
    manifest  what does the store say of itself?
    reader    which documents are there, and what is damaged?
    writer    how do changed shards replace the old ones?
    patch     can the one line that changed be patched?
    patcher   how does a patch get into its shard?
    sed       what does a sed script say, and do?
    lock      who may write?
    merge     what becomes of a store that two branches changed?
    driver    how does git merge one file of it?

The bytes are described in docs/store-format.md.
"""

from __future__ import annotations

import os

from memidx import files
from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from memidx.files import Signature

MANIFEST_NAME = "manifest.json"
# Of the hash of a `doc_id`: no name of a shard has more.
HASH_DIGITS = 16
_HEX = frozenset("0123456789abcdef")
# A folder that was written so shortly ago may be written again without another time.
_RACY_NS = 2_000_000_000


def shard_name(prefix: str) -> str:
    """The file that holds the documents whose hash begins with `prefix`."""
    return f"docs-{prefix}.jsonl" if prefix else "docs.jsonl"


def shard_prefix(name: str) -> str | None:
    """The hash prefix a shard's file name stands for; None when it is no shard's name."""
    if name == shard_name(""):
        return ""
    prefix = name[len("docs-") : -len(".jsonl")]
    is_one = 0 < len(prefix) <= HASH_DIGITS and _HEX.issuperset(prefix)
    return prefix if is_one and name == shard_name(prefix) else None


def has_store(path: str) -> bool:
    """Whether a folder holds a file of a store; costs a listing."""
    return any(map(_is_own, files.names(path)))


def store_signature(path: str) -> dict[str, Signature]:
    """File name -> signature, of the manifest and every shard file; empty without a store.

    Costs a listing and a `stat` each, and no reading: equal answers mean that nothing was
    written between them.
    """
    signatures: dict[str, Signature] = {}
    for name in files.names(path):
        if _is_own(name):
            signature = files.signature(os.path.join(path, name))
            if signature is not None:
                signatures[name] = signature
    return signatures


def _is_own(name: str) -> bool:
    return name == MANIFEST_NAME or shard_prefix(name) is not None


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
