# SPDX-License-Identifier: Apache-2.0
"""Calls the CUDA driver from C, in this process and on the device's primary context.

The timed loops are in the library beside this file, so that Python costs nothing in them. A
kernel's argument is an int, which is a device address, or a numpy scalar or bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["Baseline", "DriverError", "Launch", "Sizes"]

Sizes = tuple[int, int, int]
_LIBRARY = "libnexus_cuda_baseline.so"


class DriverError(RuntimeError):
    """The driver is missing, or a call of it failed; the text has the driver's error name."""


class _Launch(ctypes.Structure):
    _fields_ = (
        ("function", ctypes.c_void_p),
        ("arguments", ctypes.POINTER(ctypes.c_void_p)),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared", ctypes.c_uint32),
        ("unused", ctypes.c_uint32),
    )


class Launch:
    """A launch of a kernel, which keeps its arguments.

    Args:
        function: a result of Baseline.functions.
        grid: the number of blocks.
        block: the threads of a block.
    """

    def __init__(
        self, function: int, arguments: Sequence[Any], grid: Sizes, block: Sizes, shared: int = 0
    ) -> None:
        self._values = [_value(each) for each in arguments]
        self._pointers = (ctypes.c_void_p * max(len(self._values), 1))(
            *(ctypes.addressof(each) for each in self._values)
        )
        self.raw = _Launch(
            function,
            ctypes.cast(self._pointers, ctypes.POINTER(ctypes.c_void_p)),
            (ctypes.c_uint32 * 3)(*grid),
            (ctypes.c_uint32 * 3)(*block),
            shared,
            0,
        )


def _value(argument: Any) -> Any:
    if isinstance(argument, int):
        return ctypes.c_uint64(argument)
    raw = bytes(argument) if isinstance(argument, bytes) else argument.tobytes()
    return ctypes.create_string_buffer(raw, len(raw))


class Baseline:
    """The driver and the primary context of a device.

    Attributes:
        architecture: the compute capability, such as 90.
        stream: the stream that the functions use.
    """

    def __init__(self, ordinal: int = 0) -> None:
        self._library = ctypes.CDLL(str(Path(__file__).parent / _LIBRARY))
        self._library.baseline_error.restype = ctypes.c_char_p
        missing = ctypes.c_char_p()
        opened = self._library.baseline_open(ctypes.c_int(ordinal), ctypes.byref(missing))
        if opened:
            said = (missing.value or b"").decode(errors="replace")
            raise DriverError(f"the CUDA driver can't be used: {said or self._name(opened)}")
        major, minor = (self._attribute(number) for number in (75, 76))
        self.architecture = 10 * major + minor
        self.stream = self.create_stream()
        self._nodes: dict[int, list[int | None]] = {}  # of each graph

    def _name(self, result: int) -> str:
        name = self._library.baseline_error(ctypes.c_int(result))
        return f"{(name or b'an unknown error').decode()} ({result})"

    def _call(self, function: str, *arguments: Any) -> None:
        result = getattr(self._library, f"baseline_{function}")(*arguments)
        if result:
            raise DriverError(f"{function}: {self._name(result)}")

    def _attribute(self, number: int) -> int:
        value = ctypes.c_int()
        self._call("attribute", ctypes.c_int(number), ctypes.byref(value))
        return value.value

    def create_stream(self) -> int:
        """Makes a stream that does not wait for the default one."""
        stream = ctypes.c_void_p()
        self._call("stream", ctypes.byref(stream))
        return stream.value or 0

    def synchronize(self) -> None:
        """Waits for the stream."""
        self._call("synchronize", ctypes.c_void_p(self.stream))

    def functions(self, image: bytes, *names: str) -> list[int]:
        """Loads a cubin or PTX; returns the kernels of these names."""
        module = ctypes.c_void_p()
        self._call("module", ctypes.c_char_p(image + b"\0"), ctypes.byref(module))
        found = []
        for name in names:
            function = ctypes.c_void_p()
            self._call("function", module, ctypes.c_char_p(name.encode()), ctypes.byref(function))
            found.append(function.value or 0)
        return found

    def allocate(self, size: int) -> int:
        """Allocates device memory; returns its address."""
        address = ctypes.c_uint64()
        self._call("allocate", ctypes.c_uint64(size), ctypes.byref(address))
        return address.value

    def release(self, address: int) -> None:
        """Frees device memory."""
        self._call("release", ctypes.c_uint64(address))

    def host_allocate(self, size: int) -> int:
        """Allocates page-locked host memory; returns its address."""
        memory = ctypes.c_void_p()
        self._call("host_allocate", ctypes.c_uint64(size), ctypes.byref(memory))
        return memory.value or 0

    def host_release(self, address: int) -> None:
        """Frees page-locked memory."""
        self._call("host_release", ctypes.c_void_p(address))

    def keep_freed(self, size: int) -> None:
        """Lets the default pool keep that many freed bytes for later allocations."""
        self._call("keep_freed", ctypes.c_uint64(size))

    def copy_in(self, address: int, host: int, size: int) -> float:
        """Returns the seconds of cuMemcpyHtoD."""
        seconds = ctypes.c_double()
        self._call("copy_in", ctypes.c_uint64(address), ctypes.c_void_p(host),
                   ctypes.c_uint64(size), ctypes.byref(seconds))  # fmt: skip
        return seconds.value

    def copy_out(self, host: int, address: int, size: int) -> float:
        """Returns the seconds of cuMemcpyDtoH."""
        seconds = ctypes.c_double()
        self._call("copy_out", ctypes.c_void_p(host), ctypes.c_uint64(address),
                   ctypes.c_uint64(size), ctypes.byref(seconds))  # fmt: skip
        return seconds.value

    def copy_inside(self, to: int, source: int, size: int, times: int) -> float:
        """Returns the mean seconds of copies within the device, measured by events."""
        ms = ctypes.c_float()
        self._call("copy_inside", ctypes.c_uint64(to), ctypes.c_uint64(source),
                   ctypes.c_uint64(size), ctypes.c_uint64(times), ctypes.c_void_p(self.stream),
                   ctypes.byref(ms))  # fmt: skip
        return ms.value / 1e3 / times

    def time_allocations(self, size: int, times: int) -> float:
        """Returns the mean seconds of a cuMemAllocAsync and a cuMemFreeAsync."""
        seconds = ctypes.c_double()
        self._call("time_allocations", ctypes.c_uint64(size), ctypes.c_uint64(times),
                   ctypes.c_void_p(self.stream), ctypes.byref(seconds))  # fmt: skip
        return seconds.value / times

    def run_once(self, launches: Sequence[Launch]) -> None:
        """Runs the launches once and waits."""
        self._call("run_once", _array(launches), ctypes.c_uint64(len(launches)),
                   ctypes.c_void_p(self.stream))  # fmt: skip

    def time_launches(self, launches: Sequence[Launch], times: int) -> tuple[float, float]:
        """Returns the mean seconds until all launches are submitted, and until they are done."""
        submitted, done = ctypes.c_double(), ctypes.c_double()
        self._call("time_launches", _array(launches), ctypes.c_uint64(len(launches)),
                   ctypes.c_uint64(times), ctypes.c_void_p(self.stream), ctypes.byref(submitted),
                   ctypes.byref(done))  # fmt: skip
        return submitted.value / times, done.value / times

    def time_on_device(self, launches: Sequence[Launch], times: int) -> float:
        """Returns the mean seconds of all launches, measured by events."""
        ms = ctypes.c_float()
        self._call("time_on_device", _array(launches), ctypes.c_uint64(len(launches)),
                   ctypes.c_uint64(times), ctypes.c_void_p(self.stream),
                   ctypes.byref(ms))  # fmt: skip
        return ms.value / 1e3 / times

    def graph(self, launches: Sequence[Launch], branches: int = 1) -> int:
        """Makes an executable graph of the launches, which the caller keeps.

        Args:
            branches: each launch follows the one this many launches before it.
        """
        graph, nodes = ctypes.c_void_p(), (ctypes.c_void_p * len(launches))()
        self._call("graph", _array(launches), ctypes.c_uint64(len(launches)),
                   ctypes.c_uint64(branches), ctypes.byref(graph), nodes)  # fmt: skip
        self._nodes[graph.value or 0] = list(nodes)
        return graph.value or 0

    def loop(self, first: Launch, decide: Launch, turn: Launch) -> int:
        """Makes an executable graph of first and then, again and again, of turn.

        Args:
            decide: launched before each turn, with its argument and the loop's condition.
        """
        graph = ctypes.c_void_p()
        launches = [ctypes.byref(each.raw) for each in (first, decide, turn)]
        self._call("loop", *launches, ctypes.byref(graph))
        return graph.value or 0

    def time_graph(self, graph: int, times: int) -> tuple[float, float]:
        """Returns what time_launches does, for launches of a graph."""
        submitted, done = ctypes.c_double(), ctypes.c_double()
        self._call("time_graph", ctypes.c_void_p(graph), ctypes.c_uint64(times),
                   ctypes.c_void_p(self.stream), ctypes.byref(submitted),
                   ctypes.byref(done))  # fmt: skip
        return submitted.value / times, done.value / times

    def time_rebinding(self, graph: int, index: int, pair: Sequence[Launch], times: int) -> float:
        """Returns the mean seconds of giving a launch of a graph other arguments, and a replay.

        Args:
            index: that of the launch. It becomes pair[0] and pair[1] in turns.
        """
        submitted = ctypes.c_double()
        self._call("time_rebinding", ctypes.c_void_p(graph),
                   ctypes.c_void_p(self._nodes[graph][index]), _array(pair),
                   ctypes.c_uint64(times), ctypes.c_void_p(self.stream),
                   ctypes.byref(submitted))  # fmt: skip
        return submitted.value / times


def _array(launches: Sequence[Launch]) -> Any:
    return (_Launch * len(launches))(*(each.raw for each in launches))
