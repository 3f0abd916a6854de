"""What is one document?

Turns a source's item into a document, in the same way for every kind of source: private data are
taken out of everything that is stored, the title is never empty, the identity never taken twice,
the text never longer than the cap.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memidx.config import SourceConfig
from memidx.sources.base import Item, Skip
from memidx.values import Value

if TYPE_CHECKING:
    from memidx.text.redact import Suspects

_LONGEST_TITLE = 300
_LONGEST_TAG = 100
_MOST_TAGS = 100
_MAX_META_DEPTH = 64
# Text beyond the cap that is still redacted, so that no half of a secret is left at the cut.
_MARGIN = 1 << 16
_LONGEST_WORD = 1 << 12
_LISTS, _OBJECTS = (list, tuple), (dict, Mapping)  # an abstract class takes longer to ask
_TEXT_ALONE = frozenset((str,))
# What neither UTF-8 nor a line of JSON should hold; in a text both are refused on reading.
_UNFIT = re.compile("[\0\ud800-\udfff]")


class Document(Value):
    """One document, as the store keeps it.

    Attributes:
        doc_id: Stable external identity: `path`, or `path#anchor`.
        source: Name of the source it came from.
        kind: Kind of that source (`markdown`, `records`, …).
        path: POSIX, NFC, relative to root.
        title: Never empty.
        time: ISO 8601 date or date-time taken from content, or None.
        tags: In the file's order, without repeats.
        meta: Further facts; JSON values only, redacted.
        source_hash: Hash of the document's own text before redaction.
        text: Decoded, redacted, LF line ends; otherwise the file's own words.
    """

    doc_id: str
    source: str
    kind: str
    path: str
    title: str
    time: str | None
    tags: tuple[str, ...]
    meta: Mapping[str, Any]
    source_hash: str
    text: str

    @property
    def anchor(self) -> str | None:
        """What follows the path in `doc_id`, or None for a whole file."""
        return self.doc_id[len(self.path) + 1 :] if len(self.doc_id) > len(self.path) else None


class Seen(NamedTuple):
    """What a look at many items together says of one.

    Attributes:
        facts: All that the item holds beside its text, as `_facts` has it.
        in_text: What may be private in its text; None where nothing is.
        in_facts: The same of its facts.
    """

    facts: str
    in_text: Suspects | None
    in_facts: Suspects | None


def see(items: Sequence[Item], max_bytes: int) -> list[Seen]:
    """Look for what may be private in many items, which is quicker than in one after another.

    A text that is longer than the cap is looked at when it is cut.
    """
    from memidx.text.glance import glance  # only who reads many files pays for numpy

    facts = [_facts(item) for item in items]
    texts = [item.text if len(item.text) <= max_bytes else "" for item in items]
    seen = glance([*texts, *facts])
    return list(map(Seen, facts, seen, seen[len(items) :]))


def make_document(
    item: Item,
    source: SourceConfig,
    *,
    anchor_seen: set[str],
    max_bytes: int,
    seen: Seen | None = None,
) -> tuple[Document | None, tuple[Skip, ...]]:
    """The document of an item, and what had to be left out of it.

    Args:
        item: As the source kind read it.
        source: The source it came from.
        anchor_seen: Identities given out so far in this file; the new one is added.
        max_bytes: Cap of the text in UTF-8 bytes; the rest is cut off and reported.
        seen: What `see` says of it, where it was asked.

    Returns:
        The document, or None when the item holds nothing to store; and the skips that say why, or
        what was cut.
    """
    # Documents are made on a build; a search knows only their class and must start quickly.
    import hashlib

    skips: tuple[Skip, ...] = ()
    text, full_bytes = _capped(item.text, max_bytes, seen)
    if full_bytes > max_bytes:
        reason = f"cut to {max_bytes:,} of {full_bytes:,} bytes"
        skips = (Skip(item.path, reason, item.line, source.name),)
    # Most items hold nothing private beside their text: one look at all of it, then none.
    facts = seen.facts if seen else _facts(item)
    is_clean = seen.in_facts is None if seen else False
    hide = _keep if is_clean or _redact(facts) == facts else _redact
    plain = hide is _keep and _fit(facts) == facts
    title = _line(item.title or "", _LONGEST_TITLE, hide)
    if not title and not text.strip():
        return None, (Skip(item.path, "holds no text", item.line, source.name),)
    anchor = _line(unicodedata.normalize("NFC", item.anchor), None, hide) if item.anchor else ""
    doc_id = _unused(f"{item.path}#{anchor}" if anchor else item.path, anchor_seen)
    anchor_seen.add(doc_id)
    name = item.path.rpartition("/")[2]
    return (
        # All fields in their order: a build makes thousands, and to bind names takes longer.
        Document(
            doc_id,
            source.name,
            source.kind,
            item.path,
            title or _line(f"{name} {anchor}" if anchor else name, _LONGEST_TITLE, _redact),
            item.time,
            _tags(item.tags, hide),
            dict(item.meta) if plain else _clean_mapping(item.meta, hide, 0),
            hashlib.sha256(item.text.encode("utf-8", "surrogatepass")).hexdigest(),
            text,
        ),
        skips,
    )


def _facts(item: Item) -> str:
    return "\n".join([item.title or "", item.anchor or "", " ".join(item.tags), *_texts(item.meta)])


def _capped(text: str, max_bytes: int, seen: Seen | None) -> tuple[str, int]:
    """The redacted text within the cap, and the size in bytes that the cap was held against.

    A text that is only too long before redaction is kept whole.
    """
    fit = _fit(text)
    if fit is not text:
        text, seen = fit, None
    size = len(text) if text.isascii() else len(text.encode())
    if size <= max_bytes:
        if seen is not None and seen.in_text is None:
            return text, size
        text = _redact(text, seen.in_text if seen else None)
        # Placeholders may be longer than what they stand for.
        return _cut(text, max_bytes), size
    whole = size <= max_bytes + _MARGIN
    text = _redact(text if whole else _at_blank(_cut(text, max_bytes + _MARGIN)))
    cut = _cut(text, max_bytes)
    return (cut, max_bytes) if whole and cut == text else (cut, size)


def _at_blank(text: str) -> str:
    """The text without a last word that may have been cut in two: the half of a secret is none."""
    end = max(text.rfind(" "), text.rfind("\n"), text.rfind("\t"))
    return text[:end] if end > len(text) - _LONGEST_WORD else text


def _cut(text: str, max_bytes: int) -> str:
    """The text's longest beginning of at most this many UTF-8 bytes that ends at a character."""
    data = text.encode()
    return text if len(data) <= max_bytes else data[:max_bytes].decode("utf-8", "ignore")


def _unused(doc_id: str, seen: set[str]) -> str:
    """The identity itself, or with the first of `-2`, `-3`, … that is free.

    Numbers are given out in order, so a search by halves finds the end of them; a million records
    of one name would otherwise take a million looks each.
    """
    if doc_id not in seen:
        return doc_id
    high = 2
    while f"{doc_id}-{high}" in seen:
        high *= 2
    low = high // 2  # taken, or 1, which stands for the bare identity
    while high - low > 1:
        middle = (low + high) // 2
        if f"{doc_id}-{middle}" in seen:
            low = middle
        else:
            high = middle
    return f"{doc_id}-{high}"


def _line(text: str, longest: int | None, hide: Callable[[str], str]) -> str:
    """The text on one line, without private data, not longer than so many characters."""
    line = hide(" ".join(_fit(text).split()))
    return line if longest is None or len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def _tags(tags: tuple[str, ...], hide: Callable[[str], str]) -> tuple[str, ...]:
    tags = tags[:_MOST_TAGS]
    clean = [_line(tag, _LONGEST_TAG, hide) for tag in tags]
    if hide is not _keep:
        # A list that was written with blanks is taken apart there: `password:` and its value.
        for n, tag in enumerate(tags):
            shown = hide(" ".join((*tags[max(0, n - 3) : n], tag)))
            if not shown.endswith(tag):
                clean[n] = _line(shown.rpartition(" ")[2], _LONGEST_TAG, hide)
    return tuple(dict.fromkeys(tag for tag in clean if tag))


def _keep(text: str) -> str:
    return text


def _redact(text: str, seen: Suspects | None = None) -> str:
    from memidx.text.redact import redact  # see make_document

    return redact(text, seen)


def _fit(text: str) -> str:
    if "\0" not in text:
        if text.isascii():
            return text
        try:
            # A lone surrogate has no bytes in UTF-8; a pattern looks at each character in turn.
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _UNFIT.sub("\ufffd", text)


def _texts(value: Any, depth: int = 0) -> list[str]:
    """Every text in a JSON value; one under a key with its key, as `key: text`."""
    texts: list[str] = []
    if isinstance(value, str):
        texts.append(value)
    elif depth >= _MAX_META_DEPTH:
        pass
    elif isinstance(value, _LISTS):
        if _TEXT_ALONE.issuperset(map(type, value)):  # mostly
            texts += value
        else:
            for inner in value:
                texts += _texts(inner, depth + 1)
    elif isinstance(value, _OBJECTS):
        for key, inner in value.items():
            if isinstance(inner, str):
                texts.append(f"{key}: {inner}")
            else:
                texts.append(str(key))
                texts += _texts(inner, depth + 1)
    return texts


def _clean_mapping(
    values: Mapping[str, Any], hide: Callable[[str], str], depth: int
) -> dict[str, Any]:
    """The JSON object with every text in it free of private data, keys too."""
    clean: dict[str, Any] = {}
    for key, value in values.items():
        name = hide(_fit(str(key)))
        if isinstance(value, str) and hide is not _keep:
            # Some secrets show only by the name they were given: `api_key: …`.
            shown = hide(f"{name}: {_fit(value)}")
            prefix = f"{name}: "
            known = shown.startswith(prefix)
            clean[name] = shown[len(prefix) :] if known else hide(_fit(value))
        else:
            clean[name] = _clean(value, hide, depth + 1)
    return clean


def _clean(value: Any, hide: Callable[[str], str], depth: int) -> Any:
    if isinstance(value, str):
        return hide(_fit(value))
    if depth >= _MAX_META_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        return _clean_mapping(value, hide, depth)
    if isinstance(value, list | tuple):
        return [_clean(inner, hide, depth + 1) for inner in value]
    return value
