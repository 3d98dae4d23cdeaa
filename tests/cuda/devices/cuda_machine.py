# SPDX-License-Identifier: Apache-2.0
"""A machine with this folder's driver and NVML."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from driver_machine import DriverMachine


@dataclass(frozen=True)
class CudaMachine(DriverMachine):
    """Processes that see these libraries."""

    backend: ClassVar[str] = "cuda"


def named(driver: Path | None = None, nvml: Path | None = None) -> CudaMachine:
    """Returns a machine with only these libraries of NVIDIA."""
    nowhere = "/nonexistent/lib.so.1"
    return CudaMachine(
        {"NEXUS_CUDA_DRIVER": str(driver or nowhere), "NEXUS_NVML_LIBRARY": str(nvml or nowhere)}
    )
