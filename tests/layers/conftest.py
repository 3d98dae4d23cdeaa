# SPDX-License-Identifier: Apache-2.0
"""Programs that run under the layer `validate`, and what it tells of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from validated import Told, Validated

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
        done = subprocess.run(
            [sys.executable, str(program)],
            env=os.environ
            | {"NEXUS_LAYERS": "validate", "NEXUS_VALIDATE_FILE": str(file)}
            | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        lines = file.read_text().splitlines() if file.exists() else []
        return Told(done.returncode, done.stderr, lines)

    return run
