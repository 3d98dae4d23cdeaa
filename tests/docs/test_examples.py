# SPDX-License-Identifier: Apache-2.0
"""The Python examples of the README and of docs/ run as they stand.

The blocks of a page run in their order in one program, as a reader types them. A block that can't
run everywhere has `<!-- not run: why -->` on the line above it. Before the program, a block of C
below `<!-- file: name -->` is written to that file, and shell lines below `<!-- run -->` are run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import ROOT, WRITTEN
from python_process import run_python

BLOCK = re.compile(
    r"(?P<before>^[^\n]*\n)?^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)
FILE = re.compile(r"^<!-- file: (\S+) -->\n```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^<!-- run -->\n```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def program(page: Path) -> str:
    """The Python code of the page, with its lines at the page's line numbers for the traceback."""
    text = page.read_text(encoding="utf-8")
    code = ""
    for block in BLOCK.finditer(text):
        if "<!-- not run: " not in (block["before"] or ""):
            line = text.count("\n", 0, block.start("code"))
            code += "\n" * (line - code.count("\n")) + block["code"]
    return code


def build(page: Path, folder: Path) -> None:
    """Writes the page's files into the folder, and runs its shell lines there."""
    text = page.read_text(encoding="utf-8")
    for name, code in FILE.findall(text):
        (folder / name).write_text(code, encoding="utf-8")
    lines = "".join(SHELL.findall(text))
    if lines and not shutil.which("cc"):
        pytest.skip("the page compiles with cc, which is not on the PATH")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["sh", "-eu", "-c", lines], cwd=folder, env=os.environ | {"PATH": path}, check=True
    )


PAGES_WITH_CODE = [page for page in WRITTEN if program(page).strip()]


@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path) -> None:
    build(page, tmp_path)
    source = tmp_path / page.with_suffix(".py").name
    source.write_text(program(page), encoding="utf-8")
    run_python("-W", "error", source, more={"NEXUS_DEVICE": "cpu"}, cwd=tmp_path, check=True)


def test_the_readme_shows_code() -> None:
    assert ROOT / "README.md" in PAGES_WITH_CODE
