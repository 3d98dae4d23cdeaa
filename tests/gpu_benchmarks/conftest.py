# SPDX-License-Identifier: Apache-2.0
"""The programs of benchmarks/gpu as modules. No test here needs a GPU, or proves things of one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path[:0] = [str(BENCHMARKS / each) for each in ("gpu", "gpu/baseline", ".")]


@pytest.fixture(autouse=True)
def sample_cases_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes of cases look for sample_cases beside this file."""
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), known]))
