# SPDX-License-Identifier: Apache-2.0
"""Runs each test with a `device` on every OpenCL device of the machine."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pocl_processor
import pytest

import nexus
from nexus.status import Status

HERE = Path(__file__).parent
HOW_TO_GET = "nexus finds no OpenCL device; pip install 'nexus-opencl[test]'"


@functools.cache
def devices() -> list[nexus.Device]:
    """Returns all devices of the backend."""
    pocl_processor.prepare()
    found = [runtime for runtime in nexus.get_runtimes() if runtime.name == "opencl"]
    return list(found[0].get_devices()) if found else []


def platform_of(device: nexus.Device) -> str:
    """Returns the platform's name as one word."""
    name: str = device.get_info()["Extensions", "OpenCL", "Platform"]
    return {"Portable Computing Language": "pocl"}.get(name, name.split("(")[0].lower())


def run_python(*arguments: str, cwd: Path = HERE, environment: dict[str, str] | None = None) -> str:
    """Runs a new process with this folder on its path, which must succeed; returns its output."""
    path = f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def launch(device: nexus.Device, kernel: nexus.Kernel, arguments: Sequence[Any], size: int) -> None:
    """Runs a kernel once."""
    schedule = device.create_schedule()
    schedule.create_command(kernel, arguments, grid_size=size)
    schedule.run()


def refusal(device: nexus.Device, data: bytes) -> str:
    """Returns the error for bytes that are not a library."""
    with pytest.raises(nexus.NexusError) as raised:
        device.load_library(data)
    assert raised.value.status == Status.NXS_InvalidBinary
    return str(raised.value)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device" in metafunc.fixturenames:
        names = [f"{platform_of(device)}-{device.selector}" for device in devices()]
        missing = pytest.param(None, marks=pytest.mark.skip(reason=HOW_TO_GET))
        metafunc.parametrize("device", devices() or [missing], ids=names or ["none"])


@pytest.fixture
def spirv_device() -> nexus.Device:
    """A device that supports SPIR-V."""
    for device in devices():
        if "ILVersion" in device.get_info()["Extensions", "OpenCL"]:
            return device
    pytest.skip("no OpenCL device here takes SPIR-V; pip install intel-opencl-rt")
