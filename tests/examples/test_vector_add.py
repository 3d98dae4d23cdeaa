# SPDX-License-Identifier: Apache-2.0
"""examples/vector_add.py runs as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "vector_add.py"


@pytest.mark.smoke
def test_the_vectors_are_added() -> None:
    result = subprocess.run(
        [sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("[1.000e+00 2.000e+00")
