# SPDX-License-Identifier: Apache-2.0
"""Compiles programs with the plug-in's C functions, each in a process of its own."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SUCCESS = 0
COMPILER_NOT_AVAILABLE = -3
OUT_OF_RESOURCES = -5
COMPILE_PROGRAM_FAILURE = -15
INVALID_VALUE = -30
INVALID_COMPILER_OPTIONS = -66
NOT_SUPPORTED = -89

FAST_MATH, DEBUG, LINE_INFO = 1, 2, 4

ADD = "int add(int a, int b) { return a + b; }\n"


@dataclass(frozen=True)
class Outcome:
    """The plug-in's results."""

    description: dict[str, Any]
    status: int
    error: str
    log: str
    library: Path


class Workshop:
    """Compiles programs in a process whose environment the test chooses.

    Checks after each call that no temporary file is left and nothing was printed.
    """

    def __init__(self, tool: Path, plugin: Path, folder: Path) -> None:
        self.tool, self.plugin, self.folder = tool, plugin, folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.bin = folder / "bin"
        self.bin.mkdir()
        # Nor what is preloaded: a sanitizer would take the signals that compilers here die of.
        left_out = ("CC", "CXX", "LD_PRELOAD")
        self.environment = {k: v for k, v in os.environ.items() if k not in left_out}
        self.environment["TMPDIR"] = str(self.temporary)
        self._calls = 0

    def use(self, **variables: str) -> None:
        """Sets variables of the process's environment."""
        self.environment.update(variables)

    def only_programs_of_its_own(self) -> None:
        """Sets PATH to the folder `bin`, without the machine's compilers."""
        self.use(PATH=str(self.bin))

    def make_program(self, name: str, script: str, *, interpreter: str = "#!/bin/sh\n") -> Path:
        """Writes an executable script into the folder `bin`, or below it."""
        program = self.bin / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(interpreter + script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    def compile(self, source: str | bytes = ADD, /, **keys: str | int | list[str]) -> Outcome:
        """Describes and compiles; keys are those of compile_tool.cpp, a list repeats its key."""
        folder = self.folder / f"call{self._calls}"
        self._calls += 1
        folder.mkdir()
        text = folder / "source"
        text.write_bytes(source if isinstance(source, bytes) else source.encode())
        words = [f"source={text}"]
        for key, value in keys.items():
            words += [f"{key}={one}" for one in (value if isinstance(value, list) else [value])]
        run = subprocess.run(
            [self.tool, self.plugin, folder, *words],
            env=self.environment,
            cwd=folder,
            capture_output=True,
            timeout=120,
            check=True,
        )
        assert (run.stdout, run.stderr) == (b"", b"")
        assert list(self.temporary.iterdir()) == []
        return _read_outcome(folder)


def _read_outcome(folder: Path) -> Outcome:
    def read(name: str) -> str:
        path = folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    made = {path.name for path in folder.iterdir()}
    assert made <= {"source", "describe", "status", "error", "log", "code", "leaked"}
    assert read("leaked") in ("", "0")
    description = json.loads(read("describe") or "{}")
    status = int(read("status") or "0")
    return Outcome(description, status, read("error"), read("log"), folder / "code")
