"""How do rankings and judgements go to other tools, and come back?

TREC's two formats, one line a place or a judgement, columns set apart by white space:
`query_id Q0 doc_id rank score tag`, and `query_id 0 doc_id grade`. An id that holds white space is
written with percent signs, and read back as it was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from memidx import files
from memidx.errors import InputError
from memidx.evals.output import write_text

_ESCAPE = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class Run:
    """A run file, as read.

    Attributes:
        tag: Name of the run, of its first line.
        rankings: `doc_id`s in served order, by query_id; both as written.
    """

    tag: str
    rankings: Mapping[str, tuple[str, ...]]


def write_run(run: Mapping[str, Sequence[str]], path: str, *, tag: str = "memidx") -> int:
    """Write a TREC run file.

    trec_eval sorts by score, so the score is made from the rank: whole numbers that fall by one,
    the last being 1.

    Args:
        run: `doc_id`s in served order, by query_id.
        path: The file; replaced when it is there.
        tag: Name of the run.

    Returns:
        How many lines were written.

    Raises:
        InputError: For an empty id.
        FileError: When the file cannot be written.
    """
    lines = [
        f"{spaceless(query_id)} Q0 {spaceless(doc_id)} {rank} {len(ranking) - rank + 1} "
        f"{spaceless(tag)}\n"
        for query_id, ranking in run.items()
        for rank, doc_id in enumerate(ranking, 1)
    ]
    write_text(path, "".join(lines))
    return len(lines)


def write_qrels(qrels: Mapping[str, Mapping[str, int]], path: str) -> int:
    """Write a TREC qrels file and return how many lines it has.

    Args:
        qrels: Grade by `doc_id` by query_id.
        path: The file; replaced when it is there.

    Raises:
        InputError: For an empty id.
        FileError: When the file cannot be written.
    """
    lines = [
        f"{spaceless(query_id)} 0 {spaceless(doc_id)} {grade}\n"
        for query_id, grades in qrels.items()
        for doc_id, grade in grades.items()
    ]
    write_text(path, "".join(lines))
    return len(lines)


def read_run(path: str) -> Run:
    """Read a TREC run file, whoever made it.

    Places are in the order of the scores, as trec_eval takes them; equal scores in the order of
    the ranks, and equal ranks in that of the file.

    Raises:
        InputError: With file and line, when a line is none of a run.
        FileError: When the file cannot be read.
    """
    if not files.is_file(path):
        raise InputError("there is no such run", path=path, expected="a TREC run file")
    places: dict[str, list[tuple[float, float, str]]] = {}
    tag = ""
    for number, (query_id, doc_id, rank, score, name) in _lines(path):
        found = places.setdefault(query_id, [])
        found.append((-_number(score, "score", path, number), rank, doc_id))
        tag = tag or name
    if not places:
        raise InputError("empty", path=path, expected="a TREC run file")
    rankings = {}
    for query_id, found in places.items():
        # `sorted` keeps the order of the file where score and rank are equal.
        ranking = [doc_id for _, _, doc_id in sorted(found, key=lambda place: place[:2])]
        if len(set(ranking)) < len(ranking):
            repeated = next(name for name in ranking if ranking.count(name) > 1)
            raise InputError(
                f"query {query_id!r} ranks {repeated!r} twice", path=path, expected="once"
            )
        rankings[query_id] = tuple(ranking)
    return Run(tag, rankings)


def spaceless(name: str) -> str:
    """An id in a form that a line of columns can hold; `spaced` turns it back.

    White space and what cannot be printed is written as `%20`; a percent sign is, too, where it
    would be taken for the beginning of such a form.

    Raises:
        InputError: For an empty id.
    """
    if not name:
        raise InputError("a run file cannot hold an empty id", found=repr(name))
    return "".join(
        quote(c, safe="", errors="surrogatepass")
        if c.isspace() or not c.isprintable() or (c == "%" and _ESCAPE.match(name, at))
        else c
        for at, c in enumerate(name)
    )


def spaced(name: str) -> str:
    """What `spaceless` was given."""
    return _ESCAPE.sub(lambda found: _unquoted(found[0]), name)


def _unquoted(escapes: str) -> str:
    try:
        return unquote(escapes, errors="surrogatepass")
    except UnicodeDecodeError:
        return escapes  # another tool's percent signs


def _lines(path: str) -> Iterator[tuple[int, tuple[str, str, float, str, str]]]:
    for number, data in enumerate(files.read_lines(path), 1):
        try:
            columns = data.decode("utf-8-sig" if number == 1 else "utf-8").split()
        except UnicodeDecodeError as error:
            raise InputError(f"not UTF-8: {error.reason}", path=path, line=number) from error
        if not columns:
            continue
        if len(columns) != _COLUMNS:
            expected = "query_id Q0 doc_id rank score tag"
            found = f"{len(columns)} columns"
            raise InputError(
                "not a place of a run", path=path, line=number, expected=expected, found=found
            )
        query_id, _, doc_id, rank, score, tag = columns
        yield number, (query_id, doc_id, _number(rank, "rank", path, number), score, tag)


def _number(written: str, what: str, path: str, line: int) -> float:
    try:
        value = float(written)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"not a {what}", path=path, line=line, expected="a finite number", found=written
        )
    return value
