# SPDX-License-Identifier: Apache-2.0
"""The devices on which the corpus runs here, as parameters of a fixture."""

from __future__ import annotations

from typing import Any

import cuda_driver
import nexus_device
import opencl_devices
import pytest
from launchers import Launcher


def parameters() -> list[Any]:
    """Each OpenCL device, CUDA and Nexus' CPU; what is not there is skipped with the reason."""
    found = [
        pytest.param(device, id=opencl_devices.name(device)) for device in opencl_devices.devices()
    ]
    missing = pytest.mark.skip(reason=opencl_devices.HOW_TO_GET)
    no_gpu = pytest.mark.skipif(cuda_driver.driver() is None, reason=cuda_driver.HOW_TO_GET)
    no_nexus = pytest.mark.skipif(not nexus_device.is_installed(), reason=nexus_device.HOW_TO_GET)
    return [
        pytest.param("nexus", id="CPU", marks=no_nexus),
        *(found or [pytest.param(None, id="OpenCL", marks=missing)]),
        pytest.param("cuda", id="CUDA", marks=no_gpu),
    ]


def launcher(parameter: Any) -> Launcher:
    """The launcher of one of the parameters."""
    if parameter == "cuda":
        return cuda_driver.CudaLauncher()
    if parameter == "nexus":
        return nexus_device.NexusLauncher()
    return opencl_devices.OpenCLLauncher(parameter)
