# SPDX-License-Identifier: Apache-2.0
"""Trees of /proc and /sys from the files in machines/, and the tool that reads them.

A line there is a path, a tab and the file's text, in which \\n, \\t and \\\\ stand for a line's
end, a tab and a backslash. `cpu[0-3,6]` in a path stands for five files of the same text. A line
that begins with # is a comment.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from building import C_API, ROOT, compiler

MACHINES = Path(__file__).parent / "machines"
SOURCE = ROOT / "packages" / "nexus-cpu" / "src"
PARTS = (
    "machine/arm",
    "machine/machine",
    "machine/processor",
    "machine/x86",
    "system/system_tree",
    "system/usage",
)

Files = dict[str, str]


def build_machine_tool(folder: Path) -> Path:
    """Builds machine_tool.cpp."""
    program = folder / "machine_tool"
    sources = [Path(__file__).parent / "machine_tool.cpp", *(SOURCE / f"{n}.cpp" for n in PARTS)]
    command = [*compiler("CXX", "g++", "clang++", "c++"), "-std=c++20", f"-I{C_API}", f"-I{SOURCE}"]
    subprocess.run([*command, *sources, "-o", program, "-pthread"], check=True)
    return program


def ask(tool: Path, *words: str | Path) -> dict[str, Any]:
    """Returns the tool's output."""
    made = subprocess.run([tool, *words], capture_output=True, check=True)
    answer: dict[str, Any] = json.loads(made.stdout.decode())
    return answer


def machine_files(name: str) -> Files:
    """Returns the paths and texts of a machine."""
    lines = (MACHINES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t", 1) for line in lines if not line.startswith("#"))
    return {
        path: re.sub(r"\\(.)", _unescape, text)
        for pattern, text in pairs
        for path in _paths(pattern)
    }


def _paths(pattern: str) -> list[str]:
    """Yields the paths for a path with numbers in brackets."""
    before, bracket, rest = pattern.partition("[")
    if not bracket:
        return [pattern]
    numbers, _, after = rest.partition("]")
    bounds = [part.partition("-") for part in numbers.split(",")]
    ranges = [range(int(first), int(last or first) + 1) for first, _, last in bounds]
    return [f"{before}{number}{after}" for each in ranges for number in each]


def _unescape(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t", "\\": "\\"}[match[1]]


def write_tree(files: Files, root: Path) -> Path:
    """Makes the files below the root, and returns it."""
    for path, text in files.items():
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root
