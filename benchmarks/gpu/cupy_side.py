# SPDX-License-Identifier: Apache-2.0
"""CuPy as a peer: launches a row's kernels as a RawKernel."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from harness import NotMeasured


def cupy() -> Any:
    """Returns the module. Raises NotMeasured."""
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise NotMeasured("needs CuPy: pip install cupy-cuda13x, or cupy-rocm-7-0") from error


class CupySide:
    """Kernels of a cubin, and memory for them.

    Attributes:
        label: the name and version.
        cupy: the module.
    """

    def __init__(self, image: bytes) -> None:
        self.cupy = cupy()
        self.label = f"cupy {self.cupy.__version__}, RawKernel"
        self.stream = self.cupy.cuda.Stream(non_blocking=True)
        self._folder = tempfile.TemporaryDirectory()  # read at a kernel's first launch
        file = Path(self._folder.name) / "kernels.cubin"
        file.write_bytes(image)
        self._module = self.cupy.RawModule(path=str(file))

    def zeros(self, size: int) -> Any:
        """Makes an array of that many zero bytes as float32."""
        array = self.cupy.zeros(size // 4, dtype="float32")
        self.cupy.cuda.Device().synchronize()
        return array

    def submit(
        self, kernel: str, arguments: Sequence[Any], groups: int = 1, items: int = 1
    ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Returns a function and arguments that launch the kernel once in the current stream."""
        function = self._module.get_function(kernel)
        return function, ((groups,), (items,), tuple(arguments))

    def synchronize(self) -> None:
        self.stream.synchronize()

    def first_value(self, array: Any) -> float:
        """Returns the first value of an array."""
        return float(array[0])

    @staticmethod
    def address(array: Any) -> int:
        """Returns the address of an array."""
        return int(array.data.ptr)
