# SPDX-License-Identifier: Apache-2.0
"""The peer of NexusAdd on one OpenCL runtime: the same sum, ready to be enqueued."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import timed_submissions
from opencl_cpu import OpenCL

SOURCE = """
__kernel void add(__global const float *a, __global const float *b, __global float *c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
"""


class OpenCLAdd:
    """The sum of two float32 arrays.

    Attributes:
        label: what runs, with versions.
        cl: the module pyopencl.
        inputs: both buffers; a kernel does not keep its arguments alive.
        arguments: of enqueue_nd_range_kernel; the runtime chooses the group size.
    """

    def __init__(self, runtime: OpenCL, a: Any, b: Any) -> None:
        self.label = runtime.label
        self.cl = runtime.cl
        self.queue = runtime.queue()
        self.kernel = runtime.kernel(SOURCE, "add")
        self.inputs = [runtime.buffer(a), runtime.buffer(b)]
        self._sum = self.cl.Buffer(runtime.context, self.cl.mem_flags.WRITE_ONLY, a.nbytes)
        self._like = a
        self.kernel.set_args(*self.inputs, self._sum)
        self.arguments = (self.queue, self.kernel, a.shape, None)

    def run(self) -> None:
        """Enqueues and waits."""
        self.cl.enqueue_nd_range_kernel(*self.arguments)
        self.queue.finish()

    def timed_enqueues(self, arguments: Any, calls: int) -> Callable[[], float]:
        """Returns a batch that times enqueue_nd_range_kernel with the arguments."""
        enqueue = self.cl.enqueue_nd_range_kernel
        return timed_submissions(enqueue, arguments, self.queue.finish, calls)

    def result(self) -> Any:
        """Returns a copy of the sum."""
        import numpy as np

        host = np.zeros_like(self._like)
        self.cl.enqueue_copy(self.queue, host, self._sum)
        return host
