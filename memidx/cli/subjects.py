"""What do `tune` and `calibrate` try settings on, as the command line names it?

Opens the suite's index or reads the collection, and finds or makes the split of its queries.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from memidx import files
from memidx.cli.eval_suite import open_or_build
from memidx.cli.terminal import tell
from memidx.errors import InputError, SuiteError
from memidx.evals import load_suite
from memidx.evals.splits import DEFAULT_SPLITS, Split, load_splits, make_split, write_split
from memidx.evals.subject import Subject, subject_of_collection, subject_of_suite
from memidx.index import Index


@dataclass(frozen=True, slots=True)
class Given:
    """What a command was told about its subject."""

    suite: str
    beir: str | None
    store: str | None
    analyzer: str | None
    hold_out: float | None = None
    split: str | None = None

    @property
    def folder(self) -> str:
        """Where reports go: beside the suite; for a collection the working folder."""
        return "." if self.beir is not None else os.path.dirname(self.suite) or "."


@contextmanager
def opened_subject(
    given: Given, *, strategy: str | None = None
) -> Iterator[tuple[Subject, Index | None]]:
    """The subject, and the index it is over where that is a suite's."""
    if given.beir is not None:
        yield subject_of_collection(given.beir, analyzer=given.analyzer or "default"), None
        return
    if not files.is_file(given.suite):
        raise SuiteError("there is no such suite", path=given.suite)
    suite = load_suite(given.suite)
    with open_or_build(given.store, os.path.dirname(given.suite), analyzer=given.analyzer) as index:
        yield subject_of_suite(suite, index, strategy=strategy), index


def find_split(given: Given, subject: Subject) -> Split | None:
    """The split of a subject's queries: as it stands in its file, or as `--hold-out` makes it.

    A new or longer one is written, but for a collection without `--split`: whoever asks again
    gets the same one.

    Raises:
        InputError: The file has no split of this name, or one of another share.
    """
    name = os.path.basename(os.path.abspath(given.beir or given.suite))
    path = given.split
    if path is None and given.beir is None:
        path = os.path.join(given.folder, DEFAULT_SPLITS)
    before = load_splits(path).get(name) if path is not None else None
    if given.hold_out is None:
        if before is None and given.split is not None:
            hint = "--hold-out SHARE makes one"
            raise InputError(f"there is no split of {name}", path=path, hint=hint)
        return before
    categories = {question.query_id: "" for question in subject.questions} | {**subject.categories}
    split = make_split(name, categories, given.hold_out, before)
    if path is not None and split != before:
        write_split(split, path)
        tell(f"Split: {path}")
    return split
