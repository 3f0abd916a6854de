"""When is it not worth looking for garbage?

Reading and analysing documents makes hundreds of thousands of small objects, no cycles among them,
and keeps most; the collector would go through all of them again and again and free nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """No search for cycles meanwhile; what is let go of is freed at once all the same."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
