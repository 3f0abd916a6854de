"""What did a configuration file say when it was last read?

To read TOML takes a process that asks one question as long as half of the rest of it: `tomllib`
comes with `re`. So what a file says is noted in the cache, for the very bytes that said it, which
are read each time; values are held against their rules each time too.

A note is written by who may write there (`memidx.snapshot.caching`): a build, and a search that
compares the sources.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import FileError
from memidx.light import TYPE_CHECKING, parse_json
from memidx.snapshot.cache import NOTE_NAME, Cache, digest, note_of

if TYPE_CHECKING:
    from typing import Any

    from memidx.snapshot.cache import Said


class Heard:
    """What the configuration said, for a note that is still to be written.

    Attributes:
        said: Name of the file, its bytes, and what they say; None as long as nothing is heard.
    """

    def __init__(self) -> None:
        self.said: Said | None = None

    def find(self, name: str, data: bytes) -> tuple[dict[str, Any] | None] | None:
        """Nothing was noted."""

    def keep(self, name: str, data: bytes, values: dict[str, Any] | None) -> None:
        """Remember what a file says (None: nothing about memidx)."""
        self.said = name, data, values


class Noted:
    """The note in the cache of one store."""

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
                if of == note_of(name, data):
                    return (values,)
        return None

    def keep(self, name: str, data: bytes, values: dict[str, Any] | None) -> None:
        """Have the cache note it, when it is written."""
        self._cache.unnoted = name, data, values
