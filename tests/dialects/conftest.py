# SPDX-License-Identifier: Apache-2.0
"""The devices on which the corpus runs. These tests need nothing of Nexus but its headers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where the session does not see it

from launchers import Launcher
from results_devices import launcher, parameters


@pytest.fixture(scope="session", params=parameters())
def device(request: pytest.FixtureRequest) -> Launcher:
    """Runs the kernels of the corpus on one device."""
    return launcher(request.param)
