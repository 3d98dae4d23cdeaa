# SPDX-License-Identifier: Apache-2.0
"""Arrays and streams of a library for GPUs that is not there: their memory is numpy's."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from dlpack_reader import Producer

import nexus

CUDA, CUDA_HOST, CUDA_MANAGED, ROCM = 2, 3, 13, 10


class DlpackArray(Producer):
    """An array with DLPack in a device's memory; it lives while a consumer has its tensor."""

    _taken: ClassVar[set[DlpackArray]] = set()

    def __init__(self, array: Any, device: tuple[int, int] = (CUDA, 0), **options: Any) -> None:
        self.array = array
        super().__init__(
            array.ctypes.data, options.pop("shape", array.shape), device=device, **options
        )

    def __dlpack__(self, **arguments: Any) -> Any:
        capsule = super().__dlpack__(**arguments)
        self._taken.add(self)
        return capsule

    def _delete(self, address: int) -> None:
        super()._delete(address)
        self._taken.discard(self)


class CudaArray:
    """An array with __cuda_array_interface__ and nothing else, as numba's."""

    def __init__(self, array: Any, **entries: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (array.ctypes.data, False),
            "version": 3, **entries,
        }  # fmt: skip


class BufferProtocolArray(bytearray):
    """An array like CuPy's, which has the buffer protocol too, though the host can't see it."""

    def __init__(self, array: Any) -> None:
        super().__init__()
        self.__cuda_array_interface__ = CudaArray(array).__cuda_array_interface__
        self._tensor = DlpackArray(array)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()

    def __dlpack__(self, **arguments: Any) -> Any:
        return self._tensor.__dlpack__(**arguments)


class CudaStream:
    """A stream with __cuda_stream__, as CuPy's and torch's."""

    def __init__(self, handle: int, version: int = 0) -> None:
        self.handle = handle
        self.version = version

    def __cuda_stream__(self) -> tuple[int, int]:
        return self.version, self.handle


def floats(count: int = 16) -> Any:
    """0.0, 1.0, 2.0 ..."""
    return np.arange(count, dtype=np.float32)


def slow_fill(device: nexus.Device, buffer: nexus.Buffer, value: float) -> nexus.Stream:
    """A stream in which the buffer gets a value, after work that takes a while."""
    stream = device.create_stream()
    large = device.create_buffer(32 << 20)
    for _ in range(4):
        large.fill(1, stream=stream, blocking=False)
    buffer.fill(value, stream=stream, blocking=False)
    return stream
