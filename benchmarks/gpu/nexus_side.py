# SPDX-License-Identifier: Apache-2.0
"""Our side of the rows: kernels of a cubin, and schedules that launch them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import c_side
import nexus
from cubins import cubin
from harness import NotMeasured, our_version
from hip_python_side import code_object


def gpu() -> nexus.Device:
    """Returns the device to measure: `cuda:0`, or that of NEXUS_GPU_DEVICE.

    Raises:
        NotMeasured: there is no such device.
    """
    selector = os.environ.get("NEXUS_GPU_DEVICE", "cuda:0")
    try:
        return nexus.get_device(selector)
    except nexus.NexusError as error:
        raise NotMeasured(f"no {selector}: {error}") from error


def image(file: str) -> bytes:
    """Returns the code of a file in gpu_kernels for the device, on HIP by HIP Python. Raises
    NotMeasured."""
    if gpu().selector.startswith("hip:"):
        return code_object(file)
    return cubin(file, c_side.baseline().architecture)


class GpuSide:
    """Kernels of a cubin on our device."""

    def __init__(self, image: bytes) -> None:
        self.label = our_version()
        self.device = gpu()
        self.stream = self.device.create_stream()
        self.library = self.device.load_library(image)

    def zeros(self, size: int) -> nexus.Buffer:
        """Makes a buffer of that many zero bytes as float32."""
        buffer = self.device.create_buffer(size // 4, dtype="float32")
        buffer.fill(0)
        return buffer

    def schedule(
        self,
        kernel: str,
        arguments: Sequence[Any],
        groups: int = 1,
        items: int = 1,
        *,
        times: int = 1,
    ) -> nexus.Schedule:
        """Records and prepares a schedule that launches the kernel `times` times."""
        schedule = self.device.create_schedule()
        function = self.library.get_kernel(kernel)
        for _ in range(times):
            schedule.create_command(function, arguments, items, groups * items)
        schedule.prepare(self.stream)
        return schedule

    def device_seconds(self, schedule: nexus.Schedule, times: int) -> float:
        """Returns the mean seconds of a run, measured by events."""
        return stream_seconds(self.stream, lambda: schedule.run(self.stream, False), times)


def stream_seconds(stream: nexus.Stream, submit: Callable[[], Any], times: int) -> float:
    """Returns the mean seconds of a submission's work, measured by events.

    As many submissions go before, so that the device does not wait for the host between the events.
    """
    submit()
    stream.synchronize()
    for _ in range(times):
        submit()
    start = stream.record()
    for _ in range(times):
        submit()
    end = stream.record()
    end.wait(timeout=120)
    return end.elapsed_ms(start) / 1e3 / times
