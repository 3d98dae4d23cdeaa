# SPDX-License-Identifier: Apache-2.0
"""Programs that run with the layer `trace`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
FOLDER = Path(__file__).parent


@pytest.fixture(scope="session")
def run_traced() -> Run:
    """Runs Python with these words, and the layer that writes to a file."""

    def run(
        trace: Path, *words: str | Path, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        traced = {"NEXUS_LAYERS": "trace", "NEXUS_TRACE_FILE": str(trace), "PYTHONPATH": _path()}
        return subprocess.run(
            [sys.executable, *words],
            env=os.environ | traced | (environment or {}),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def _path() -> str:
    """Where programs of the tests find each other, beside what they find anyway."""
    return os.pathsep.join([str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
