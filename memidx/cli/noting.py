"""How is use noted in the local log, without ever costing an answer?

Call it after the answer was written, and import it only where `index.logs_queries`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memidx import querylog
from memidx.cli.terminal import tell
from memidx.errors import MemidxError

if TYPE_CHECKING:
    from memidx.index import Index
    from memidx.search.answer import Answer


def note_query(index: Index, answer: Answer, filters: Mapping[str, Any]) -> None:
    """Note a query and what it got, where that is wanted."""
    _note(index, lambda day: querylog.note_query(index.store, answer, filters, day))


def note_opened(index: Index, doc_id: str) -> None:
    """Note that a document was opened, where that is wanted."""
    _note(index, lambda day: querylog.note_opened(index.store, doc_id, day))


def _note(index: Index, write: Callable[[str], None]) -> None:
    if not index.logs_queries:
        return
    try:
        write(time.strftime("%Y-%m-%d", time.gmtime()))
    except MemidxError as error:
        tell(f"Not logged: {error.message}")
