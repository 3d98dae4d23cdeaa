# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder share: compiling a kernel, launching it, and showing the check.

Each program beside this file has a function that does the work on arrays, for your own use, and
when it is run compares it with numpy on one size:

    python examples/kernels/softmax.py            # the device that nexus.get_device() takes
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
    """The kernel of a file in this folder; the name where it is not the file's."""
    return device.compile(FOLDER / file).get_kernel(name or Path(file).stem)


def launch(
    device: nexus.Device,
    kernel: nexus.Kernel,
    arguments: tuple[object, ...],
    grid: int | tuple[int, ...],
    group: int | tuple[int, ...] | None = None,
) -> None:
    """Runs the kernel once, and waits for it."""
    schedule = device.create_schedule()
    schedule.create_command(kernel, arguments, group, grid)
    schedule.run()


def groups(items: int, size: int) -> int:
    """How many groups of that size hold all items."""
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
