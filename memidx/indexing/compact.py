"""How is a value written as JSON in a record?

A module of its own, for a search that finds everything as it was writes nothing and need not load
`json`.
"""

from __future__ import annotations

import json
from typing import Any

# ASCII keeps the lone surrogates of undecodable file names out of the encoder's way.
_encode = json.JSONEncoder(separators=(",", ":")).encode
quoted = json.encoder.encode_basestring_ascii
"""A text as `to_json` writes it, but as a text."""


def to_json(value: Any) -> bytes:
    """Compact JSON without line feeds."""
    return _encode(value).encode("ascii")
