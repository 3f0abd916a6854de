"""How does a text of ours live in a file of somebody else's?

Between two marker lines that name memidx. What stands outside them is the owner's and stays byte
for byte; what stands between them is replaced as a whole. Pure: bytes in, bytes out.
"""

from __future__ import annotations

from typing import NamedTuple

from memidx.errors import InputError

_BOM = b"\xef\xbb\xbf"


class Markers(NamedTuple):
    """The lines around a block."""

    begin: str
    end: str


HASH = Markers("# >>> memidx init writes between these lines >>>", "# <<< memidx <<<")
HTML = Markers(
    "<!-- >>> memidx init --agents writes between these lines >>> -->", "<!-- <<< memidx <<< -->"
)


def with_block(data: bytes, body: str, markers: Markers, path: str) -> bytes:
    """The file with the block in it: in its place where it has one, else at its end.

    Args:
        data: The file's bytes, in an encoding that holds ASCII as it is; b"" for a new file.
        body: The lines of the block, without the markers.
        markers: The lines around it.
        path: Named in the error.

    Raises:
        InputError: One of the markers is missing, there twice, or before the other.
    """
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    lines = data.splitlines(keepends=True)
    begin, end = (marker.encode() for marker in markers)
    begins = [n for n, line in enumerate(lines) if line.strip().removeprefix(_BOM) == begin]
    ends = [n for n, line in enumerate(lines) if line.strip() == end]
    wanted = [begin, *body.rstrip("\n").encode().split(b"\n"), end]
    block = b"".join(line + newline for line in wanted)
    if not begins and not ends:
        gap = newline if data and not data.endswith(b"\n") else b""
        return data + gap + (newline if data.strip() else b"") + block
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        raise InputError(
            "the lines around what memidx writes are not a pair",
            path=path,
            line=(begins or ends)[-1] + 1,
            expected=f"{markers.begin!r} once, and below it {markers.end!r} once",
            hint="take these lines out, and what memidx wrote between them; then run it again",
        )
    if not lines[ends[0]].endswith(b"\n"):
        block = block.removesuffix(newline)
    bom = _BOM if begins[0] == 0 and data.startswith(_BOM) else b""
    return b"".join((*lines[: begins[0]], bom, block, *lines[ends[0] + 1 :]))
