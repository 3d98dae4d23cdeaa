# SPDX-License-Identifier: Apache-2.0
"""The site, in a real browser: `nox -s docs` builds it before."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[2] / "docs" / "built" / "site"


@pytest.fixture(scope="session")
def browser() -> str:
    """Chromium."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("needs Chromium: install chromium")
    return found


def page_in(browser: str, page: str) -> str:
    """Returns the HTML of a page after its scripts ran."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000"]
    address = (SITE / page.partition("?")[0]).as_uri() + page[len(page.partition("?")[0]) :]
    return subprocess.run(
        [browser, *options, "--dump-dom", address],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip


def test_the_first_page_leads_to_the_readme(browser: str) -> None:
    assert "<h1>Nexus" in page_in(browser, "index.html")


def test_the_navigation_has_four_parts(browser: str) -> None:
    captions = re.findall(r'class="caption-text">([^<]*)<', page_in(browser, "README.html"))
    assert captions[:4] == ["Tutorial", "How-to", "Reference", "Explanation"]


@pytest.mark.parametrize("words", ["Schedule.run", "create_buffer", "troubleshooting"])
def test_the_search_finds(browser: str, words: str) -> None:
    page = page_in(browser, f"search.html?q={words}")
    results = page[page.index('id="search-results"') :]
    assert {"Schedule.run": "api/schedule.html", "create_buffer": "api/device.html"}.get(
        words, "troubleshooting.html"
    ) in results
