# SPDX-License-Identifier: Apache-2.0
"""Builds blas_stand_in.c, which replaces cuBLAS and hipBLAS."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import simulated


def build(folder: Path, driver: str, *options: str) -> str:
    """Returns the path of the library, built over a simulated driver."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler: install gcc or clang")
    source, made = Path(__file__).with_suffix(".c"), folder / "libblas.so"
    files: list[str | Path] = [source, simulated.folder() / driver, "-o", made]
    subprocess.run(["cc", "-shared", "-fPIC", *options, *files], check=True)
    return str(made)
