"""How does a patch get into its shard, and was it the right one?

The sed script is written, read back and applied in process; the shard is replaced whole, as every
write does, and read back. Where any of that is not as expected, the shard is as it was, the reason
has a name, and the ordinary writer is to do the work.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO

from memidx import files
from memidx.errors import FileError
from memidx.store import MANIFEST_NAME, store_signature
from memidx.store.folders import CACHE_NAME, prepare_store, scratch_dir
from memidx.store.line import DamagedLine, check_line
from memidx.store.patch import Current, Decline, Patch, Wanted, decide_patch
from memidx.store.reader import Damage
from memidx.store.sed import SedError, run_script
from memidx.store.writer import SCRIPT_NAME, Written, clear_scratch


def patch_store(
    path: str, lines: Mapping[str, bytes], damage: tuple[Damage, ...], wanted: Wanted
) -> tuple[Written, Patch] | Decline:
    """Patches the one changed line of a store, where that is all there is to write.

    The caller holds the store's lock. After a decline every document is as it was or as it shall
    be, and `write_store` does what is left.

    Args:
        path: The store's folder.
        lines: `doc_id` -> line, as the store was read.
        damage: What was found to be damaged then.

    Raises:
        FileError: The store cannot be looked at.
    """
    signatures = store_signature(path)
    sizes = {name: sign.size for name, sign in signatures.items() if name != MANIFEST_NAME}

    def read(name: str) -> bytes:
        return files.read_bytes(os.path.join(path, name))

    try:
        manifest = read(MANIFEST_NAME) if MANIFEST_NAME in signatures else None
        decision = decide_patch(Current(manifest, sizes, lines, damage), wanted, read)
    except FileError as error:
        if files.is_missing(error):
            return Decline("missing_index_file", "a file of the store vanished meanwhile")
        raise
    if isinstance(decision, Decline):
        return decision
    done = _apply(path, decision)
    if isinstance(done, Decline):
        return done
    return Written(1, 1, done, decision.shards, manifest_written=False), decision


def _apply(path: str, patch: Patch) -> int | Decline:
    """Writes the script, and the shard as the script makes it; bytes of the shard written.

    The script is read back from the disk before it is run, and the shard after it was written:
    what is compared is what is there. Until all of that held, the old bytes are at hand.
    """
    script = os.path.join(path, CACHE_NAME, SCRIPT_NAME)
    shard = os.path.join(path, patch.shard)
    scratch = scratch_dir(path)
    try:
        prepare_store(path)
        clear_scratch(path)
        files.write_atomic(script, patch.script, scratch_dir=scratch)
        after = run_script(files.read_bytes(script), patch.before)
        fault = _fault(patch, after)
        if fault is not None:
            return fault
        n_bytes = files.write_atomic(shard, after, scratch_dir=scratch)
    except FileError as error:
        return Decline("sed_failed", error.what)
    except SedError as error:
        return Decline("sed_failed", str(error))
    fault = _fault(patch, _content(shard))
    if fault is None:
        return n_bytes
    # What cannot be restored now is written anew by the caller, and that says why it failed.
    with suppress(FileError):
        files.write_atomic(shard, patch.before, scratch_dir=scratch)
    return fault


def _fault(patch: Patch, after: bytes | None) -> Decline | None:
    """What is wrong with a shard that should be as the patch makes it."""
    if after == patch.after:
        return None
    if after is None:
        return Decline("post_patch_mismatch", f"{patch.shard} cannot be read after the patch")
    if not after:
        return Decline("mutated_invalid", f"{patch.shard} is empty after the patch")
    # Iterated, bytes end a line at LF alone.
    for number, line in enumerate(BytesIO(after), 1):
        try:
            check_line(line)
        except DamagedLine as error:
            return Decline("mutated_invalid", f"{patch.shard}:{number}: {error.reason}")
    return Decline("post_patch_mismatch", f"{patch.shard}:{patch.number} is not as expected")


def _content(file: str) -> bytes | None:
    with suppress(FileError):
        return files.read_bytes(file)
    return None
