# SPDX-License-Identifier: Apache-2.0
"""The HIP backend on the simulated HIP (tests/drivers), each in a process of its own."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import hip_machine
import pytest
import simulated
from hip_machine import HipMachine

# The compiler and the corpus of the kernel language.
sys.path.append(str(Path(__file__).parents[1] / "dialects"))


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the system that the backend reads."""
    folder = tmp_path_factory.mktemp("root")
    (folder / "dev").mkdir()
    (folder / "dev/kfd").touch()
    return folder


@pytest.fixture(scope="session")
def rocm(root: Path) -> HipMachine:
    """A machine with two GPUs and the newest HIP."""
    if find_spec("nexus_hip") is None:
        pytest.skip("needs the plug-in: install nexus-hip")
    if not (simulated.folder() / "libamdhip64.so.7").exists():
        pytest.skip("needs the simulated drivers: ninja -C build simulated_drivers")
    return hip_machine.of_rocm().having(NEXUS_HIP_ROOT=str(root))
