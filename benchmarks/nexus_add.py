# SPDX-License-Identifier: Apache-2.0
"""Our side of the rows that add arrays: one range command, c = a + b."""

from __future__ import annotations

from typing import Any

import numpy as np

import nexus
from harness import our_version
from our_side import compiled
from work import KERNELS


class NexusAdd:
    """The sum of two float32 arrays on the CPU, recorded and ready to run.

    Attributes:
        label: what runs, with versions and compiler.
        a, b: the inputs as numpy arrays.
        inputs, sum: the buffers of both, and of the result.
        stream: a stream beside the default one.
    """

    def __init__(self, items: int) -> None:
        self.device = nexus.get_device("cpu")
        random = np.random.default_rng(1)
        self.a = random.random(items, dtype=np.float32)
        self.b = random.random(items, dtype=np.float32)
        self.sum = self.device.create_buffer((items,), dtype="float32")
        self.schedule = self.device.create_schedule()
        library, compiler = compiled(nexus.Program(KERNELS / "vector_add.c"), self.device)
        self.label = f"{our_version()}, kernel by {compiler}"
        self.kernel = library.get_kernel("vector_add")
        self.command = self.schedule.create_command(self.kernel)
        self.inputs = [self.device.create_buffer(self.a), self.device.create_buffer(self.b)]
        for index, buffer in enumerate([*self.inputs, self.sum]):
            self.command.set_buffer(index, buffer)
        self.command.set_arg(3, np.int32(items))
        self.command.finalize(None, items)
        self.stream = self.device.create_stream()

    def result(self) -> Any:
        """Returns a copy of the sum."""
        host = np.empty_like(self.a)
        self.sum.copy(host)
        return host
