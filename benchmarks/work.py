# SPDX-License-Identifier: Apache-2.0
"""The works that kernels are measured on: data, launches, and allowed error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness import Mismatch

KERNELS = Path(__file__).parents[1] / "examples" / "kernels"

Array = NDArray[Any]
Arrays = Mapping[str, Array]
Argument = str | np.generic  # the name of an array, or a scalar


@dataclass(frozen=True)
class Launch:
    """A kernel over a grid, the same for ours and for OpenCL.

    Attributes:
        group_size: None lets our backend choose; OpenCL takes the same.
    """

    kernel: str
    arguments: tuple[Argument, ...]
    grid_size: tuple[int, ...]
    group_size: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Goal:
    """The goal of ours beside a peer.

    Attributes:
        text: the goal, with {} for the peer.
        ratio: the largest ours / peer that reaches it.
    """

    text: str
    ratio: float


AS_FAST_AS_OPENMP = Goal("at least 0.95 of {}'s speed", 1 / 0.95)
FASTER = Goal("faster than {}", 1.0)
THREE_TIMES = Goal("at least 3 times as fast as {}", 1 / 3)


@dataclass(frozen=True)
class Work:
    """A computation, for all sides.

    Attributes:
        name: for the table.
        kernel_file: ours, in examples/kernels.
        arrays: the inputs, and the outputs as zeros, by name.
        outputs: which of them are results.
        launches: in their order.
        opencl: the same kernels in OpenCL C.
        error: returns the error of results beside a reference in double precision.
        allowed_error: the largest allowed error.
        unit: of the error.
        openmp: a C function `run` that computes it, or None if OpenMP is not compared.
        openmp_arguments: its arguments.
        pocl_goal: beside PoCL; beside Intel's runtime it is FASTER.
    """

    name: str
    kernel_file: str
    arrays: Arrays
    outputs: tuple[str, ...]
    launches: tuple[Launch, ...]
    opencl: str
    error: Callable[[Arrays], float]
    allowed_error: float
    unit: str = "ulp"
    openmp: str | None = None
    openmp_arguments: tuple[Argument, ...] = ()
    pocl_goal: Goal = FASTER

    def check(self, label: str, results: Arrays) -> float:
        """Returns the error of a side's results. Raises Mismatch if it is too large."""
        error = self.error(results)
        if not error <= self.allowed_error:
            allowed = f"{self.allowed_error:g} are allowed"
            raise Mismatch(f"{label} is {error:.3g} {self.unit} off, and {allowed}")
        return error


def ulp_error(results: Arrays, expected: Arrays, scale: Array | None = None) -> float:
    """Returns the largest distance from float64 values, in units of the last place of a float32.

    Args:
        expected: by the results' names.
        scale: the values whose last place is the unit; None for those of expected.
    """
    return max(
        float(
            np.max(
                np.abs(results[name] - value)
                / np.spacing(np.abs(value if scale is None else scale).astype(np.float32))
            )
        )
        for name, value in expected.items()
    )
