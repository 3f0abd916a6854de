"""How does the index survive a crash, a merge and a flipped bit?

Here: what are its files called? Below:

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

MANIFEST_NAME = "manifest.json"
# Of the hash of a `doc_id`: no name of a shard has more.
HASH_DIGITS = 16
_HEX = frozenset("0123456789abcdef")


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
