"""memidx: a search index over agent memory, and the evidence that it works.

    import memidx
    memidx.build(["docs"], store="store")
    answer = memidx.open("store").search("file lock timeout")

Names are imported when they are first used, so that a query pays for nothing else.
"""

from __future__ import annotations

TYPE_CHECKING = False  # see `memidx.light`
if TYPE_CHECKING:
    from typing import Any

    from memidx.collection import index_collection
    from memidx.errors import (
        ConfigError,
        FileError,
        InputError,
        MemidxError,
        StoreCorrupt,
        StoreError,
        StoreLocked,
        StoreMissing,
        StoreVersion,
        SuiteError,
    )
    from memidx.index import Index, build, open
    from memidx.published import (
        build_memory_index,
        is_index_stale,
        query_index,
        redact_local_paths,
    )
    from memidx.results import BuildReport, Excerpt, Explanation, RefreshReport, VerifyReport
    from memidx.search.answer import Answer, Hit, Problem, Ranked, Snippet
    from memidx.search.nearest import Nearest
    from memidx.search.suggestions import Suggestion
    from memidx.version import VERSION as __version__

_HOMES = {
    "Answer": "memidx.search.answer",
    "BuildReport": "memidx.results",
    "ConfigError": "memidx.errors",
    "Excerpt": "memidx.results",
    "Explanation": "memidx.results",
    "FileError": "memidx.errors",
    "Hit": "memidx.search.answer",
    "Index": "memidx.index",
    "InputError": "memidx.errors",
    "MemidxError": "memidx.errors",
    "Nearest": "memidx.search.nearest",
    "Problem": "memidx.search.answer",
    "Ranked": "memidx.search.answer",
    "RefreshReport": "memidx.results",
    "Snippet": "memidx.search.answer",
    "StoreCorrupt": "memidx.errors",
    "StoreError": "memidx.errors",
    "StoreLocked": "memidx.errors",
    "StoreMissing": "memidx.errors",
    "StoreVersion": "memidx.errors",
    "SuiteError": "memidx.errors",
    "Suggestion": "memidx.search.suggestions",
    "VerifyReport": "memidx.results",
    "__version__": "memidx.version",
    "build": "memidx.index",
    "build_memory_index": "memidx.published",
    "index_collection": "memidx.collection",
    "is_index_stale": "memidx.published",
    "open": "memidx.index",
    "query_index": "memidx.published",
    "redact_local_paths": "memidx.published",
}

__all__ = [
    "Answer",
    "BuildReport",
    "ConfigError",
    "Excerpt",
    "Explanation",
    "FileError",
    "Hit",
    "Index",
    "InputError",
    "MemidxError",
    "Nearest",
    "Problem",
    "Ranked",
    "RefreshReport",
    "Snippet",
    "StoreCorrupt",
    "StoreError",
    "StoreLocked",
    "StoreMissing",
    "StoreVersion",
    "Suggestion",
    "SuiteError",
    "VerifyReport",
    "__version__",
    "build",
    "build_memory_index",
    "index_collection",
    "is_index_stale",
    "open",
    "query_index",
    "redact_local_paths",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'memidx' has no attribute {name!r}")
    if home == "memidx.index":  # with fifty modules more
        try:
            from memidx import bytecode
        except ImportError:  # pragma: no cover - another implementation of Python
            pass
        else:
            bytecode.load(home, __spec__)
    # As `importlib.import_module` does, without loading `importlib`.
    module = __import__(home, fromlist=(name,))
    value = globals()[name] = getattr(module, "VERSION" if name == "__version__" else name)
    return value


def __dir__() -> list[str]:
    return __all__
