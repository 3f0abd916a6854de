"""Which shard holds a document, and in which place?

Documents are ordered by a hash of their `doc_id`, so that notes added side by side on two
branches are rarely neighbours, and merge. All of them are in `docs.jsonl` while they fit;
beyond the cap they are spread over files by the first hex digit of the hash, and a file
that passes the cap is spread by its next digit.

Pure: the layout is a function of the set of (doc_id, line size) alone, so a store that
shrinks goes back to the bytes it had.
"""

from __future__ import annotations

from bisect import bisect_left

from memidx.errors import InputError
from memidx.hashing import blake2b
from memidx.light import TYPE_CHECKING
from memidx.store import HASH_DIGITS, shard_name

if TYPE_CHECKING:
    from collections.abc import Iterable

SHARD_CAP_BYTES = 20 * 2**20
# One more than any hex digit: the upper end of the range that a prefix covers.
_PAST_HEX = "g"


def sort_key(doc_id: str) -> tuple[str, str]:
    """What lines are ordered by: the hash of the doc_id, then the doc_id itself."""
    return blake2b(doc_id.encode("utf-8"), digest_size=HASH_DIGITS // 2).hexdigest(), doc_id


def layout(
    sizes: Iterable[tuple[str, int]], cap: int = SHARD_CAP_BYTES, *, shard: bool | None = None
) -> dict[str, list[str]]:
    """Shard name -> its doc_ids in line order; shards in the order of their prefixes.

    Read one after another, the shards give all documents in the order of `sort_key`. A
    prefix without documents has no file, so an empty file is always damage; a store without
    documents has a manifest only.

    Args:
        sizes: `(doc_id, bytes of its line with the LF)`, in any order, no doc_id twice.
        cap: What no shard's size may pass, in bytes.
        shard: False refuses to make more than one file; None and True make as many as needed.

    Raises:
        InputError: A single line is larger than the cap, or `shard` is False and the
            documents do not fit one file.
    """
    keys: list[tuple[str, str]] = []
    size_of: dict[str, int] = {}
    for doc_id, size in sizes:
        if size > cap:
            raise InputError(
                "the document is too large for the store",
                path=doc_id,
                expected=f"a line of at most {cap} bytes",
                found=f"{size} bytes",
                hint="lower max_document_bytes, so that it is cut, or exclude the file",
            )
        keys.append(sort_key(doc_id))
        size_of[doc_id] = size
    keys.sort()
    # Running totals make the size of any prefix a difference of two of them.
    totals = [0]
    for _, doc_id in keys:
        totals.append(totals[-1] + size_of[doc_id])
    if shard is False and totals[-1] > cap:
        raise InputError(
            "the documents do not fit one file",
            expected=f"at most {cap} bytes",
            found=f"{totals[-1]} bytes",
            hint="leave --no-shard away",
        )
    shards: dict[str, list[str]] = {}
    _spread("", 0, len(keys), keys, totals, cap, shards)
    return shards


def _spread(
    prefix: str,
    start: int,
    end: int,
    keys: list[tuple[str, str]],
    totals: list[int],
    cap: int,
    shards: dict[str, list[str]],
) -> None:
    """Puts `keys[start:end]`, which share `prefix`, into one shard or spreads them further."""
    if start == end:
        return
    if totals[end] - totals[start] <= cap:
        shards[shard_name(prefix)] = [doc_id for _, doc_id in keys[start:end]]
        return
    if len(prefix) == HASH_DIGITS:
        raise InputError("documents with the same hash do not fit one shard", path=keys[start][1])
    for digit in "0123456789abcdef":
        stop = bisect_left(keys, (prefix + digit + _PAST_HEX, ""), start, end)
        _spread(prefix + digit, start, stop, keys, totals, cap, shards)
        start = stop
