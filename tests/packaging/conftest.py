# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the packaging tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from environment import Environment

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def build_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Object files that all source builds of this run share."""
    return tmp_path_factory.mktemp("build")


@pytest.fixture
def environment(tmp_path: Path, build_cache: Path) -> Environment:
    """A fresh environment with nothing but pip."""
    return Environment.create(tmp_path / "environment", build_cache)


@pytest.fixture(scope="session")
def wheels() -> Path:
    """The folder of release wheels that NEXUS_WHEELS names."""
    folder = os.environ.get("NEXUS_WHEELS")
    if not folder:
        pytest.skip("NEXUS_WHEELS names no folder of wheels: nox -s packaging makes and names one")
    return Path(folder)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return ROOT
