# SPDX-License-Identifier: Apache-2.0
"""Paths of the sources of the CPU backend's tests, and their compilers."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests" / "kernels"
C_API = ROOT / "packages" / "nexus-core" / "include"


def compiler(variable: str, *names: str) -> list[str]:
    """Returns the command in the environment variable, else the first program found."""
    if os.environ.get(variable):
        return shlex.split(os.environ[variable])
    for name in names:
        if shutil.which(name):
            return [name]
    pytest.skip(f"needs a compiler: install one of {', '.join(names)}, or name one in {variable}")
