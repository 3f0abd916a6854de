"""Which release is this?

The one place that says so: the wheel's metadata, `memidx --version` and recorded runs read it.
"""

VERSION = "0.1.0"
