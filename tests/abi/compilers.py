# SPDX-License-Identifier: Apache-2.0
"""Compilers, and what they are called with."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "packages/nexus-core/include"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]


def compiler(variable: str, names: list[str]) -> list[str]:
    """The command that the environment's variable gives, else the first name that is there."""
    given = os.environ.get(variable)
    if given:
        return shlex.split(given)
    for name in names:
        if shutil.which(name):
            return [name]
    pytest.skip(f"no compiler: install one of {', '.join(names)}, or set {variable}")


def run(command: list[str], cwd: Path | None = None) -> str:
    """Returns a command's output; a failure shows all of it."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout
