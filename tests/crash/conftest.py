"""The helpers' assertions say what they compared."""

import pytest

pytest.register_assert_rewrite("tests.crash.world", "tests.disk")
