"""Where the stress tests work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.disk import in_memory


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """Thousands of small files are made and removed here: in memory where there is a place."""
    with in_memory(tmp_path) as folder:
        yield folder
