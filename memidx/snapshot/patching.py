"""Does a build patch its one changed line, or write the store the ordinary way?

What a look knows beyond the lines is told to `memidx.store.patch` here: which documents were
there at the last look, and which files are there but give no document.
"""

from __future__ import annotations

from collections.abc import Mapping

from memidx.indexing.state import State
from memidx.snapshot.look import Look
from memidx.store import store_signature
from memidx.store.line import decode_line
from memidx.store.manifest import Manifest
from memidx.store.patch import Decline, Patch, Wanted
from memidx.store.patcher import patch_store
from memidx.store.reader import Damage
from memidx.store.writer import Written, write_store


def patch_or_write(
    store: str,
    manifest: Manifest,
    look: Look,
    stored: Mapping[str, bytes],
    damage: tuple[Damage, ...],
    known: State | None,
    *,
    shard: bool | None,
    cap: int,
) -> tuple[Written, Patch | Decline]:
    """Make the store hold what the look holds; the bytes are the same either way.

    Args:
        look: Made from `stored`, `damage` and `known`.

    Raises:
        InputError: The documents do not fit, as `write_store` says.
        FileError: The store cannot be written; no document is lost.
    """
    wanted = Wanted(
        manifest,
        look.lines,
        known=_known_before(store, look, known),
        unusable=_unusable(look, stored),
        shard=shard,
        cap=cap,
    )
    done = patch_store(store, stored, damage, wanted)
    if not isinstance(done, Decline):
        return done
    return write_store(store, manifest, look.lines, shard=shard, cap=cap), done


def _known_before(store: str, look: Look, known: State | None) -> frozenset[str]:
    """Documents the last look saw, where the store is not the one it saw.

    A store that lacks a document the sources already had then has lost its line. Beside the same
    store, the look may itself have been the one that found the document to be new.
    """
    if known is None or not look.plan.added or known.store == store_signature(store):
        return frozenset()
    return frozenset(ref.doc_id for file in known.files.values() for ref in file.docs)


def _unusable(look: Look, stored: Mapping[str, bytes]) -> dict[str, str]:
    """The document that went, and why, when its file is there and is all that gave none."""
    if look.scan is None:
        return {}
    if not look.plan.size and len(look.scan.unread) == 1:
        # It keeps its document, for nothing proves that this is gone.
        (path,) = look.scan.unread
        reasons = [skip.reason for skip in look.scan.skips if skip.path == path]
        return {path: reasons[0] if reasons else "cannot be read now"}
    if len(look.plan.removed) != 1:
        return {}
    doc_id = look.plan.removed[0]
    path = decode_line(stored[doc_id]).path
    file = look.scan.files.get(path)
    listing = look.scan.listing
    is_there = any(listing.entry(source, path) for source in listing.by_source)
    if not is_there or (file is not None and file.docs):
        return {}
    reasons = [skip.reason for skip in look.scan.skips if skip.path == path]
    return {doc_id: reasons[0] if reasons else "gives no document"}
