# SPDX-License-Identifier: Apache-2.0
"""Libraries load from the plug-in's container, OpenCL C and driver binaries; broken ones do not."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from conftest import devices, launch, refusal

import nexus

SOURCE = """
kernel void scale(global float *x, const float a) { x[get_global_id(0)] *= a; }
"""


def code_for(device: nexus.Device) -> bytes:
    return nexus.Program(SOURCE, language="opencl").compile(device).code


def scaled(device: nexus.Device, library: nexus.Library) -> float:
    buffer = device.create_buffer(np.ones(64, np.float32))
    launch(device, library.get_kernel("scale"), [buffer, np.float32(3)], 64)
    return float(buffer.numpy()[63])


def test_compiled_code_is_loaded_again_from_a_file(device: nexus.Device, tmp_path: Path) -> None:
    path = tmp_path / "scale.bin"
    path.write_bytes(code_for(device))
    library = device.load_library(path)
    assert library.get_property_str("Format") == "opencl"
    assert library.get_property_str_vec("KernelNames") == ["scale"]
    arguments = library.get_kernel("scale").arguments
    assert arguments is not None
    assert [(each.name, each.kind, each.dtype, each.size) for each in arguments] == [
        ("x", "buffer", "float32", 0),
        ("a", "scalar", "float32", 4),
    ]
    assert scaled(device, library) == 3


def test_code_that_was_cut_or_changed_is_refused(device: nexus.Device) -> None:
    code = code_for(device)
    for size in [8, 9, 31, 32, 40, 41, len(code) // 2, len(code) - 8, len(code) - 1]:
        refusal(device, code[:size])
    dice = random.Random(5)
    for place in [8, 12, 16, 24, 32, *(dice.randrange(8, len(code)) for _ in range(60))]:
        changed = bytearray(code)
        changed[place] ^= 1 << dice.randrange(8)
        refusal(device, bytes(changed))


def test_code_of_another_device_is_refused() -> None:
    if len(devices()) < 2:
        pytest.skip("there are no two OpenCL devices here; pip install 'nexus-opencl[test]'")
    first, second = devices()[:2]
    assert "compile the program again" in refusal(second, code_for(first))


def test_a_text_in_opencl_c_is_a_library(device: nexus.Device, tmp_path: Path) -> None:
    path = tmp_path / "scale.cl"
    path.write_text(SOURCE, "utf-8")
    library = device.load_library(path)
    assert library.get_property_str("Format") == "opencl-c"
    assert library.get_kernel("scale").arguments is not None
    assert scaled(device, library) == 3


def test_a_text_that_does_not_compile_is_refused_with_the_compilers_words(
    device: nexus.Device,
) -> None:
    assert "undeclared" in refusal(device, b"kernel void f(global int *x) { x[0] = undeclared; }")


def test_a_drivers_own_binary_is_a_library(device: nexus.Device) -> None:
    code = code_for(device)
    head = int.from_bytes(code[16:24], "little")
    binary = code[32 + head : -8]
    library = device.load_library(binary)
    assert library.get_property_str("Format") == "binary"
    assert library.get_kernel("scale").get_property_int("Count") == 2
    assert scaled(device, library) == 3
