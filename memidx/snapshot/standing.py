"""What does a document say of its own standing, and of the documents it takes the place of?

Front matter, fields of a record, and the status that decision records write into their text. What
one document says is kept with it; what follows for others is worked out over a whole snapshot
(`memidx.snapshot.superseding`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memidx.documents import Document

# In the order they are shown.
FLAGS = ("superseded", "invalidated", "deprecated", "rejected")
# Flags of documents that a search may leave out. A deprecated operation still works, and that
# something was rejected is still true.
OUT = frozenset(("superseded", "invalidated"))
_KEYS: Mapping[str, str] = {
    "superseded_by": "superseded",
    "supersededby": "superseded",
    "superseded": "superseded",
    "invalidated": "invalidated",
    "invalidated_at": "invalidated",
    "invalidated_on": "invalidated",
    "invalidated_by": "invalidated",
    "deprecated": "deprecated",
}
_STATUSES: Mapping[str, str] = {
    "superseded": "superseded",
    "superceded": "superseded",  # as a widely used tool for decision records has written it
    "replaced": "superseded",
    "obsolete": "invalidated",
    "obsoleted": "invalidated",
    "invalid": "invalidated",
    "invalidated": "invalidated",
    "withdrawn": "invalidated",
    "retracted": "invalidated",
    "revoked": "invalidated",
    "deprecated": "deprecated",
    "rejected": "rejected",
}
# What is not decided yet takes no other document's place.
_TENTATIVE = frozenset(("proposed", "draft", "pending", "wip"))
_NOTHING = frozenset(("", "-", "–", "—", "no", "none", "null", "n/a", "na", "false", "nil", "~"))
_FIRST_WORD = re.compile(r"\W*([A-Za-z]+)")
_SUPERSEDES = re.compile(r"supersedes:?\s+(\S.*)|supercedes:?\s+(\S.*)", re.IGNORECASE)

# `- Status: superseded by …`, `**Status:** …`, `Superseded-By: …` near the beginning of a text.
_FIELD = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?[*_]{0,2}(Status|STATUS|Superseded[- ][Bb]y|Supersedes)"
    r"[*_]{0,2}:[*_]{0,2}[ \t]+(\S[^\n]*)",
    re.MULTILINE,
)
_SECTION = re.compile(
    r"^#{1,4}[ \t]+(?:[\d.]+[ \t]+)?(?:Status|STATUS)[ \t]*:?[ \t]*$", re.MULTILINE
)
_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
# One search for a letter that few words begin with takes a third of three for words.
_MARK = re.compile("S(?:tatus|TATUS|upersede)")
_HEAD_CHARACTERS = 3000
_SECTION_CHARACTERS = 1500
_MOST_REFERENCES = 100
_MOST_NAMES = 1000
_LONGEST_REFERENCE = 500


def standing_of(document: Document) -> bytes:
    """What a document says, as JSON: its flags, and what it supersedes. Empty where it is nothing.

    `{"flags": ["superseded"], "supersedes": ["0003-use-x.md"]}`, each key only where it is needed.
    """
    facts = [*_facts(document)]
    if not facts:
        return b""
    flags: set[str] = set()
    references: list[str] = []
    is_tentative = False
    for key, value in facts:
        if key == "status":
            word = _first_word(value)
            is_tentative |= word in _TENTATIVE
            flags.update(flag for flag in [_STATUSES.get(word)] if flag)
        elif key == "supersedes":
            references += _texts(value)
        elif _says(value):
            flags.add(_KEYS[key])
    said: dict[str, list[str]] = {}
    if flags:
        said["flags"] = [flag for flag in FLAGS if flag in flags]
    if references and not is_tentative and flags.isdisjoint(("invalidated", "rejected")):
        said["supersedes"] = list(dict.fromkeys(references))[:_MOST_REFERENCES]
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() if said else b""


def _facts(document: Document) -> Iterator[tuple[str, Any]]:
    """Key and value of whatever may tell something; nearly every document has nothing."""
    for key, value in document.meta.items():
        name = _known_names[key]
        if name:
            yield name, value
    # Nearly every text is passed over here, and a build asks thousands.
    if document.kind == "markdown" and _MARK.search(document.text, 0, _HEAD_CHARACTERS):
        yield from _in_text(document.text[:_HEAD_CHARACTERS])


class _KnownNames(dict[str, str]):
    """Key as it is written -> as it is known here; empty for one that says nothing of standing.

    The files of a collection have the same few keys.
    """

    def __missing__(self, key: str) -> str:
        name = key.casefold().replace("-", "_").replace(" ", "_")
        if name not in _KEYS and name not in ("status", "supersedes"):
            name = ""
        if len(self) < _MOST_NAMES:
            self[key] = name
        return name


_known_names = _KnownNames()


def _in_text(head: str) -> Iterator[tuple[str, str]]:
    """What stands in the text itself, as decision records have it without front matter."""
    start = 0
    if head.startswith("---\n") and (end := head.find("\n---", 3)) > 0:
        start = end  # front matter is in `meta`
    first = _SECTION.search(head, start)
    # Only what comes before the second heading describes the document and not its subject.
    headings = [found.start() for found in _HEADING.finditer(head, start)]
    until = headings[1] if len(headings) > 1 else len(head)
    for found in _FIELD.finditer(head, start, until):
        key = found[1].casefold().replace("-", "_").replace(" ", "_")
        yield key, found[2]
    if first is None:
        return
    following = _HEADING.search(head, first.end())
    body = head[first.end() : following.start() if following else len(head)]
    for line in body[:_SECTION_CHARACTERS].split("\n"):
        if not line.strip():
            continue
        superseding = _SUPERSEDES.search(line)
        if superseding:
            yield "supersedes", superseding[1] or superseding[2]
        else:
            yield "status", line


def _first_word(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    found = _FIRST_WORD.match(value) if isinstance(value, str) else None
    return found[1].casefold() if found else ""


def _says(value: Any) -> bool:
    """Whether a value is more than a way to write no."""
    if isinstance(value, str):
        return value.strip().casefold() not in _NOTHING
    return bool(value)


def _texts(value: Any) -> list[str]:
    parts = value if isinstance(value, list) else [value]
    texts = (
        str(part).strip()
        for part in parts
        if isinstance(part, str | int) and not isinstance(part, bool)
    )
    return [text for text in texts if len(text) <= _LONGEST_REFERENCE and _says(text)]
