# SPDX-License-Identifier: Apache-2.0
"""The OpenCL devices that are here: each test of a `device` runs on every one of them."""

from __future__ import annotations

import functools

import pocl_processor
import pytest

import nexus

HOW_TO_GET = "nexus finds no OpenCL device; pip install 'nexus-opencl[test]'"


@functools.cache
def devices() -> list[nexus.Device]:
    """All devices of the backend; none where it has none."""
    pocl_processor.prepare()
    found = [runtime for runtime in nexus.get_runtimes() if runtime.name == "opencl"]
    return list(found[0].get_devices()) if found else []


def platform_of(device: nexus.Device) -> str:
    """The platform's name in a word."""
    name: str = device.get_info()["Extensions", "OpenCL", "Platform"]
    return {"Portable Computing Language": "pocl"}.get(name, name.split("(")[0].lower())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device" in metafunc.fixturenames:
        names = [f"{platform_of(device)}-{device.selector}" for device in devices()]
        missing = pytest.param(None, marks=pytest.mark.skip(reason=HOW_TO_GET))
        metafunc.parametrize("device", devices() or [missing], ids=names or ["none"])


@pytest.fixture
def spirv_device() -> nexus.Device:
    """A device that takes SPIR-V."""
    for device in devices():
        if "ILVersion" in device.get_info()["Extensions", "OpenCL"]:
            return device
    pytest.skip("no OpenCL device here takes SPIR-V; pip install intel-opencl-rt")
