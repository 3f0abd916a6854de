"""Which files did somebody ask to leave out?

`.memidxignore` in any folder, in gitignore's syntax and with its rules: a deeper file overrules one
above it, the last pattern that matches decides, and nothing inside an ignored folder comes back.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterable
from typing import Any

from memidx import files
from memidx.errors import FileError
from memidx.sources.base import Skip
from memidx.text.decode import Undecodable, decode
from memidx.text.paths import printable


class Ignores:
    """The ignore files of a tree.

    Args:
        root: Absolute path.
        paths: Root-relative paths of the ignore files.

    Attributes:
        skips: Ignore files that were read and ignore nothing.
        unread: Those that could not be read -> why; they ignore everything.
    """

    def __init__(self, root: str, paths: Iterable[str]) -> None:
        self.skips: list[Skip] = []
        self.unread: dict[str, str] = {}
        self._specs: dict[str, Any] = {}
        self._folders: dict[str, bool] = {"": False}
        for path in paths:
            spec = self._read(root, path)
            if spec is not None:
                self._specs[path.rpartition("/")[0]] = spec

    def __contains__(self, path: str) -> bool:
        """Whether a file is ignored, by itself or with a folder above it."""
        if not self._specs:
            return False
        folder = path.rpartition("/")[0]
        return self._folder(folder) or self._decide(path, folder)

    def _folder(self, folder: str) -> bool:
        known = self._folders.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            known = self._folder(above) or self._decide(f"{folder}/", above)
            self._folders[folder] = known
        return known

    def _decide(self, path: str, folder: str) -> bool:
        """What the nearest ignore file with an opinion says of one file or `folder/`."""
        while True:
            spec = self._specs.get(folder)
            if spec is not None:
                verdict = spec.check_file(path[len(folder) + 1 :] if folder else path).include
                if verdict is not None:
                    return bool(verdict)
            if not folder:
                return False
            folder = folder.rpartition("/")[0]

    def _read(self, root: str, path: str) -> Any:
        # pathspec is loaded only where there is something to match.
        import pathspec

        try:
            text = decode(files.read_bytes(os.path.join(root, path)))
            return pathspec.GitIgnoreSpec.from_lines(text.split("\n"))
        except FileError as error:
            # It may ask for anything to be left out, so nothing below it may be taken in.
            self.unread[path] = error.what
            return pathspec.GitIgnoreSpec.from_lines(["*"])
        except Undecodable as error:
            reason = error.reason
        except ValueError as error:
            reason = f"a pattern cannot be read: {error}"
        self.skips.append(Skip(printable(path), f"ignores nothing: {reason}"))
        return None
