"""Micro benchmarks are no tests: they are collected by `pytest --benchmark-only` alone."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave `test_*.py` of this folder out, unless benchmarks are what was asked for."""
    named = collection_path.name.startswith("test_")
    return True if named and not config.getoption("benchmark_only", default=False) else None
