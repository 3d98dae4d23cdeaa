# SPDX-License-Identifier: Apache-2.0
"""Programs that run with the layers `trace` and `validate`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from python_process import run_python
from validated import Told, Validated

Run = Callable[..., subprocess.CompletedProcess[str]]
FOLDER = Path(__file__).parent

_HEAD = """\
import numpy as np
import nexus
from nexus import _core
"""


@pytest.fixture
def validated(tmp_path: Path) -> Validated:
    """Runs the text of a program, which has np, nexus and _core, under the layer."""
    file = tmp_path / "messages.txt"
    program = tmp_path / "program.py"

    def run(text: str, **environment: str) -> Told:
        program.write_text(_HEAD + text)
        done = run_python(
            str(program),
            more={"NEXUS_LAYERS": "validate", "NEXUS_VALIDATE_FILE": str(file)} | environment,
        )
        lines = file.read_text().splitlines() if file.exists() else []
        return Told(done.returncode, done.stderr, lines)

    return run


@pytest.fixture(scope="session")
def run_traced() -> Run:
    """Runs Python with these words, and the layer that writes to a file."""

    def run(
        trace: Path, *words: str | Path, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        traced = {"NEXUS_LAYERS": "trace", "NEXUS_TRACE_FILE": str(trace), "PYTHONPATH": _path()}
        return run_python(*words, more=traced | (environment or {}))

    return run


def _path() -> str:
    """Where programs of the tests find each other, beside what they find anyway."""
    return os.pathsep.join([str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
