"""What memidx writes is known by its beginning."""

from __future__ import annotations

import pytest

from memidx.sources.artifacts import is_artifact


@pytest.mark.parametrize(
    "data",
    [
        b"<!-- artifact_type: memidx-report -->\n# Report\n",
        b'{\n  "artifact_type": "memidx-report",\n  "schema": "x"\n}',
        b'{"schema": 1, "artifact_type": "memory-index"}',
        b'\xef\xbb\xbf{"artifact_type":"memidx-baseline"}',
    ],
)
def test_artifacts(data: bytes) -> None:
    """Markdown by its first comment, JSON by a first key."""
    assert is_artifact(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# Notes\n\n<!-- artifact_type: memidx-report -->\n",
        b'{"id": 1, "text": "the artifact_type is memidx-report"}',
        b'{"artifact_type": "photo"}',
        b'[{"artifact_type": "memidx-report"}]',
        b'{"a": {"artifact_type": "memidx-report"}}',
    ],
)
def test_what_only_speaks_of_them_is_a_source(data: bytes) -> None:
    """A note about artifacts is a note."""
    assert not is_artifact(data)
