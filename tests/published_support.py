"""The published indexes kept in tests/fixtures/published, and the files they were made from."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent / "fixtures" / "published"
VERSIONS = ("1.1", "1.2", "1.3")

# The sources of the three notes, to the byte.
SOURCES = {
    "notes/kiln.md": "# Kiln log\n\n"
    "kiln fired cone six; kiln cooled slowly overnight before glaze check\n",
    "notes/glaze.md": "# Glaze recipes\n\n"
    "celadon glaze needs iron; glaze bucket stirred twice, sieve then rest\n",
    "notes/orders.md": "# Orders\n\n"
    "twelve bowls ordered for spring market, glaze celadon, deliver before april\n",
}


def fixture(version: str = "1.3") -> dict[str, Any]:
    """The kept index of a schema version, to be changed at will."""
    path = FIXTURES / f"memory-index-{version}.json"
    return copy.deepcopy(json.loads(path.read_text(encoding="utf-8")))


def save(folder: Path, index: Any, name: str = "index.json") -> str:
    """Write an index into a folder; gives its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(index), encoding="utf-8")
    return str(path)
