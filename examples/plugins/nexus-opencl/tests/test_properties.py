# SPDX-License-Identifier: Apache-2.0
"""Properties of devices equal what pyopencl reads of the same device."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest
from conftest import platform_of

import nexus


@pytest.fixture(scope="module", autouse=True)
def _vendors_for_pyopencl(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Makes pyopencl's loader find the libraries that Nexus finds."""
    import nexus_opencl

    folder = tmp_path_factory.mktemp("vendors")
    libraries = nexus_opencl.nexus_config().get("opencl.vendors", "").split(os.pathsep)
    for index, library in enumerate(filter(None, libraries)):
        (folder / f"{index}.icd").write_text(f"{library}\n", "utf-8")
    os.environ.setdefault("OCL_ICD_VENDORS", str(folder))


@pytest.fixture
def peer(device: nexus.Device) -> Any:
    """Returns pyopencl's object for the same device."""
    cl = pytest.importorskip("pyopencl", reason="compares with pyopencl; pip install pyopencl")
    wanted = device.get_info()["Extensions", "OpenCL", "Platform"]
    try:
        platforms = importlib.import_module(cl.__name__).get_platforms()
    except cl.LogicError:
        platforms = []
    for platform in platforms:
        for other in platform.get_devices():
            if platform.name == wanted and other.name.strip() == device.get_info()["Name"]:
                return other
    pytest.skip(f"pyopencl does not find the platform {wanted}")


def test_it_has_the_numbers_that_the_driver_tells(device: nexus.Device, peer: Any) -> None:
    info = device.get_info()
    assert info["GlobalMemorySize"] == peer.global_mem_size
    assert info["MaxThreadgroupMemorySize"] == peer.local_mem_size
    assert info["MaxThreadsPerBlock"] == peer.max_work_group_size
    assert info["MaxGroupSize"] == list(peer.max_work_item_sizes)
    assert info["MaxBufferSize"] == peer.max_mem_alloc_size
    assert info["BufferOffsetAlignment"] == peer.mem_base_addr_align // 8
    assert info["CoreCount"] == peer.max_compute_units
    assert info.get("CoreClockRate", 0) == peer.max_clock_frequency
    assert info["MaxConstantMemorySize"] == peer.max_constant_buffer_size
    assert info["TimeStampResolution"] == peer.profiling_timer_resolution


def test_it_has_the_texts_that_the_driver_tells(device: nexus.Device, peer: Any) -> None:
    info = device.get_info()
    assert info["Vendor"] == peer.vendor
    assert info["DriverVersion"] == peer.driver_version
    assert info["Version"] == peer.version.strip()
    assert sorted(info["Extensions", "OpenCL", "Extensions"]) == sorted(peer.extensions.split())


def test_data_types_have_those_that_the_device_computes_with(
    device: nexus.Device, peer: Any
) -> None:
    types = device.get_info()["DataTypes"]
    assert {"float32", "int32", "uint64"} <= set(types)
    assert ("float64" in types) == bool(peer.double_fp_config)
    assert ("float16" in types) == ("cl_khr_fp16" in peer.extensions)


def test_a_processor_is_a_processor(device: nexus.Device) -> None:
    if platform_of(device) not in ("pocl", "intel"):
        pytest.skip("the device is none of the two runtimes that are known to be processors")
    assert device.get_info()["Type"] == "cpu"
    assert device.get_info()["Architecture"] in ("x86-64", "aarch64")


def test_the_compiler_changes_with_the_driver(device: nexus.Device) -> None:
    info = device.get_info()
    assert info["DriverVersion"] in info["Compiler"]
    assert info["Languages"] == ["nexus", "opencl"]
