# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the kernels of the Python API's tests, and objects made from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import nexus

HERE = Path(__file__).parent

Floats = npt.NDArray[np.float32]


@pytest.fixture(scope="session")
def kernel_file(build_library: Callable[[Path], Path]) -> Path:
    """Returns the library built from kernels.c."""
    return build_library(HERE / "kernels.c")


@pytest.fixture
def library(device: nexus.Device, kernel_file: Path) -> nexus.Library:
    return device.load_library(kernel_file)


@pytest.fixture
def schedule(device: nexus.Device) -> nexus.Schedule:
    return device.create_schedule()


@pytest.fixture
def floats() -> Floats:
    """Returns 1 024 different numbers."""
    return np.arange(1024, dtype=np.float32)


@pytest.fixture
def buffer(device: nexus.Device, floats: Floats) -> nexus.Buffer:
    """Returns a buffer that holds `floats`."""
    return device.create_buffer(floats)


@pytest.fixture
def doubling(
    schedule: nexus.Schedule, library: nexus.Library, buffer: nexus.Buffer
) -> nexus.Schedule:
    """Returns a schedule that multiplies `buffer` by two."""
    command = schedule.create_command(library.get_kernel("scale"))
    command.set_buffer(0, buffer)
    command.set_arg(1, 2.0)
    command.finalize(32, 1024)
    return schedule


@pytest.fixture
def outer(device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer) -> nexus.Schedule:
    """Returns a schedule with a command of each kind, and one that it runs twice."""
    made, event = device.create_schedule(), device.create_event()
    doubling.create_fill_command(buffer[:16].view("int32"), 7)
    made.create_schedule_command(doubling)
    made.create_copy_command(buffer[:16], buffer[16:32])
    made.create_signal_command(event, 3, 2)
    made.create_wait_command(event, 3, 2)
    made.create_schedule_command(doubling)
    return made
