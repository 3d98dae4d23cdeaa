# SPDX-License-Identifier: Apache-2.0
"""A work on one OpenCL runtime: the same launches with the same group sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from opencl_cpu import OpenCL
from work import Arrays, Launch, Work

_FAST_MATH = ("-cl-fast-relaxed-math", "-cl-mad-enable")


class OpenCLSide:
    """A work, ready to be enqueued.

    Attributes:
        label: what runs, with versions.
    """

    def __init__(
        self,
        work: Work,
        runtime: OpenCL,
        group_sizes: Sequence[tuple[int, ...] | None],
        *,
        fast_math: bool,
    ) -> None:
        self.label = runtime.label
        self.runtime = runtime
        self._outputs = {name: work.arrays[name] for name in work.outputs}
        self._queue = runtime.queue()
        self._buffers = {name: runtime.buffer(array) for name, array in work.arrays.items()}
        program = runtime.program(work.opencl, _FAST_MATH if fast_math else ())
        self._enqueued = [
            self._prepare(runtime.cl.Kernel(program, launch.kernel), launch, group_size)
            for launch, group_size in zip(work.launches, group_sizes, strict=True)
        ]

    def _prepare(
        self, kernel: Any, launch: Launch, group_size: tuple[int, ...] | None
    ) -> tuple[Any, ...]:
        """Sets the kernel's arguments; returns the arguments of enqueue_nd_range_kernel."""
        if group_size is None:
            raise ValueError(f"the group size of {launch.kernel} is not known")
        dimensions = len(launch.grid_size)
        group_size = group_size[:dimensions]
        rounded = tuple(
            -(-items // size) * size
            for items, size in zip(launch.grid_size, group_size, strict=True)
        )
        kernel.set_args(
            *(self._buffers[each] if isinstance(each, str) else each for each in launch.arguments)
        )
        return self._queue, kernel, rounded, group_size

    def run(self) -> None:
        """Enqueues all and waits."""
        enqueue = self.runtime.cl.enqueue_nd_range_kernel
        for arguments in self._enqueued:
            enqueue(*arguments)
        self._queue.finish()

    def clear(self) -> None:
        """Makes the outputs zero."""
        for name, array in self._outputs.items():
            self.runtime.cl.enqueue_copy(self._queue, self._buffers[name], np.zeros_like(array))

    def results(self) -> Arrays:
        """Returns copies of the outputs."""
        copies = {name: np.zeros_like(array) for name, array in self._outputs.items()}
        for name, copy in copies.items():
            self.runtime.cl.enqueue_copy(self._queue, copy, self._buffers[name])
        return copies
