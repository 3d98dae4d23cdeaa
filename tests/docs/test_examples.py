# SPDX-License-Identifier: Apache-2.0
"""The Python examples of the README and of docs/ run as they stand.

The blocks of a page run in their order in one program, as a reader types them. A block that can't
run everywhere has `<!-- not run: why -->` on the line above it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(
    r"(?P<before>^[^\n]*\n)?^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/README.md")])


def program(page: Path) -> str:
    """The Python code of the page, with its lines at the page's line numbers for the traceback."""
    text = page.read_text(encoding="utf-8")
    code = ""
    for block in BLOCK.finditer(text):
        if "<!-- not run: " not in (block["before"] or ""):
            line = text.count("\n", 0, block.start("code"))
            code += "\n" * (line - code.count("\n")) + block["code"]
    return code


PAGES_WITH_CODE = [page for page in PAGES if program(page).strip()]


@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path) -> None:
    source = tmp_path / page.with_suffix(".py").name
    source.write_text(program(page), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", source],
        cwd=tmp_path,
        env=os.environ | {"NEXUS_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_code() -> None:
    assert ROOT / "README.md" in PAGES_WITH_CODE
