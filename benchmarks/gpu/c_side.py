# SPDX-License-Identifier: Apache-2.0
"""The CUDA driver called from C as a peer, by the wheel of benchmarks/gpu/baseline."""

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
    """Returns the nexus_cuda_baseline.Baseline of the first device. Raises NotMeasured."""
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
    """Makes a nexus_cuda_baseline.Launch."""
    import nexus_cuda_baseline

    return nexus_cuda_baseline.Launch(function, arguments, grid, block, shared)


def read(address: int, like: NDArray[Any]) -> NDArray[Any]:
    """Returns the content of device memory as an array of that shape and type."""
    host = np.empty_like(like)
    baseline().copy_out(host.ctypes.data, address, host.nbytes)
    return host


def write(address: int, array: NDArray[Any]) -> None:
    """Copies an array to device memory."""
    baseline().copy_in(address, array.ctypes.data, array.nbytes)
