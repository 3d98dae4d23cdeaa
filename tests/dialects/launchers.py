# SPDX-License-Identifier: Apache-2.0
"""Launchers run a kernel of the corpus on a device and return its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Local:
    """An argument in local memory, of so many bytes."""

    size: int


# An array is a buffer, which the kernel may change; a numpy scalar or bytes are passed by value.
Argument = npt.NDArray[Any] | np.generic | bytes | Local


class Launcher(Protocol):
    """Runs kernels of one program on one device."""

    def run(self, kernel: str, arguments: Sequence[Argument], grid: Sizes, group: Sizes) -> None:
        """Runs whole groups for the grid, waits, and writes the buffers back to the arrays."""


def three(sizes: Sizes) -> tuple[int, int, int]:
    """x, y and z, where what is missing is 1."""
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def group_count(grid: Sizes, group: Sizes) -> tuple[int, int, int]:
    """The groups that cover the grid, in x, y and z."""
    x, y, z = (-(-items // size) for items, size in zip(three(grid), three(group), strict=True))
    return x, y, z
