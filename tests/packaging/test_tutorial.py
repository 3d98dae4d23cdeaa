# SPDX-License-Identifier: Apache-2.0
"""docs/vendors/tutorial.md, command by command.

A block of shell lines below `<!-- step -->` is run where the one before it ended; each line of a
text below `<!-- prints -->` stands in what it printed, in that order; a diff below "In `FILE`:" is
made in that file.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from environment import Environment

pytestmark = pytest.mark.install

PAGE = Path(__file__).resolve().parents[2] / "docs/vendors/tutorial.md"
BLOCK = re.compile(
    r"^(?:<!-- (?P<kind>step|prints) -->|In `(?P<file>\S+)`:\n)\n```\w+\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass
class Reader:
    """Somebody who types what the page says."""

    folder: Path
    environment: Environment
    own_python: Path
    printed: str = ""

    def _path(self) -> str:
        """The environment's PATH, and after it a folder whose `python` is the tests' own."""
        first, _, rest = self.environment.variables()["PATH"].partition(os.pathsep)
        return os.pathsep.join([first, str(self.own_python), rest])

    def run(self, lines: str) -> None:
        """Runs shell lines, and stays in the folder in which they end."""
        told = self.environment.shell(f"{lines}\necho; pwd", self.folder, self._path())
        self.printed, _, folder = told.rstrip("\n").rpartition("\n")
        self.folder = Path(folder)

    def sees(self, text: str) -> None:
        """Compares what was printed with what the page says."""
        rest = self.printed
        for line in text.splitlines():
            _, found, rest = rest.partition(line)
            assert found, f"{line!r} is not in:\n{self.printed}"

    def edit(self, file: str, diff: str) -> None:
        """Makes the change of a diff, whose place is where its old lines are."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        old = "".join(line[1:] for line in diff.splitlines(keepends=True) if line[0] in " -")
        new = "".join(line[1:] for line in diff.splitlines(keepends=True) if line[0] in " +")
        assert text.count(old) == 1, f"{file} has {text.count(old)} places with:\n{old}"
        path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_tutorial_works_as_it_is_written(
    wheels: Path, tmp_path: Path, build_cache: Path
) -> None:
    own_python = tmp_path / "own"
    own_python.mkdir()
    (own_python / "python").symlink_to(sys.executable)
    work = tmp_path / "work"
    work.mkdir()
    (work / "wheels").symlink_to(wheels)
    reader = Reader(work, Environment(work / ".venv", build_cache), own_python)
    blocks = list(BLOCK.finditer(PAGE.read_text(encoding="utf-8")))
    assert len(blocks) > 20
    for block in blocks:
        if block["kind"] == "step":
            reader.run(block["text"])
        elif block["kind"] == "prints":
            reader.sees(block["text"])
        else:
            reader.edit(block["file"], block["text"])
    assert list((work / "nexus-acme/build").glob("**/*.o"))  # which `build-dir` names


def test_each_code_block_of_the_tutorial_is_tried() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(BLOCK.findall(text)) == len(re.findall(r"^```\w+$", text, re.MULTILINE))
