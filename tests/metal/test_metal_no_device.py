# SPDX-License-Identifier: Apache-2.0
"""Where there is no Metal: a record with a sentence that says why, and Nexus works."""

from __future__ import annotations

import sys

import metal_machine
import pytest
import simulated
from metal_machine import MetalMachine

pytestmark = pytest.mark.usefixtures("mac")


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has Metal")
def test_a_system_that_is_not_macos() -> None:
    assert "only macOS has Metal" in MetalMachine({"NEXUS_METAL_DRIVER": ""}).why_absent()


def test_a_named_library_that_is_not_there() -> None:
    why = MetalMachine({"NEXUS_METAL_DRIVER": "/nonexistent/metal.so"}).why_absent()
    assert "'/nonexistent/metal.so' can't be opened" in why


def test_a_named_library_that_is_not_metal() -> None:
    other = MetalMachine({"NEXUS_METAL_DRIVER": str(simulated.folder() / "libcuda.so.1")})
    assert "lacks objc_getClass" in other.why_absent()


def test_a_mac_without_a_gpu() -> None:
    assert "this machine has no GPU with Metal" in metal_machine.of_metal(devices=0).why_absent()
