# SPDX-License-Identifier: Apache-2.0
"""The shortest check of the backend: it is found, copies bytes and runs a kernel."""

from __future__ import annotations

import numpy as np
import pytest

import nexus


@pytest.fixture
def device() -> nexus.Device:
    """Returns the first device."""
    return nexus.get_device("reference:0")


def test_the_backend_is_found() -> None:
    """`nexus info` lists it as PASS; otherwise the failure shows the reason."""
    reasons = {each.name: each.reason for each in nexus.get_backends() if each.state != "PASS"}
    names = [each.name for each in nexus.get_backends()]
    assert "reference" in names, f"there are {names}; is the package installed?"
    assert "reference" not in reasons, reasons["reference"]


def test_the_device_says_what_it_is(device: nexus.Device) -> None:
    """Reads the four properties that every device has."""
    for key in ("Name", "Vendor", "Type", "Architecture"):
        assert device.get_property_str(key)


def test_bytes_come_back_as_they_went(device: nexus.Device) -> None:
    """Uses buffers, a stream, and a wait."""
    values = np.arange(1000, dtype=np.float32)
    assert np.array_equal(device.create_buffer(values).numpy(), values)


def test_a_kernel_adds_numbers(device: nexus.Device) -> None:
    """Uses a program, a schedule, and a run of it."""
    add = device.compile("kernel add_f32\n", language="reference").get_kernel("add_f32")
    values = np.arange(1000, dtype=np.float32)
    total = device.create_buffer(values.nbytes)
    operand = device.create_buffer(values)
    schedule = device.create_schedule()
    schedule.create_command(add, [operand, operand, total], grid_size=1000)
    schedule.run()
    assert np.array_equal(total.numpy().view(np.float32), values + values)
