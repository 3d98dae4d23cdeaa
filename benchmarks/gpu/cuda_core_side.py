# SPDX-License-Identifier: Apache-2.0
"""cuda.core as a peer: finds its module, and launches a row's kernels through it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import c_side
from harness import NotMeasured, version_of


def cuda_core() -> Any:
    """Returns the module cuda.core, also from its older place. Raises NotMeasured."""
    for name in ("cuda.core", "cuda.core.experimental"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if hasattr(module, "launch"):
            return module
    raise NotMeasured("needs cuda.core: pip install cuda-core")


class CudaCoreSide:
    """Kernels of a cubin, and memory for them.

    Attributes:
        label: the name and version.
        core: the module.
    """

    def __init__(self, image: bytes, ordinal: int = 0) -> None:
        self.core = cuda_core()
        self.label = version_of("cuda-core")
        self.device = self.core.Device(ordinal)
        self.device.set_current()
        self.stream = self.device.create_stream()
        self._code = self.core.ObjectCode.from_cubin(image)

    def zeros(self, size: int) -> Any:
        """Makes a buffer of that many zero bytes."""
        buffer = self.device.allocate(size, stream=self.stream)
        self.synchronize()
        c_side.write(self.address(buffer), np.zeros(size, np.uint8))  # older versions have no fill
        return buffer

    def submit(
        self, kernel: str, arguments: Sequence[Any], groups: int = 1, items: int = 1
    ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Returns the function and the arguments that launch the kernel once."""
        config = self.core.LaunchConfig(grid=groups, block=items)
        function = self._code.get_kernel(kernel)
        return self.core.launch, (self.stream, config, function, *arguments)

    def synchronize(self) -> None:
        self.stream.sync()

    @staticmethod
    def address(buffer: Any) -> int:
        """Returns the address of a buffer."""
        return int(buffer.handle)
