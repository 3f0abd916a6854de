"""How does a process begin, and end, that is there for one command?

Most of a query's time goes into loading modules. What they make stays, and the collector would go
through all of it a dozen times meanwhile and three times more at the end, a seventh of the time.
Only who starts a process may tell it not to, so this is no part of `memidx.cli.app`.
"""

from __future__ import annotations

import gc
from typing import NoReturn

_MANY = 50_000
"""New objects before the collector looks at them: more than a query makes."""


def run() -> NoReturn:
    """Entry point of the console script and of `python -m memidx`."""
    gc.disable()
    from memidx.cli.app import run as run_command  # it loads what need not be collected

    gc.freeze()
    gc.set_threshold(_MANY)
    gc.enable()
    try:
        run_command()
    finally:
        gc.freeze()  # the system takes it all back in a moment
