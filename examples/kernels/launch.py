# SPDX-License-Identifier: Apache-2.0
"""Helpers of the programs in this folder: compile a kernel, launch it, and show the check.

Each program in this folder has a function that works on arrays, for your own use. When run, it
compares the function with numpy:

    python examples/kernels/softmax.py            # on the device of nexus.get_device()
    python examples/kernels/softmax.py cpu:0
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nexus

Floats = NDArray[np.float32]
FOLDER = Path(__file__).parent


def kernel(device: nexus.Device, file: str, name: str | None = None) -> nexus.Kernel:
    """Returns a kernel of a file in this folder, by default the one with the file's name."""
    return device.compile(FOLDER / file).get_kernel(name or Path(file).stem)


def launch(
    device: nexus.Device,
    kernel: nexus.Kernel,
    arguments: tuple[object, ...],
    grid: int | tuple[int, ...],
    group: int | tuple[int, ...] | None = None,
) -> None:
    """Runs the kernel once and waits."""
    schedule = device.create_schedule()
    schedule.create_command(kernel, arguments, group, grid)
    schedule.run()


def groups(items: int, size: int) -> int:
    """Returns the number of groups of that size that hold all items."""
    return -(-items // size)


def show(example: Callable[[nexus.Device], tuple[NDArray[Any], NDArray[Any]]]) -> None:
    """Runs an example, which returns its result and numpy's, and prints the largest error."""
    device = nexus.get_device(sys.argv[1] if len(sys.argv) > 1 else None)
    result, expected = example(device)
    scale = float(np.abs(expected).max())
    error = float(np.abs(result.astype(np.float64) - expected).max())
    print(f"{device.selector}: {result.size} values, largest error {error:.3g} of {scale:.3g}")
    if not np.allclose(result, expected, rtol=1e-4, atol=1e-5 * scale):
        sys.exit("that is not what numpy has")
