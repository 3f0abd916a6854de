"""Which queries may settings be chosen on, and which are kept aside to check the choice?

A split is made once, by a hash of the query ids within each category, and committed. What it says
of a query stays: queries that are added later are dealt to the sides without moving others.
"""

from __future__ import annotations

import hashlib
import json
import os.path
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memidx import files
from memidx.errors import InputError, SuiteError

DEFAULT_SPLITS = "evals/splits.yaml"
SPLITS_TYPE = "memidx-splits"
_VERSION = 1
_HEAD = f"""# artifact_type: {SPLITS_TYPE}
# Which queries settings are chosen on, and which are kept aside to check the choice.
# `memidx tune SUITE --hold-out SHARE` deals new queries; nothing moves those that are here.
version: {_VERSION}
"""


@dataclass(frozen=True, slots=True)
class Split:
    """The two sides of one suite or collection.

    Attributes:
        name: The suite's file name, or the collection's folder name.
        share: Of the queries to hold out, above 0 and below 1.
        held_out: `query_id`s, sorted; likewise `tuning`.
    """

    name: str
    share: float
    held_out: tuple[str, ...]
    tuning: tuple[str, ...]

    def unknown(self, query_ids: Iterable[str]) -> tuple[str, ...]:
        """Those of some queries that are on neither side."""
        known = {*self.held_out, *self.tuning}
        return tuple(query_id for query_id in query_ids if query_id not in known)


def make_split(
    name: str, categories: Mapping[str, str], share: float, before: Split | None = None
) -> Split:
    """Deal queries to the two sides.

    In each category, the queries with the smallest hashes of their ids are held out until their
    share is reached; whoever is on a side already stays there.

    Args:
        name: Of the split.
        categories: By `query_id`, of every query.
        share: To hold out, above 0 and below 1.
        before: The split as it is; its queries keep their side, those of other suites too.

    Raises:
        InputError: The share is none, or not the one of the split that is there.
    """
    if not 0.0 < share < 1.0:
        expected = "a number between 0 and 1"
        raise InputError("not a share of queries", expected=expected, found=str(share))
    if before is not None and before.share != share:
        raise InputError(
            f"the split of {name} holds out another share",
            expected=str(before.share),
            found=str(share),
            hint="leave --hold-out as it was, or take the split out of its file",
        )
    held_out = set(before.held_out if before else ())
    tuning = set(before.tuning if before else ())
    by_category: dict[str, list[str]] = {}
    for query_id, category in categories.items():
        by_category.setdefault(category, []).append(query_id)
    for query_ids in by_category.values():
        new = sorted((q for q in query_ids if q not in held_out | tuning), key=_digest)
        n_wanted = int(share * len(query_ids) + 0.5) - sum(q in held_out for q in query_ids)
        held_out.update(new[: max(0, n_wanted)])
        tuning.update(new[max(0, n_wanted) :])
    return Split(name, share, tuple(sorted(held_out)), tuple(sorted(tuning)))


def load_splits(path: str) -> dict[str, Split]:
    """The splits of a file by name; empty where there is no such file.

    Raises:
        SuiteError: It is not a file of splits; a merge may have left it so.
        FileError: It cannot be read.
    """
    if not files.is_file(path):
        return {}
    # Only who has a split pays for the parser.
    import yaml

    try:
        data = yaml.safe_load(files.read_bytes(path))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0]
        raise SuiteError(f"not valid YAML: {reason}", path=path) from error
    if not isinstance(data, dict) or data.get("version") != _VERSION:
        raise SuiteError("not a file of splits", path=path, expected=f"version: {_VERSION}")
    entries = data.get("splits")
    if not isinstance(entries, list):
        raise SuiteError("splits is not a list", path=path)
    splits = {}
    for entry in entries:
        split = _read(entry, path)
        if split.name in splits:
            raise SuiteError(f"there are two splits of {split.name}", path=path)
        splits[split.name] = split
    return splits


def write_split(split: Split, path: str) -> None:
    """Put a split into its file; those of other suites stay.

    Raises:
        SuiteError: The file is there and is not a file of splits.
        FileError: It cannot be written.
    """
    splits = {**load_splits(path), split.name: split}
    lines = [_HEAD, "splits:\n"]
    for name in sorted(splits):
        found = splits[name]
        lines.append(f"- name: {json.dumps(name)}\n  share: {found.share}\n")
        for side, query_ids in (("held_out", found.held_out), ("tuning", found.tuning)):
            # One id a line, so that a review shows which queries came.
            lines.append(f"  {side}:\n" if query_ids else f"  {side}: []\n")
            lines += [f"  - {json.dumps(query_id)}\n" for query_id in sorted(query_ids)]
    folder = os.path.dirname(path) or "."
    files.make_dir(folder)
    files.write_atomic(path, "".join(lines).encode("utf-8"), scratch_dir=folder)


def _read(entry: Any, path: str) -> Split:
    if not isinstance(entry, dict) or set(entry) != {"name", "share", "held_out", "tuning"}:
        expected = "name, share, held_out and tuning"
        raise SuiteError("not a split", path=path, expected=expected, found=repr(entry)[:80])
    name, share = entry["name"], entry["share"]
    if not isinstance(name, str) or not isinstance(share, float) or not 0.0 < share < 1.0:
        raise SuiteError("a split has no name or no share between 0 and 1", path=path)
    sides: list[tuple[str, ...]] = []
    for side in ("held_out", "tuning"):
        query_ids = entry[side]
        if not isinstance(query_ids, list) or not all(isinstance(q, str) for q in query_ids):
            raise SuiteError(f"{side} of {name} is not a list of query ids", path=path)
        sides.append(tuple(sorted(query_ids)))
    twice = sorted(q for q, n in Counter((*sides[0], *sides[1])).items() if n > 1)
    if twice:
        raise SuiteError(f"queries of {name} are there twice: {', '.join(twice[:5])}", path=path)
    return Split(name, share, *sides)


def _digest(query_id: str) -> bytes:
    return hashlib.sha256(query_id.encode("utf-8", "replace")).digest()
