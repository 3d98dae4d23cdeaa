# SPDX-License-Identifier: Apache-2.0
"""Links between the documents lead somewhere."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from pages import BUILT, BUILT_FOLDER, ROOT, WRITTEN

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


def text_of(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return FENCED.sub("", BUILT[page] if page in BUILT else page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings become."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each).lower().replace(" ", "-") for each in headings}


def is_there(page: Path, target: Path) -> bool:
    """Returns whether a link's file exists; generated pages count for each other only."""
    if BUILT_FOLDER in target.parents:
        return page in BUILT and target in BUILT
    return target.exists()


def broken_links(page: Path) -> list[str]:
    """The links of a page to files or anchors that are not there."""
    broken = []
    for file, anchor in LINK.findall(text_of(page)):
        target = Path(os.path.normpath(page.parent / file)) if file else page
        if not is_there(page, target) or (anchor and anchor not in anchors(target)):
            broken.append(f"{file}#{anchor}" if anchor else file)
    return broken


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_the_links_of_the_built_pages_lead_somewhere() -> None:
    broken = {page: broken_links(page) for page in BUILT}
    assert {page: links for page, links in broken.items() if links} == {}


def test_a_link_to_nothing_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    built = os.path.relpath(BUILT_FOLDER / "properties.md", tmp_path)
    page.write_text(f"# One\n[a](#one) [b](#two) [c](page.md#one) [d](other.md) [e]({built})\n")
    assert broken_links(page) == ["#two", "other.md", built]
