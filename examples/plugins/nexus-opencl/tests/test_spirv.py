# SPDX-License-Identifier: Apache-2.0
"""SPIR-V modules: loaded if the device supports them, and checked before the driver sees them."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from conftest import devices, refusal
from spirv_module import scale

import nexus


def test_a_module_runs(spirv_device: nexus.Device) -> None:
    library = spirv_device.load_library(scale())
    assert library.get_property_str("Format") == "spirv"
    buffer = spirv_device.create_buffer(np.ones(100, np.float32))
    schedule = spirv_device.create_schedule()
    command = schedule.create_command(library.get_kernel("scale"))
    command.set_buffer(0, buffer)
    command.set_arg(1, 2.5)
    command.set_local_memory(2, 16)
    command.finalize(None, 100)
    schedule.run()
    np.testing.assert_array_equal(buffer.numpy(), np.full(100, 2.5, np.float32))
    arguments = library.get_kernel("scale").arguments
    assert arguments is not None
    assert [(each.name, each.kind, each.dtype, each.size) for each in arguments] == [
        ("x", "buffer", "float32", 0),
        ("a", "scalar", "float32", 4),
        ("", "local_memory", "int32", 0),
    ]


def test_a_module_in_the_other_order_of_bytes_is_read(spirv_device: nexus.Device) -> None:
    module = scale()
    count = len(module) // 4
    swapped = struct.pack(f">{count}I", *struct.unpack(f"<{count}I", module))
    try:
        kernel = spirv_device.load_library(swapped).get_kernel("scale")
    except nexus.NexusError as error:
        pytest.skip(f"the driver does not take it: {error}")
    assert kernel.arguments is not None
    assert len(kernel.arguments) == 3


def test_a_module_that_was_cut_or_damaged_is_refused(spirv_device: nexus.Device) -> None:
    module = scale()
    for size in [*range(4, len(module), 4), len(module) - 1]:
        refusal(spirv_device, module[:size])
    assert "has no kernel" in refusal(spirv_device, module[:20])
    without_length = module[:20] + struct.pack("<I", 17) + module[24:]
    assert "damaged at byte 20" in refusal(spirv_device, without_length)


def test_a_device_without_spirv_says_so() -> None:
    for device in devices():
        if "ILVersion" not in device.get_info()["Extensions", "OpenCL"]:
            assert "does not take" in refusal(device, scale())
            return
    pytest.skip("every OpenCL device here takes SPIR-V; pip install 'pyopencl[pocl]'")
