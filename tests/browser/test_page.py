"""The page in a real browser: nothing runs out of the screen, both palettes, keyboard, no network.

The page itself runs no script. A copy of it, without its policy and with a script at its end, tells
what the browser made of it.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memidx.evals import evaluate, parse_suite
from memidx.evals.history import History
from memidx.evals.missed import Miss
from memidx.evals.pages import render_page
from memidx.evals.pages.style import DARK, LIGHT
from tests.unit.evals.conftest import FakeIndex, Row

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason=f"no browser is installed ({', '.join(_BROWSERS)})"
)

_PROBE = """
const box = document.documentElement, style = getComputedStyle(document.body);
const visible = (all) => [...all].filter((e) => e.checkVisibility()).length;
const rows = document.querySelectorAll("tr[data-state]");
const before = visible(rows);
document.getElementById("only-failed").checked = true;
const failed = visible(rows);
document.getElementById("only-all").checked = true;
const out = {
  inner: window.innerWidth, scroll: box.scrollWidth,
  ground: style.backgroundColor, text: style.color, before, failed,
  closed: visible(document.querySelectorAll("details:not([open]) > dl")),
  focusable: [...document.querySelectorAll("summary, a, input, [tabindex]")]
    .filter((e) => e.tabIndex < 0).length,
  plots: [...document.querySelectorAll("svg")].map((e) => e.getBoundingClientRect().width),
  outside: [...document.querySelectorAll("svg text")].filter((e) => {
    const t = e.getBoundingClientRect(), s = e.ownerSVGElement.getBoundingClientRect();
    return t.left < s.left - 1 || t.right > s.right + 1 || t.top < s.top - 1
      || t.bottom > s.bottom + 1;
  }).map((e) => e.textContent),
};
document.title = "PROBE" + JSON.stringify(out) + "END";
"""


@pytest.fixture(scope="module")
def page() -> str:
    """A run with long names, a failure, a trend, and every category."""
    long = "averylongnamewithoutanyspace" * 12
    suite = parse_suite(
        "version: 1\nqueries:\n"
        f"- {{id: {long}, query: {long}, expect_paths: ['{long}.md']}}\n"
        "- {id: bad, query: what is lost, category: multi-source, expect_sources: [docs, notes], "
        "expect_paths: [b.md]}\n"
        "- {id: gap, query: other words, category: paraphrase, severity: known_gap, why: words, "
        "expect_paths: [b.md]}\n"
        "- {id: none, query: scuba, category: no-answer, expect_empty: true}\n",
        "queries.yaml",
    )
    rows = [Row(f"{long}.md", path=f"{long}.md"), Row("b.md", "notes", path="b.md")]
    report = evaluate(suite, FakeIndex(rows, {long: [f"{long}.md"]}))
    runs = tuple(
        {"day": f"2026-11-{n:02}", "measures": {"nDCG@10": n / 40}, "n_passed": n, "n_queries": 40}
        for n in range(1, 31)
    )
    miss = Miss("bad", "vocabulary_gap", "b.md", detail=long)
    return render_page(replace(report, misses=(miss,)), History(runs))


@pytest.fixture(scope="module")
def probe(page: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """`probe(width, dark)`: what the browser made of the page."""
    folder = tmp_path_factory.mktemp("browser")
    probed = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    assert probed != page
    file = folder / "page.html"
    file.write_text(probed.replace("</body>", f"<script>{_PROBE}</script></body>"))

    def look(width: int, *, dark: bool = False) -> dict[str, Any]:
        scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
        dumped = _run(folder, scheme, f"--window-size={width},900", "--dump-dom", file.as_uri())
        found = re.search(r"PROBE(.*?)END", dumped)
        assert found is not None, dumped[:500]
        made: dict[str, Any] = json.loads(html.unescape(found[1]))
        return made

    return look


def _run(folder: Path, *arguments: str) -> str:
    usual = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile")
    ended = subprocess.run(
        [str(BROWSER), *usual, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
    )
    return ended.stdout


def _rgb(written: str) -> str:
    return f"rgb({', '.join(str(int(written[n : n + 2], 16)) for n in (1, 3, 5))})"


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_nothing_runs_out_of_the_screen(probe: Callable[..., Any], width: int) -> None:
    """On a phone and on a desk a reader scrolls down alone, and no label leaves its plot."""
    found = probe(width)
    assert found["scroll"] <= found["inner"]
    assert found["plots"]
    assert all(0 < drawn <= found["inner"] for drawn in found["plots"])
    assert found["outside"] == []


@pytest.mark.parametrize(("dark", "palette"), [(False, LIGHT), (True, DARK)])
def test_the_system_chooses_the_palette(
    probe: Callable[..., Any], dark: bool, palette: dict[str, str]
) -> None:
    """A dark system gets the dark palette, a light one the light."""
    found = probe(1280, dark=dark)
    assert found["ground"] == _rgb(palette["ground"])
    assert found["text"] == _rgb(palette["text"])


def test_queries_are_chosen_and_opened_without_a_script(probe: Callable[..., Any]) -> None:
    """Choosing `failed` leaves the failed rows; what is closed is hidden, and keys reach all."""
    found = probe(1280)
    # bad and gap fail; the long one and none pass.
    assert (found["before"], found["failed"]) == (4, 2)
    assert found["closed"] == 0
    assert found["focusable"] == 0


def test_the_page_is_shown_under_its_own_policy(page: str, tmp_path: Path) -> None:
    """As it is, with its policy, the style applies: the screenshot is no white sheet."""
    file, shot = tmp_path / "page.html", tmp_path / "shot.png"
    file.write_text(page)
    dark = "--blink-settings=preferredColorScheme=0"
    _run(tmp_path, dark, "--window-size=800,600", f"--screenshot={shot}", file.as_uri())
    image = pytest.importorskip("PIL.Image").open(shot).convert("RGB")
    ground = tuple(int(DARK["ground"][n : n + 2], 16) for n in (1, 3, 5))
    assert image.getpixel((2, image.height - 2)) == ground
