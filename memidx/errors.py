"""What can go wrong, and whose move is it?

    MemidxError
    ├── InputError            the caller's mistake: usage, configuration, suite, query
    │   ├── ConfigError
    │   └── SuiteError
    └── StoreError            the index could not do its work
        ├── StoreMissing
        ├── StoreLocked
        ├── StoreVersion
        ├── StoreCorrupt
        ├── FileError         the operating system refused a file
        └── ProgramError      another program could not be run, or failed

Errors carry fields, not only text, so that a program can act on them.
Nothing here knows an exit code: that table is in `memidx.cli`.
"""

from __future__ import annotations


class MemidxError(Exception):
    """Base of every error memidx raises on purpose.

    Args:
        what: One line: what failed and why.
        path: The file or folder it is about.
        line: 1-based line in `path`.
        expected: What would have been right.
        found: What was there instead.
        hint: What the reader can do about it; shown on a line of its own.
    """

    def __init__(
        self,
        what: str,
        *,
        path: str | None = None,
        line: int | None = None,
        expected: str | None = None,
        found: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.what = what
        self.path = path
        self.line = line
        self.expected = expected
        self.found = found
        self.hint = hint
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """The error on one line: `path:line: what (expected …, found …)`."""
        where = "" if self.path is None else self.path
        if where and self.line is not None:
            where = f"{where}:{self.line}"
        detail = ", ".join(
            f"{name} {value}"
            for name, value in (("expected", self.expected), ("found", self.found))
            if value is not None
        )
        text = f"{where}: {self.what}" if where else self.what
        return f"{text} ({detail})" if detail else text


class InputError(MemidxError):
    """The caller's mistake: usage, configuration, suite or query."""


class ConfigError(InputError):
    """A configuration file, variable or flag that cannot be used."""


class SuiteError(InputError):
    """A golden-query suite or collection that cannot be used."""


class StoreError(MemidxError):
    """The index could not finish what was asked."""


class StoreMissing(StoreError):
    """There is no store at the given path."""


class StoreLocked(StoreError):
    """Another process holds the store's lock."""


class StoreVersion(StoreError):
    """The store was written by a version this one cannot read."""


class StoreCorrupt(StoreError):
    """Damaged lines or shards, and no sources to heal them from."""


class FileError(StoreError):
    """The operating system refused a file; the only place where `OSError` ends up."""


class ProgramError(StoreError):
    """Another program could not be started, or failed; raised by `memidx.processes` alone."""
