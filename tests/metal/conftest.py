# SPDX-License-Identifier: Apache-2.0
"""The Metal backend on the double of Metal (tests/drivers), each in a process of its own."""

from __future__ import annotations

from importlib.util import find_spec

import metal_machine
import pytest
import simulated
from metal_machine import MetalMachine


@pytest.fixture(scope="session")
def mac() -> MetalMachine:
    """A machine with two GPUs of Apple's family 7."""
    if find_spec("nexus_metal") is None:
        pytest.skip("needs the plug-in: install nexus-metal")
    if not (simulated.folder() / "libnexus-metal-double.so").exists():
        pytest.skip("needs the simulated drivers: ninja -C build simulated_drivers")
    return metal_machine.of_metal()
