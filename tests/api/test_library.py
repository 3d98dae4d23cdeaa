# SPDX-License-Identifier: Apache-2.0
"""Libraries and kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nexus


def test_a_library_from_its_path(device: nexus.Device, kernel_file: Path) -> None:
    assert device.load_library(kernel_file).get_kernel("add").name == "add"
    assert device.load_library(str(kernel_file)).get_kernel("add").name == "add"


def test_a_missing_file(device: nexus.Device, tmp_path: Path) -> None:
    path = tmp_path / "nowhere.so"
    with pytest.raises(FileNotFoundError, match=r"nowhere\.so") as error:
        device.load_library(path)
    assert isinstance(error.value, nexus.NexusError)
    assert error.value.filename == str(path)


def test_an_empty_path_is_no_folder(device: nexus.Device) -> None:
    with pytest.raises(ValueError, match="source is '': it is the path of no file"):
        device.load_library("")


def test_a_library_that_is_cut_short(
    device: nexus.Device, kernel_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "short.so"
    path.write_bytes(kernel_file.read_bytes()[:1024])  # the headers, and nothing they speak of
    with pytest.raises(nexus.NexusError) as error:
        device.load_library(path)
    assert error.value.status == nexus.status.NXS_InvalidBinary


@pytest.mark.parametrize("source", [1, None, 1.5, ["kernel.so"]])
def test_what_is_no_library_is_a_type_error(device: nexus.Device, source: Any) -> None:
    with pytest.raises(TypeError, match="source has to be"):
        device.load_library(source)


def test_a_name_with_a_zero_byte_is_no_kernels_and_shown_whole(library: nexus.Library) -> None:
    with pytest.raises(nexus.NexusError, match=r"'add\\0b'"):
        library.get_kernel("add\0b")


def test_a_kernels_name_is_text(library: nexus.Library) -> None:
    with pytest.raises(TypeError, match="name has to be a str"):
        library.get_kernel(1)  # type: ignore[arg-type]


def test_what_a_kernel_says_of_its_arguments(library: nexus.Library) -> None:
    assert library.get_kernel("scale").arguments == (
        ("x", "buffer", "float32", "float *", 0),
        ("factor", "scalar", "float32", "float", 4),
    )


def test_a_plain_function_says_nothing_of_its_arguments(library: nexus.Library) -> None:
    assert library.get_kernel("plain_saxpy").arguments is None


def test_a_closed_library_is_refused(library: nexus.Library) -> None:
    library.close()
    with pytest.raises(nexus.NexusError) as error:
        library.get_kernel("add")
    assert error.value.status == nexus.status.NXS_InvalidLibrary


def test_a_library_of_bytes_has_no_name(device: nexus.Device, kernel_file: Path) -> None:
    assert repr(device.load_library(kernel_file.read_bytes())) == "<nexus.Library from memory>"
