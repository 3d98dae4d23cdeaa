# SPDX-License-Identifier: Apache-2.0
"""Libraries and kernels."""

from __future__ import annotations

from pathlib import Path

import nexus


def test_a_library_from_its_path(device: nexus.Device, kernel_file: Path) -> None:
    assert device.load_library(kernel_file).get_kernel("add").name == "add"
    assert device.load_library(str(kernel_file)).get_kernel("add").name == "add"
    assert device.load_library(kernel_file).device == device


def test_what_a_kernel_says_of_its_arguments(library: nexus.Library) -> None:
    assert library.get_kernel("scale").arguments == (
        ("x", "buffer", "float32", "float *", 0),
        ("factor", "scalar", "float32", "float", 4),
    )


def test_a_plain_function_says_nothing_of_its_arguments(library: nexus.Library) -> None:
    assert library.get_kernel("plain_saxpy").arguments is None


def test_a_library_of_bytes_has_no_name(device: nexus.Device, kernel_file: Path) -> None:
    code = kernel_file.read_bytes()
    for form in (bytes, bytearray, memoryview):
        assert repr(device.load_library(form(code))) == "<nexus.Library from memory>"
