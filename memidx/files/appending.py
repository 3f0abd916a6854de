"""How does one more line get to the end of a file?

For logs: lines of several processes do not mix, and none of them reads what is there.
"""

from __future__ import annotations

import os

from memidx.files.refusals import failed

# A link could lead anywhere, and opening a pipe must not wait for a reader.
_APPEND_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT
for _flag in ("O_CLOEXEC", "O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"):
    _APPEND_FLAGS |= getattr(os, _flag, 0)


def append(path: str, data: bytes) -> int:
    """Adds bytes to a file, which is made for its owner's eyes only when it is not there.

    Nothing waits for the disk, and a kill may leave the last line cut short: for what may be lost.

    Returns:
        The size of the file afterwards, in bytes.

    Raises:
        FileError: It cannot be written, or is a link.
    """
    try:
        descriptor = os.open(path, _APPEND_FLAGS, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            return os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise failed("append to", path, error) from error
