# SPDX-License-Identifier: Apache-2.0
"""The functions that the plug-ins call, from their lists. NEXUS_SIMULATED_BACKEND names the backend
that the tests of both drivers run on: cuda, or hip.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

BACKEND = os.environ.get("NEXUS_SIMULATED_BACKEND", "cuda")
UNKNOWN_NAME = {"cuda": "CUDA_ERROR_UNKNOWN", "hip": "hipErrorUnknown"}[BACKEND]
ILLEGAL_ADDRESS_NAME = {"cuda": "CUDA_ERROR_ILLEGAL_ADDRESS", "hip": "hipErrorIllegalAddress"}[
    BACKEND
]
_PACKAGES = Path(__file__).resolve().parents[3] / "packages"
_Told = TypeVar("_Told")


def listed(file: str, pattern: str) -> list[str]:
    """Returns the names in a list."""
    (path,) = _PACKAGES.glob(f"nexus-*/src/**/{file}")
    return re.findall(pattern, path.read_text("utf-8"), re.MULTILINE)


_CUDA = [f"cu{name}" for name in listed("cuda_functions.def", r"^CU_(?:FUNCTION|OPTIONAL)\((\w+)")]
_HIP = [
    f"hip{name}"
    for name in listed(
        "hip_functions.def",
        r"^HIP_(?:FUNCTION|OPTIONAL|SETTING)\((?:pools, |graphs, |captures, )?(\w+)",
    )
]
DRIVER = {"cuda": _CUDA, "hip": _HIP}[BACKEND]
# HIP's names that are not CUDA's with another start.
_HIP_NAMES = {
    "cuCtxGetCurrent": "hipGetDevice",
    "cuCtxGetStreamPriorityRange": "hipDeviceGetStreamPriorityRange",
    "cuCtxPushCurrent": "hipSetDevice",
    "cuCtxEnablePeerAccess": "hipDeviceEnablePeerAccess",
    "cuEventCreate": "hipEventCreateWithFlags",
    "cuGraphAddMemcpyNode": "hipGraphAddMemcpyNode1D",
    "cuKernelGetFunction": "hipModuleGetFunction",
    "cuLaunchHostFunc": "hipStreamAddCallback",
    "cuLaunchKernelEx": "hipModuleLaunchKernel",
    "cuLibraryGetGlobal": "hipModuleGetGlobal",
    "cuLibraryLoadData": "hipModuleLoadData",
    "cuLibraryUnload": "hipModuleUnload",
    "cuMemAlloc": "hipMalloc",
    "cuMemAllocFromPoolAsync": "hipMallocFromPoolAsync",
    "cuMemAllocManaged": "hipMallocManaged",
    "cuMemFree": "hipFree",
    "cuMemFreeAsync": "hipFreeAsync",
    "cuMemFreeHost": "hipHostFree",
    "cuMemHostAlloc": "hipHostMalloc",
    "cuMemHostRegister": "hipHostRegister",
    "cuMemHostUnregister": "hipHostUnregister",
    "cuMemsetD2D8Async": "hipMemset2DAsync",
    "cuOccupancyMaxPotentialBlockSize": "hipModuleOccupancyMaxPotentialBlockSize",
}


def named(function: str) -> str:
    """Returns the backend's name of a function of CUDA; for HIP it may not exist."""
    if BACKEND == "cuda" or not function.startswith("cu"):
        return function
    return _HIP_NAMES.get(function, f"hip{function[2:]}")


def these(functions: Iterable[str]) -> set[str]:
    """Returns those that the backend has, of names of CUDA's and of its own."""
    return set(map(named, functions)) & set(DRIVER)


def told(table: dict[str, _Told]) -> dict[str, _Told]:
    """Returns the lines of a table for functions that the backend has, by its names."""
    return {named(key): value for key, value in table.items() if named(key) in DRIVER}


NVML = [f"nvml{name}" for name in listed("nvml_functions.def", r"^NVML_FUNCTION\((\w+)")]
NVRTC = [f"nvrtc{name}" for name in listed("toolkit_functions.def", r"^NVRTC_FUNCTION\(\w+, (\w+)")]
NVJITLINK = [
    f"nvJitLink{name}" for name in listed("toolkit_functions.def", r"^NVJITLINK_FUNCTION\((\w+)")
]
