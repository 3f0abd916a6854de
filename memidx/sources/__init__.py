"""Where do documents come from?

`survey` looks at folders, `listing` says which file belongs to which source, and a module a kind
(`markdown`, `records`) turns a file's bytes into items. `KINDS` finds a kind by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memidx.sources.base import SUFFIXES, SourceKind


class _Kinds(Mapping[str, SourceKind]):
    """Kinds by name, each loaded when it is first asked for: a search asks for none."""

    def __getitem__(self, name: str) -> SourceKind:
        if name == "markdown":
            from memidx.sources.markdown import KIND as MARKDOWN

            return MARKDOWN
        if name == "records":
            from memidx.sources.records import KIND as RECORDS

            return RECORDS
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(SUFFIXES)

    def __len__(self) -> int:
        return len(SUFFIXES)


KINDS: Mapping[str, SourceKind] = _Kinds()
