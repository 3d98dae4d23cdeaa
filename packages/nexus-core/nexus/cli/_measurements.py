# SPDX-License-Identifier: Apache-2.0
"""The measurements of `nexus bench`."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from statistics import median
from typing import Any

import numpy as np

import nexus
from nexus.cli._demo_library import SOURCE
from nexus.cli.db._plot import peak_rate

_SOURCE = "bench_kernels.c"
_SECONDS = 1.2  # a measurement is repeated for this long
_FEWEST, _MOST = 5, 20_000  # calls of a measurement
_COMPILATIONS = 3
_OPERATIONS = 1024  # per work item of the kernel `rate`
_LONG_ENOUGH = 0.02  # seconds; the cost of the launch is negligible in such a run
_LARGEST_BUFFER = 256 << 20  # bytes
_C_TYPES = {"float32": "float", "float64": "double"}


@dataclass(frozen=True)
class Measurement:
    """One result.

    Attributes:
        value: in unit, which is "s", "B/s" or "FLOP/s".
        peak: the peak value in the device file; None if the file has none.
    """

    name: str
    value: float
    unit: str
    peak: float | None = None


class Bench:
    """A device with the kernels that the measurements share."""

    def __init__(self, device: nexus.Device) -> None:
        self.device = device
        self.info = device.get_info()

    @cached_property
    def library(self) -> nexus.Library:
        return self.device.load_library(self.compile(_SOURCE, REAL="float"))

    def compile(self, source: str, **defines: str) -> nexus.ObjectCode:
        """Compiles a source of this package."""
        text = files("nexus.cli").joinpath(source).read_text(encoding="utf-8")
        options = nexus.ProgramOptions(defines=defines)
        return nexus.Program(text, name=source, options=options).compile(self.device)

    def get(self, key: str) -> Any:
        """Returns a value of the device; None if it has none."""
        return self.info.get(key) if key in self.info.get_keys() else None

    @property
    def largest_buffer(self) -> int:
        """Returns a buffer size in bytes such that two buffers fit easily."""
        memory = self.get("GlobalMemorySize") or 8 * _LARGEST_BUFFER
        most = self.get("MaxBufferSize") or memory
        return max(4096, min(_LARGEST_BUFFER, int(most), int(memory) // 8) // 4096 * 4096)


def _compiling(bench: Bench, name: str) -> Measurement:
    def compile_anew() -> None:
        bench.compile(SOURCE, RUN=str(secrets.randbits(62)))  # so that it is not in the cache

    return Measurement(name, _median(compile_anew, _COMPILATIONS, _COMPILATIONS), "s")


def _from_cache(bench: Bench, name: str) -> Measurement:
    return Measurement(name, _median(lambda: bench.compile(SOURCE)), "s")


def _call(bench: Bench, name: str) -> Measurement:
    kernel = bench.library.get_kernel("empty")

    def call() -> None:
        kernel(1, grid=1)
        bench.device.synchronize()

    return Measurement(name, _median(call), "s")


def _schedule(bench: Bench, name: str) -> Measurement:
    schedule = _scheduled(bench, bench.library, "empty", 1, np.int32(1))
    return Measurement(name, _median(schedule.run), "s")


def _to_device(bench: Bench, name: str) -> Measurement:
    array = np.ones(bench.largest_buffer // 4, np.float32)
    buffer = bench.device.create_buffer(array)
    return Measurement(name, array.nbytes / _fastest(lambda: buffer.copy_from(array)), "B/s")


def _to_host(bench: Bench, name: str) -> Measurement:
    array = np.ones(bench.largest_buffer // 4, np.float32)
    buffer = bench.device.create_buffer(array)
    return Measurement(name, array.nbytes / _fastest(lambda: buffer.copy(array)), "B/s")


def _memory(bench: Bench, name: str) -> Measurement:
    count = bench.largest_buffer // 4
    source = bench.device.create_buffer(np.arange(count, dtype=np.float32))
    target = bench.device.create_buffer(count, dtype="float32")
    schedule = _scheduled(bench, bench.library, "copy", count, source, target, np.int32(count))
    seconds = _fastest(schedule.run)
    if not np.array_equal(source.numpy(), target.numpy()):
        raise nexus.NexusError(f"{bench.device.selector}: a copied buffer has other contents.")
    peak = bench.get("MemoryBandwidth")
    return Measurement(name, 2 * target.nbytes / seconds, "B/s", float(peak) if peak else None)


def _rate(data_type: str) -> Callable[[Bench, str], Measurement | None]:
    def measure(bench: Bench, name: str) -> Measurement | None:
        if data_type not in (bench.get("DataTypes") or ("float32",)):
            return None
        library = bench.device.load_library(bench.compile(_SOURCE, REAL=_C_TYPES[data_type]))
        dtype, count = np.dtype(data_type), 1 << 14
        while True:
            buffer = bench.device.create_buffer(np.ones(count, dtype))
            half = dtype.type(0.5)
            schedule = _scheduled(bench, library, "rate", count, buffer, half, np.int32(count))
            seconds = _median(schedule.run, 2, 2)
            if seconds >= _LONG_ENOUGH or 4 * buffer.nbytes > bench.largest_buffer:
                break
            count *= 4
        if not np.all(buffer.numpy() == 1):
            raise nexus.NexusError(f"{bench.device.selector}: wrong numbers in {data_type}.")
        value = count * _OPERATIONS / _fastest(schedule.run)
        return Measurement(name, value, "FLOP/s", peak_rate(bench.info, data_type))

    return measure


MEASUREMENTS: Mapping[str, Callable[[Bench, str], Measurement | None]] = {
    "compile a kernel": _compiling,
    "the same, from the cache": _from_cache,
    "call an empty kernel and wait": _call,
    "run a schedule of it and wait": _schedule,
    "host to device": _to_device,
    "device to host": _to_host,
    "device memory": _memory,
    "float32": _rate("float32"),
    "float64": _rate("float64"),
}


def _scheduled(
    bench: Bench, library: nexus.Library, kernel: str, items: int, *arguments: Any
) -> nexus.Schedule:
    schedule = bench.device.create_schedule()
    command = schedule.create_command(library.get_kernel(kernel))
    for index, argument in enumerate(arguments):
        if isinstance(argument, nexus.Buffer):
            command.set_buffer(index, argument)
        else:
            command.set_arg(index, argument)
    command.finalize(None, items)
    return schedule


def _times(call: Callable[[], object], fewest: int, most: int) -> list[float]:
    call()  # the first call may load code
    times: list[float] = []
    end = time.perf_counter() + _SECONDS
    while len(times) < fewest or (len(times) < most and time.perf_counter() < end):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


def _median(call: Callable[[], object], fewest: int = _FEWEST, most: int = _MOST) -> float:
    return median(_times(call, fewest, most))


def _fastest(call: Callable[[], object]) -> float:
    return min(_times(call, _FEWEST, _MOST))
