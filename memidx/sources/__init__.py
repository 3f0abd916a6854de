"""Where do documents come from?

Of files, `survey` looks at folders, `listing` says which file belongs to which source, and a module
a kind (`markdown`, `changelog`, `records`) turns a file's bytes into items. A feed (`git`) has no
files and gives its items itself. `FILE_KINDS` and `FEED_KINDS` find a kind by its name.
"""

from __future__ import annotations

from collections.abc import Mapping

from memidx.light import TYPE_CHECKING
from memidx.sources.base import SUFFIXES, FeedKind, FileKind
from memidx.text import FEEDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any


class _Kinds(Mapping[str, "Any"]):
    """Kinds by name, each loaded when it is first asked for: most searches ask for none."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            if name not in self._names:
                raise KeyError(name)
            import importlib

            self._loaded[name] = importlib.import_module(f"memidx.sources.{name}").KIND
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


FILE_KINDS: Mapping[str, FileKind] = _Kinds(SUFFIXES)
FEED_KINDS: Mapping[str, FeedKind] = _Kinds(FEEDS)
