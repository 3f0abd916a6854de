"""Which text do these bytes hold?

UTF-8 with or without a byte order mark, UTF-16 and UTF-32 with one; every line end becomes LF.
Nothing is guessed: a file in another encoding would be indexed as noise and never found again,
so it is refused with a reason that names what was seen.
"""

from __future__ import annotations

import re

# UTF-32 first: its little-endian mark begins with the mark of UTF-16.
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le", "UTF-32"),
    (b"\x00\x00\xfe\xff", "utf-32-be", "UTF-32"),
    (b"\xff\xfe", "utf-16-le", "UTF-16"),
    (b"\xfe\xff", "utf-16-be", "UTF-16"),
)
# ISO-2022 is plain ASCII with escape sequences that switch to a set of two-byte characters,
# so it decodes as UTF-8 into noise. Only switches to such sets (and to JIS X 0201) count:
# `ESC ( B` alone is what a terminal log holds.
_ISO_2022 = re.compile("\x1b(?:\\$[@AB]|\\$[()*+][@-Z]|\\([IJ])")


class Undecodable(ValueError):  # noqa: N818 - the name is part of the module contract
    """The bytes are not text that memidx reads.

    Args:
        reason: What was found, fit to be shown after the file's path.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def decode(data: bytes) -> str:
    """The text of a file, with LF line ends and without a byte order mark.

    Raises:
        Undecodable: Another encoding, broken bytes, NUL, or ISO-2022 escape sequences.
    """
    text = _decode(data)
    if "\x00" in text:
        raise Undecodable("holds NUL: binary, or UTF-16 without a byte order mark")
    if "\x1b" in text and _ISO_2022.search(text):
        raise Undecodable("is ISO-2022 (escape sequences that switch character sets), not UTF-8")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _decode(data: bytes) -> str:
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(codec).lstrip("\ufeff")
            except UnicodeDecodeError as error:
                raise Undecodable(
                    f"starts as {name}, but byte {len(mark) + error.start} does not fit"
                ) from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Undecodable(
            f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}, line {line}"
        ) from error
    # More than one mark stands where files were concatenated or converted twice.
    return text.lstrip("\ufeff") if text.startswith("\ufeff") else text
