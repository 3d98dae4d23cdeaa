# SPDX-License-Identifier: Apache-2.0
"""The devices on which the corpus runs here, as parameters of a fixture.

On the CPU, tests/kernel_language and tests/kernel_math prove the same with each compiler.
"""

from __future__ import annotations

from typing import Any

import cuda_driver
import metal_double
import opencl_devices
import pytest
from launchers import Launcher


def parameters() -> list[Any]:
    """Each OpenCL device, CUDA, and the double of Metal; the reason for what is not there."""
    found = [
        pytest.param(device, id=opencl_devices.name(device)) for device in opencl_devices.devices()
    ]
    missing = pytest.mark.skip(reason=opencl_devices.HOW_TO_GET)
    no_gpu = pytest.mark.skipif(cuda_driver.driver() is None, reason=cuda_driver.HOW_TO_GET)
    no_double = pytest.mark.skipif(not metal_double.is_there(), reason=metal_double.HOW_TO_GET)
    return [
        *(found or [pytest.param(None, id="OpenCL", marks=missing)]),
        pytest.param("cuda", id="CUDA", marks=no_gpu),
        pytest.param("metal", id="double of Metal", marks=no_double),
    ]


def launcher(parameter: Any) -> Launcher:
    """The launcher of one of the parameters."""
    if parameter == "cuda":
        return cuda_driver.CudaLauncher()
    if parameter == "metal":
        return metal_double.MetalLauncher()
    return opencl_devices.OpenCLLauncher(parameter)
