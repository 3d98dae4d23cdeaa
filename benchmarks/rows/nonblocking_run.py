# SPDX-License-Identifier: Apache-2.0
"""A non-blocking run beside pyopencl's enqueue of a kernel whose arguments are set."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import (
    Contestant,
    Mismatch,
    NotMeasured,
    Result,
    interleave,
    timed_submissions,
    version_of,
    wheel_file,
)
from nexus_add import NexusAdd

NAME = "non-blocking run, 1 024 items"
GOAL = "pyopencl's enqueue + 0.3 us at most"
ALLOWANCE = 0.3e-6
ITEMS = 1024

_SOURCE = """
__kernel void add(__global const float *a, __global const float *b, __global float *c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
"""


@dataclass(frozen=True)
class _ClAdd:
    """The addition on one OpenCL platform, ready to be enqueued."""

    label: str
    cl: Any
    queue: Any
    kernel: Any
    sum_buffer: Any
    inputs: Any  # a kernel does not keep its arguments alive

    def result(self, like: Any) -> Any:
        import numpy as np

        self.cl.enqueue_nd_range_kernel(*self.arguments)
        host = np.zeros_like(like)
        self.cl.enqueue_copy(self.queue, host, self.sum_buffer)
        self.queue.finish()
        return host

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What enqueue_nd_range_kernel takes: the platform chooses the group size."""
        return (self.queue, self.kernel, (ITEMS,), None)


def measure(*, smoke: bool) -> Result:
    """Times the submissions alone; the work of a batch is awaited between batches."""
    import numpy as np

    ours = NexusAdd(ITEMS)
    peers, notes = _peers(ours.a, ours.b)
    ours.schedule.run()
    for peer in peers:
        if not np.array_equal(ours.result(), peer.result(ours.a)):
            raise Mismatch(f"the sums of nexus and {peer.label} differ")

    calls = 16 if smoke else 64
    contestants = [
        Contestant(
            ours.label,
            timed_submissions(
                ours.schedule.run, (ours.stream, False), ours.stream.synchronize, calls
            ),
        ),
        *(
            Contestant(
                p.label,
                timed_submissions(p.cl.enqueue_nd_range_kernel, p.arguments, p.queue.finish, calls),
            )
            for p in peers
        ),
    ]
    our_timing, *peer_timings = interleave(contestants, repeats=3 if smoke else 101)
    best = min(peer_timings, key=lambda timing: timing.median)
    met = our_timing.median <= best.median + ALLOWANCE
    return Result(NAME, GOAL, our_timing, best, our_timing.median / best.median, met, notes)


def _peers(a: Any, b: Any) -> tuple[list[_ClAdd], list[str]]:
    """One for each OpenCL CPU that can build the kernel, and a note for each that can't."""
    version = version_of("pyopencl")
    _show_intels_runtime()
    try:
        import pyopencl as cl
    except ImportError as error:
        raise NotMeasured(f"pyopencl does not import: {error}") from error
    try:
        platforms = cl.get_platforms()
    except cl.LogicError as error:
        raise NotMeasured(f"pyopencl finds no OpenCL platform: {error}") from error
    peers, notes = [], []
    for platform in platforms:
        for device in platform.get_devices(cl.device_type.CPU):
            label = f"{version}, {platform.name} {device.driver_version}"
            try:
                peers.append(_prepare(cl, label, device, a, b))
            except cl.Error as error:
                words = next((w for w in str(error).splitlines() if w.startswith("error")), "")
                notes.append(
                    f"no peer: {label} can't build the kernel ({words or 'no reason given'})"
                )
    if not peers:
        raise NotMeasured("; ".join(notes) or "pyopencl finds no CPU: pip install 'pyopencl[pocl]'")
    return peers, notes


def _prepare(cl: Any, label: str, device: Any, a: Any, b: Any) -> _ClAdd:
    context = cl.Context([device])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)  # Intel's runtime always says something
        kernel = cl.Kernel(cl.Program(context, _SOURCE).build(), "add")
    flags = cl.mem_flags
    buffers = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x) for x in (a, b)]
    sum_buffer = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
    kernel.set_args(*buffers, sum_buffer)
    return _ClAdd(label, cl, cl.CommandQueue(context), kernel, sum_buffer, buffers)


def _show_intels_runtime() -> None:
    """Lets the OpenCL loader find the runtime of the intel-opencl-rt wheel, which names no path."""
    if "OCL_ICD_VENDORS" in os.environ:
        return
    library = wheel_file("intel-opencl-rt", "libintelocl.so")
    if library:
        folder = tempfile.mkdtemp(prefix="opencl-vendors-")
        atexit.register(shutil.rmtree, folder)
        Path(folder, "intel.icd").write_text(f"{library}\n", encoding="utf-8")
        os.environ["OCL_ICD_VENDORS"] = folder
