"""Which characters does memidx work with, and which must it never keep?

Pure functions on bytes and strings: decoding, front matter, redaction, paths, dates. Here: what
must a search know of how texts came from their files?
"""

from __future__ import annotations

RULES_VERSION = 4
"""Raise it whenever a file's bytes could give another document than before (a parser's rule, a
redaction, a title): what was recorded of files under earlier rules is then read anew."""

# Kinds whose texts are told in other words than the file's, so that lines of one are not the
# other's.
TOLD_KINDS = frozenset(("openapi",))
# A line of its own where lines of the file were taken out of a text: a page break.
CUT = "\f"
# Kinds that have no files.
FEEDS = frozenset(("git",))
