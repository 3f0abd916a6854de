"""Was anything written to a store since?

A listing and a `stat` each, no reading: this runs on every search, so the module loads nothing of
what reads lines.
"""

from __future__ import annotations

import os

from memidx import files
from memidx.files import Signature
from memidx.store.layout import MANIFEST_NAME, shard_prefix


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
