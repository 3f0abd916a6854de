"""How does a report read in a browser?

One file a report, which needs nothing else: no network, no script, no font, no picture. The plots
are SVG in the page. Why they are drawn here: docs/decisions/0037-a-page-needs-nothing-else.md.
"""

from memidx.evals.pages.suite import render_page
from memidx.evals.pages.tuning import read_tuning, render_tuning_page

__all__ = ["read_tuning", "render_page", "render_tuning_page"]
