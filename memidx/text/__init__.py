"""Which characters does memidx work with, and which must it never keep?

Pure functions on bytes and strings: decoding, front matter, redaction, paths, dates.
"""
