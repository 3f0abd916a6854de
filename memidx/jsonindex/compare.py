"""Are the sources of a published index still what they were?

By the hash of the text where the index has one (1.3), else by the time of the last modification,
as the published reference does. Only files the index names can be compared: what was added since
is not seen, and parts of files (`path#anchor`) are left aside.
"""

from __future__ import annotations

import os.path
from collections.abc import MutableMapping
from dataclasses import dataclass
from hashlib import sha256

from memidx import files
from memidx.errors import FileError
from memidx.files import Signature
from memidx.indexing.state import Freshness
from memidx.jsonindex.parsing import PublishedDocument, PublishedFile
from memidx.sources.base import Skip
from memidx.text.decode import Undecodable, decode
from memidx.text.paths import is_within

Hashes = MutableMapping[str, tuple[Signature, str]]
"""Path on disk -> the signature of a file that was read, and the hash of its text."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of the sources.

    Attributes:
        changed: Files that are other than indexed, or gone, and how.
        n_same: Documents whose source is as it was.
        n_unknown: Documents that cannot be compared.
    """

    changed: tuple[Skip, ...] = ()
    n_same: int = 0
    n_unknown: int = 0

    @property
    def freshness(self) -> Freshness:
        """What an answer from the index has to say of itself."""
        if self.changed:
            return "stale"
        return "unchecked" if self.n_unknown or not self.n_same else "fresh"


def compare(published: PublishedFile, root: str, hashes: Hashes) -> Comparison:
    """Look at every file that the index names below root.

    Args:
        published: The index.
        root: Absolute path that its paths are relative to.
        hashes: What earlier calls read, so that an unchanged file is read once.
    """
    built_at = _seconds(published.built_at)
    changed: list[Skip] = []
    n_same = n_unknown = 0
    for document in published.documents:
        place = place_of(document, root)
        if place is None:
            n_unknown += 1
            continue
        reason = _difference(document, place, built_at, hashes)
        if reason is None:
            n_same += 1
        elif reason:
            changed.append(Skip(document.given, reason))
        else:
            n_unknown += 1
    return Comparison(tuple(changed), n_same, n_unknown)


def place_of(document: PublishedDocument, root: str) -> str | None:
    """Where the document's file is, or would be; None for a part of a file, and outside of root."""
    if document.path != document.given or document.path.startswith(("git:", "sql:")):
        return None
    try:
        place = files.realpath(os.path.join(root, document.path))
    except FileError:
        return None
    return place if is_within(place, root) else None


def text_hash(text: str) -> str:
    """`source_hash` of a text."""
    return sha256(text.encode("utf-8")).hexdigest()


def _difference(
    document: PublishedDocument, place: str, built_at: float | None, hashes: Hashes
) -> str | None:
    """How a file differs from what was indexed: None when it does not, "" when nobody can tell."""
    try:
        signature = files.signature(place)
        if signature is None:
            return "is gone"
        if document.source_hash is None:
            return _by_time(document, signature, built_at)
        known = hashes.get(place)
        if known is None or known[0] != signature:
            data, signature = files.read_signed(place)
            known = hashes[place] = (signature, text_hash(decode(data)))
    except (FileError, Undecodable) as error:
        return f"cannot be compared: {error.what if isinstance(error, FileError) else error.reason}"
    return None if known[1] == document.source_hash else "changed since it was indexed"


def _by_time(
    document: PublishedDocument, signature: Signature, built_at: float | None
) -> str | None:
    # As `os.stat` rounds it, so that the figure equals the published one.
    seconds, nanoseconds = divmod(signature.mtime_ns, 10**9)
    mtime = seconds + 1e-9 * nanoseconds
    if mtime == document.mtime:
        return None
    if built_at is None:
        return ""
    return "was modified after the index was built" if mtime > built_at else None


def _seconds(time: str | None) -> float | None:
    """Seconds since the epoch of an ISO time stamp; None when it is none."""
    from datetime import datetime  # a search in a store does without

    try:
        return None if time is None else datetime.fromisoformat(time).timestamp()
    except (ValueError, OverflowError):
        return None
