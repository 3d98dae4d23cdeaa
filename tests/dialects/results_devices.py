# SPDX-License-Identifier: Apache-2.0
"""The devices on which the corpus runs here, as parameters of a fixture.

On the CPU, tests/kernel_language and tests/kernel_math prove the same with each compiler.
"""

from __future__ import annotations

from typing import Any

import cuda_driver
import opencl_devices
import pytest
from launchers import Launcher


def parameters() -> list[Any]:
    """Each OpenCL device and CUDA; what is not there is skipped with the reason."""
    found = [
        pytest.param(device, id=opencl_devices.name(device)) for device in opencl_devices.devices()
    ]
    missing = pytest.mark.skip(reason=opencl_devices.HOW_TO_GET)
    no_gpu = pytest.mark.skipif(cuda_driver.driver() is None, reason=cuda_driver.HOW_TO_GET)
    return [
        *(found or [pytest.param(None, id="OpenCL", marks=missing)]),
        pytest.param("cuda", id="CUDA", marks=no_gpu),
    ]


def launcher(parameter: Any) -> Launcher:
    """The launcher of one of the parameters."""
    if parameter == "cuda":
        return cuda_driver.CudaLauncher()
    return opencl_devices.OpenCLLauncher(parameter)
