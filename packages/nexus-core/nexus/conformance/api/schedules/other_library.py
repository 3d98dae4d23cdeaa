# SPDX-License-Identifier: Apache-2.0
"""Submits work to a stream as another library would, with the driver's own functions."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

import nexus
from nexus.conformance._applies import not_applicable


class OtherLibrary:
    """Another library of this process, on one device of CUDA or HIP."""

    def __init__(self, device: nexus.Device) -> None:
        backend = device.runtime.name
        if backend not in ("cuda", "hip"):
            not_applicable(f"the suite has no driver calls for {backend}")
        self._device = device
        self._is_cuda = backend == "cuda"
        named = os.environ.get(f"NEXUS_{backend.upper()}_DRIVER", "").split(":")[0]
        self._driver = ctypes.CDLL(named or ("libcuda.so.1" if self._is_cuda else "libamdhip64.so"))

    def fill(self, stream: nexus.Stream, buffer: nexus.Buffer, value: int) -> None:
        """Sets the 32-bit elements of a buffer."""
        count = ctypes.c_size_t(buffer.nbytes // 4)
        address = ctypes.c_void_p(buffer.native_handle)
        with self._current():
            self._call("MemsetD32Async", address, ctypes.c_uint32(value), count, _handle(stream))

    def synchronize(self, stream: nexus.Stream) -> bool:
        """Waits for the stream, which fails during a capture. Returns whether it succeeded."""
        with self._current():
            return self._result("StreamSynchronize", _handle(stream)) == 0

    def allocate(self, stream: nexus.Stream) -> None:
        """Allocates memory in stream order."""
        memory = ctypes.c_void_p()
        name = "MemAllocAsync" if self._is_cuda else "MallocAsync"
        if not hasattr(self._driver, f"cu{name}" if self._is_cuda else f"hip{name}"):
            not_applicable("the driver has no memory in the order of streams")
        with self._current():
            self._call(name, ctypes.byref(memory), ctypes.c_size_t(64), _handle(stream))

    @contextmanager
    def stream(self) -> Iterator[int]:
        """Creates a stream, and gives its handle."""
        handle = ctypes.c_void_p()
        name = "StreamCreateWithPriority"
        with self._current():
            self._call(name, ctypes.byref(handle), ctypes.c_uint(1), 0)  # 1: non-blocking
        yield handle.value or 0
        with self._current():
            self._call("StreamDestroy_v2" if self._is_cuda else "StreamDestroy", handle)

    @contextmanager
    def _current(self) -> Iterator[None]:
        """Makes the device current on this thread."""
        number = self._device.native_handle
        if not self._is_cuda:
            self._call("SetDevice", number)
            yield
            return
        context = ctypes.c_void_p()
        self._call("DevicePrimaryCtxRetain", ctypes.byref(context), number)
        self._call("CtxPushCurrent_v2", context)
        yield
        self._call("CtxPopCurrent_v2", ctypes.byref(context))
        self._call("DevicePrimaryCtxRelease_v2", number)

    def _result(self, name: str, *arguments: object) -> int:
        function = getattr(self._driver, f"{'cu' if self._is_cuda else 'hip'}{name}")
        return int(function(*arguments))

    def _call(self, name: str, *arguments: object) -> None:
        result = self._result(name, *arguments)
        assert result == 0, f"{name} returned {result}"


def _handle(stream: nexus.Stream) -> ctypes.c_void_p:
    return ctypes.c_void_p(stream.native_handle)
