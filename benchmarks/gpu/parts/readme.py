# SPDX-License-Identifier: Apache-2.0
"""Runs the README's example on the GPU; only NEXUS_DEVICE differs."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from gpu_cases import Bench, case

ROOT = Path(__file__).resolve().parents[3]


def _examples() -> ModuleType:
    """Returns the module that runs pages on the CPU, which takes a page apart."""
    sys.path[:0] = [str(ROOT / "tests" / "docs"), str(ROOT / "tests")]  # for its imports
    return importlib.import_module("test_examples")


@case(limit=180)
def the_example_of_the_readme_runs_unchanged(bench: Bench) -> str:
    examples, page = _examples(), ROOT / "README.md"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        examples.build(page, folder)
        source = folder / "readme.py"
        told = '\nprint("ran on", device.selector)\n'
        source.write_text(examples.program(page) + told, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(source)],
            cwd=folder,
            env=os.environ | {"NEXUS_DEVICE": bench.selector},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, (done.stdout + done.stderr)[-1500:]
    said = done.stdout.strip()
    device = said.rpartition("ran on ")[2]
    assert device == bench.device.selector, f"the example ran on {device}"
    return said[-300:]
