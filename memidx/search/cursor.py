"""Where does the next page of an answer begin?

A cursor is text that a caller hands back as it came. It names the documents it was made over, the
question, the place, and the day ages are counted from, so that the pages of one answer are pages
of one ranking, or the caller is told that they would not be.
"""

from __future__ import annotations

from memidx.errors import InputError
from memidx.hashing import blake2b
from memidx.values import NamedTuple

_FORM = "1"


class Cursor(NamedTuple):
    """A place in an answer.

    Attributes:
        build_id: Start of the index's `build_id`.
        question: Stands for the query and everything that narrows or orders it.
        offset: Hits before the place.
        as_of: ISO date that ages are counted from.
    """

    build_id: str
    question: str
    offset: int
    as_of: str

    def at(self, offset: int) -> Cursor:
        """The cursor of another place in the same answer."""
        return self._replace(offset=offset)

    def __str__(self) -> str:
        return ".".join((_FORM, str(self.offset), self.build_id, self.question, self.as_of))


def cursor_of(build_id: str, question: object, offset: int, as_of: str) -> Cursor:
    """The cursor of a place; the `repr` of `question` says all that decides the order."""
    said = repr(question).encode("utf-8", "backslashreplace")
    digest = blake2b(said, digest_size=6).hexdigest()
    return Cursor(_short(build_id), digest, offset, as_of)


def read_cursor(text: str) -> Cursor:
    """What a cursor says.

    Raises:
        InputError: It is not one.
    """
    form, _, rest = text.strip().partition(".")
    parts = rest.split(".", 3)
    if form != _FORM or len(parts) != 4 or not parts[0].isdecimal() or len(parts[0]) > 9:
        raise InputError(
            "this is not a cursor",
            expected="the cursor of an answer, unchanged",
            found=repr(text[:80]),
        )
    return Cursor(parts[1], parts[2], int(parts[0]), parts[3])


def check_cursor(cursor: Cursor, expected: Cursor) -> None:
    """Refuse a cursor of another state of the index, or of another question.

    Raises:
        InputError: Its next page would not be the next page.
    """
    if cursor.build_id != expected.build_id:
        raise InputError(
            "the documents changed since this cursor was given",
            expected=f"a cursor of index {expected.build_id}",
            found=cursor.build_id,
            hint="ask again without the cursor",
        )
    if cursor.question != expected.question:
        raise InputError(
            "this cursor belongs to another question",
            hint="give the words, the filters and the settings it was given for; "
            "only the number of hits and of bytes may differ",
        )


def _short(build_id: str) -> str:
    return "".join(character for character in build_id if character.isalnum())[:12]
