# SPDX-License-Identifier: Apache-2.0
"""CuPy as a peer: what a row launches through a RawKernel."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from harness import NotMeasured


def cupy() -> Any:
    """The module. Raises NotMeasured."""
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise NotMeasured("needs CuPy: pip install cupy-cuda13x") from error


class CupySide:
    """Kernels of one cubin, and memory that they work on.

    Attributes:
        label: with the version.
        cupy: the module.
        stream: its own.
    """

    def __init__(self, image: bytes) -> None:
        self.cupy = cupy()
        self.label = f"cupy {self.cupy.__version__}, RawKernel"
        self.stream = self.cupy.cuda.Stream(non_blocking=True)
        self._folder = tempfile.TemporaryDirectory()  # read when a kernel is first launched
        file = Path(self._folder.name) / "kernels.cubin"
        file.write_bytes(image)
        self._module = self.cupy.RawModule(path=str(file))

    def zeros(self, size: int) -> Any:
        """An array of so many bytes as float32, all 0."""
        array = self.cupy.zeros(size // 4, dtype="float32")
        self.cupy.cuda.Device().synchronize()
        return array

    def submit(
        self, kernel: str, arguments: Sequence[Any], groups: int = 1, items: int = 1
    ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The function and the arguments that launch it once, in CuPy's current stream."""
        function = self._module.get_function(kernel)
        return function, ((groups,), (items,), tuple(arguments))

    def synchronize(self) -> None:
        """Waits for the stream."""
        self.stream.synchronize()

    @staticmethod
    def address(array: Any) -> int:
        """Where an array's memory is."""
        return int(array.data.ptr)
