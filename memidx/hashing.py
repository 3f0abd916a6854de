"""Which hash names things?

`blake2b` as `hashlib` has it. `hashlib` loads OpenSSL for its other hashes, which takes a cold
search a twentieth of its time; Python's own module of this one is taken where it is there.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - another implementation of Python
    from hashlib import blake2b

__all__ = ["blake2b"]
