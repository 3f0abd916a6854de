"""What did a configuration file say when it was last read?

To read TOML takes a process that asks one question as long as half of the rest of it: `tomllib`
comes with `re`. So what a file says is noted in the cache, for the very bytes that said it, which
are read each time; values are held against their rules each time too.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import FileError
from memidx.hashing import blake2b
from memidx.light import TYPE_CHECKING, parse_json, suppress
from memidx.snapshot.cache import SCRATCH_NAME, Cache, digest

if TYPE_CHECKING:
    from typing import Any

NOTE_NAME = "settings.json"


class Noted:
    """The note in the cache of one store.

    Args:
        cache: Nothing is written where it has no folder yet.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def find(self, name: str, data: bytes) -> tuple[dict[str, Any] | None] | None:
        """What a file says (None: nothing about memidx), in a tuple; None where it is not known.

        Args:
            name: Of the file, without its folder.
            data: All of its bytes.
        """
        for folder in self._cache.folders():
            try:
                note = files.read_bytes(os.path.join(folder, NOTE_NAME))
            except FileError:
                continue
            body, _, found = note.rpartition(b"\n")
            if found == digest(body):
                of, values = parse_json(body)
                if of == _name(name, data):
                    return (values,)
        return None

    def keep(self, name: str, data: bytes, values: dict[str, Any] | None) -> None:
        """Note what a file says, if JSON can say the same (it has no dates), and if that works."""
        import json  # there is something to write seldom

        try:
            body = json.dumps([_name(name, data), values]).encode()
        except (TypeError, ValueError):
            return
        if json.loads(body)[1] != values:  # a number that is none differs from itself
            return
        for folder in self._cache.folders():
            if files.is_writable_dir(folder):
                with suppress(FileError):
                    files.write_atomic(
                        os.path.join(folder, NOTE_NAME),
                        body + b"\n" + digest(body),
                        scratch_dir=os.path.join(folder, SCRATCH_NAME),
                        durable=False,
                    )
                return


def _name(name: str, data: bytes) -> str:
    return blake2b(name.encode() + b"\0" + data, digest_size=16).hexdigest()
