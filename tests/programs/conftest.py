# SPDX-License-Identifier: Apache-2.0
"""The CPU, and a program that is compiled for it."""

from __future__ import annotations

import pytest
from program_texts import SAXPY

import nexus


@pytest.fixture(scope="session")
def cpu() -> nexus.Device:
    """The CPU, which compiles."""
    return nexus.get_device("cpu")


@pytest.fixture(scope="session")
def saxpy_code(cpu: nexus.Device) -> nexus.ObjectCode:
    """The program saxpy, compiled."""
    return nexus.Program(SAXPY, name="saxpy.c").compile(cpu)
