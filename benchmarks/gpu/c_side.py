# SPDX-License-Identifier: Apache-2.0
"""The driver called from C as a peer, by the wheel of benchmarks/gpu/baseline."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from harness import NotMeasured

if TYPE_CHECKING:
    from numpy.typing import NDArray

LABEL = "C, the driver itself"


@cache
def baseline() -> Any:
    """The nexus_cuda_baseline.Baseline of the first device. Raises NotMeasured."""
    try:
        import nexus_cuda_baseline
    except ImportError as error:
        raise NotMeasured("needs the baseline: pip install benchmarks/gpu/baseline") from error
    try:
        return nexus_cuda_baseline.Baseline()
    except (nexus_cuda_baseline.DriverError, OSError) as error:
        raise NotMeasured(f"the baseline: {error}") from error


def launch(
    function: int,
    arguments: Any,
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (1, 1, 1),
    shared: int = 0,
) -> Any:
    """A nexus_cuda_baseline.Launch."""
    import nexus_cuda_baseline

    return nexus_cuda_baseline.Launch(function, arguments, grid, block, shared)


def read(address: int, like: NDArray[Any]) -> NDArray[Any]:
    """The contents of memory of the device, as an array like that."""
    host = np.empty_like(like)
    baseline().copy_out(host.ctypes.data, address, host.nbytes)
    return host


def write(address: int, array: NDArray[Any]) -> None:
    """Fills memory of the device."""
    baseline().copy_in(address, array.ctypes.data, array.nbytes)
