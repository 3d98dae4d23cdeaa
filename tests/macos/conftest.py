# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of what is made for macOS: files are read, nothing of them runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1]))  # for simulated


@pytest.fixture(scope="session")
def wheels() -> Path:
    """The folder of wheels for macOS that NEXUS_MACOS_WHEELS names."""
    folder = os.environ.get("NEXUS_MACOS_WHEELS")
    if not folder:
        pytest.skip("NEXUS_MACOS_WHEELS names no folder: nox -s macos-3.13 makes and names one")
    return Path(folder)


@pytest.fixture(scope="session")
def apple_wheels() -> Path:
    """The folder with the wheels of the group `apple`, which NEXUS_APPLE_WHEELS names."""
    folder = os.environ.get("NEXUS_APPLE_WHEELS")
    if not folder:
        pytest.skip("NEXUS_APPLE_WHEELS names no folder: nox -s macos-3.13 makes and names one")
    return Path(folder)
