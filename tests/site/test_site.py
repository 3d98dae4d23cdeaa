# SPDX-License-Identifier: Apache-2.0
"""The site, in a real browser: `nox -s docs` builds it before."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "built" / "site"
sys.path.insert(0, str(ROOT / "tools"))
import site_pictures  # noqa: E402


@pytest.fixture(scope="session")
def browser() -> str:
    """Chromium."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.fail("Chromium is missing. Install it; on Debian: apt-get install chromium")
    return found


def page_in(browser: str, page: str) -> str:
    """Returns the HTML of a page after its scripts ran."""
    address = (SITE / page.partition("?")[0]).as_uri() + page[len(page.partition("?")[0]) :]
    return html_at(browser, address)


def html_at(browser: str, address: str, *options: str) -> str:
    """Returns the HTML of an address after its scripts ran."""
    always = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000"]
    return subprocess.run(
        [browser, *always, *options, "--dump-dom", address],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip


# Writes into the page: are its colours dark, the window's width, and the content's.
MEASURE = """<script>addEventListener("load", () => {
  const light = (colour) => colour.match(/[0-9]+/g).slice(0, 3).reduce((a, b) => a + +b, 0);
  const style = getComputedStyle(document.body);
  const shown = document.documentElement;
  document.body.dataset.measured = [
    light(style.backgroundColor) < light(style.color), shown.clientWidth, shown.scrollWidth
  ].join(" ");
});</script>"""


def measured(browser: str, page: Path, folder: Path, *options: str) -> tuple[bool, int, int]:
    """Returns whether a page is dark, and the widths of the window and of the page in pixels."""
    copy = folder / "page.html"
    base = f'<base href="{page.as_uri()}">{MEASURE}'
    copy.write_text(page.read_text("utf-8").replace("<head>", f"<head>{base}", 1), "utf-8")
    found = re.search(
        r'data-measured="(true|false) (\d+) (\d+)"', html_at(browser, copy.as_uri(), *options)
    )
    assert found
    return found[1] == "true", int(found[2]), int(found[3])


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


@pytest.mark.parametrize(
    ("page", "pictures"),
    [
        ("docs/examples.html", ["blur.png", "heat.png", "pi.png", "mandelbrot.png"]),
        ("docs/devices/README.html", ["device.svg", "rooflines.svg"]),
        ("docs/reference/command-line.html", ["measured-roofline.svg"]),
        ("docs/tracing.html", ["timeline.svg"]),
        ("docs/schedules.html", ["schedule.svg"]),
        ("docs/design/README.html", ["flowchart-1.svg"]),
    ],
)
def test_a_page_shows_its_pictures(browser: str, page: str, pictures: list[str]) -> None:
    shown = re.findall(r'<img[^>]* src="([^"]*)"', page_in(browser, page))
    assert [Path(each).name for each in shown if "_images" in each] == pictures
    for each in shown:
        assert (SITE / page).parent.joinpath(each).stat().st_size > 1000


@pytest.mark.parametrize("page", ["README.html", "docs/troubleshooting.html"])
def test_a_page_fits_a_narrow_window(browser: str, page: str, tmp_path: Path) -> None:
    _, window, width = measured(browser, SITE / page, tmp_path, "--window-size=500,800")
    assert window <= 500
    assert width <= window


@pytest.mark.parametrize(("setting", "dark"), [("0", True), ("1", False)])
def test_a_page_is_dark_where_the_system_is(
    browser: str, setting: str, dark: bool, tmp_path: Path
) -> None:
    option = f"--blink-settings=preferredColorScheme={setting}"
    assert measured(browser, SITE / "README.html", tmp_path, option)[0] is dark


def test_no_diagram_is_left_as_text() -> None:
    pages = [page for page in SITE.rglob("*.html") if "flowchart TD" in page.read_text("utf-8")]
    assert pages == []


def test_no_page_loads_from_another_host() -> None:
    loaded = re.compile(r'<(?:script|img|link|iframe)[^>]* (?:src|href)="(https?:[^"]*)"')
    pages = [page.read_text("utf-8") for page in SITE.rglob("*.html")]
    assert {each for page in pages for each in loaded.findall(page)} == set()


def test_the_boxes_of_a_flowchart_stand_apart() -> None:
    lines = ["flowchart TD", "a --> b", "a --> c", "b --> d", "c --> d", "a --> d", "e --> d"]
    drawn = ElementTree.fromstring(site_pictures.flowchart("\n".join(lines)))
    svg = "{http://www.w3.org/2000/svg}"
    assert sorted(each.text or "" for each in drawn.iter(f"{svg}text")) == ["a", "b", "c", "d", "e"]
    assert len(drawn.findall(f"{svg}path")) == 6
    boxes = [[float(each.get(key, "")) for key in ("x", "y", "width", "height")]
             for each in drawn.iter(f"{svg}rect")]  # fmt: skip
    for number, (x, y, width, height) in enumerate(boxes):
        for left, top, _, _ in boxes[number + 1 :]:
            assert abs(left - x) > width or abs(top - y) > height


@pytest.mark.parametrize("text", ["graph LR\na --> b", "flowchart TD\na -.-> b", "flowchart TD\na"])
def test_a_flowchart_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a flowchart has 'flowchart TD'"):
        site_pictures.flowchart(text)
