# SPDX-License-Identifier: Apache-2.0
"""Our side of the rows that add arrays: one range command, c = a + b."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import nexus
from harness import NotMeasured, our_version
from nexus._toolchain import CompilerError, build_kernel_library

_SOURCE = """
#include <nexus_kernel.h>
NEXUS_KERNEL_BOUNDED(add, (n), (NEXUS_GLOBAL const float *NEXUS_RESTRICT, a),
                     (NEXUS_GLOBAL const float *NEXUS_RESTRICT, b),
                     (NEXUS_GLOBAL float *NEXUS_RESTRICT, c), (int, n)) {
  int i = nexus_global_id(0);
  c[i] = a[i] + b[i];
}
"""


class NexusAdd:
    """The sum of two float32 arrays on the CPU, recorded and ready to be run.

    Attributes:
        label: what ran, with versions and compiler.
        a, b: the inputs as numpy arrays.
        inputs: the buffers of both.
        command: adds them.
        schedule: holds the one command.
        stream: one beside the default stream.
    """

    def __init__(self, items: int) -> None:
        self.device = nexus.get_device("cpu")
        random = np.random.default_rng(1)
        self.a = random.random(items, dtype=np.float32)
        self.b = random.random(items, dtype=np.float32)
        self._sum = self.device.create_buffer((items,), dtype="float32")
        self.schedule = self.device.create_schedule()
        kernel, compiler = build_kernel(self.device, _SOURCE, "add")
        self.label = f"{our_version()}, kernel by {compiler}"
        self.command = self.schedule.create_command(kernel)
        self.inputs = [self.device.create_buffer(self.a), self.device.create_buffer(self.b)]
        for index, buffer in enumerate([*self.inputs, self._sum]):
            self.command.set_buffer(index, buffer)
        self.command.set_arg(3, np.int32(items))
        self.command.finalize(None, items)
        self.stream = self.device.create_stream()

    def result(self) -> Any:
        """A copy of the sum."""
        host = np.empty_like(self.a)
        self._sum.copy(host)
        return host

    def views(self) -> tuple[Any, Any, Any]:
        """The memory of both inputs and of the sum, as numpy arrays."""
        a, b = self.inputs
        return np.asarray(a), np.asarray(b), np.asarray(self._sum)


def build_kernel(device: nexus.Device, source: str, name: str) -> tuple[nexus.Kernel, str]:
    """A kernel of that name, compiled for the CPU, and the compiler's name and version."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, f"{name}.so")
        try:
            compiler = build_kernel_library(source, library)
        except CompilerError as error:
            raise NotMeasured(str(error)) from error
        return device.load_library(library).get_kernel(name), compiler.version()
