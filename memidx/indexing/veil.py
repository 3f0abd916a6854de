"""How is a private path remembered without being written down?

A file whose path holds a secret is no document, but whether it is still as it was decides, as for
every watched file, whether a search may go on at once. So such a path is recorded as its digest.
Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

from memidx.hashing import blake2b
from memidx.sources.survey import IGNORE_FILE, Survey
from memidx.values import replace

_Value = TypeVar("_Value")
# No path on a disk holds it.
_MARK = "\0"


def veiled(
    found: Mapping[str, _Value], suspicious: Collection[str] | None = None
) -> dict[str, _Value]:
    """The mapping with each private path in place of its keys told by its digest.

    Args:
        found: By path.
        suspicious: Those of the paths, as `identity` gives them, that something may be private in,
            where that is known.
    """
    if suspicious is None:
        private = _private(found)
    else:
        # `identity` changes no path of a survey but one with other characters than ASCII.
        private = _private([p for p in found if p in suspicious or not p.isascii()])
    if not private:
        return {**found}
    return {_veil(path) if path in private else path: value for path, value in found.items()}


def as_recorded(seen: Survey, watched: Collection[str], failed: Collection[str]) -> Survey:
    """A survey that tells by their digests the paths that a record tells so.

    Args:
        seen: As it was found.
        watched: Paths of the record's files.
        failed: Those of its folders.
    """
    return replace(seen, files=_told(seen.files, watched), failed=_told(seen.failed, failed))


def _told(found: Mapping[str, _Value], recorded: Collection[str]) -> Mapping[str, _Value]:
    marks = {path for path in recorded if path.startswith(_MARK)}
    if not marks:
        return found
    veils = ((path, _veil(path) if path not in recorded else path) for path in found)
    return {veil if veil in marks else path: found[path] for path, veil in veils}


def _private(paths: Collection[str]) -> frozenset[str]:
    # Only a whole look, which reads the sources too, asks for this.
    from memidx.text.redact import holds_private, redact

    # Hardly ever is there one, and one look at all of them tells.
    together = "\n".join(paths)
    shown = redact(together)
    if shown == together:
        return frozenset()
    lines = shown.split("\n")
    # A path that holds a line end, or is taken out together with one, makes another count.
    suspects: Iterable[str] = paths
    if len(lines) == len(paths):
        suspects = [path for path, line in zip(paths, lines, strict=True) if path != line]
    return frozenset(filter(holds_private, suspects))


def _veil(path: str) -> str:
    digest = blake2b(path.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    # Lists of ignores are told by their names.
    is_list = path.rpartition("/")[2] == IGNORE_FILE
    return f"{_MARK}{digest}/{IGNORE_FILE}" if is_list else f"{_MARK}{digest}"
