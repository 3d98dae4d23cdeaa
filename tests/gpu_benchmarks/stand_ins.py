# SPDX-License-Identifier: Apache-2.0
"""What the rows call where there is no GPU: the baseline in host memory, kernels for the CPU.

They show that each row runs to its end and finds results that differ. Their times mean nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import nexus
from nexus_cuda_baseline import Launch

_POINTERS = "".join(f", (NEXUS_GLOBAL float *, p{i})" for i in range(16))
_STORES = "".join(f"p{i}[0] += {i + 1};" for i in range(16))
KERNELS = f"""
NEXUS_KERNEL(empty_0) {{}}
NEXUS_KERNEL(empty_4, {_POINTERS.split("p4")[0][2:].rpartition(", (")[0]}) {{}}
NEXUS_KERNEL(empty_16{_POINTERS}) {{}}
NEXUS_KERNEL(number_4, {_POINTERS.split("p4")[0][2:].rpartition(", (")[0]}) {{
  {_STORES.split("p4")[0]}
}}
NEXUS_KERNEL(number_16{_POINTERS}) {{ {_STORES} }}
NEXUS_KERNEL_BOUNDED(add_to, (n), (NEXUS_GLOBAL float *, x), (NEXUS_GLOBAL const float *, y),
                     (int, n)) {{
  x[nexus_global_id(0)] += y[nexus_global_id(0)];
}}
NEXUS_KERNEL_BOUNDED(add_vectors, (n), (NEXUS_GLOBAL const nexus_float4 *, a),
                     (NEXUS_GLOBAL const nexus_float4 *, b), (NEXUS_GLOBAL nexus_float4 *, c),
                     (int, n)) {{
  c[nexus_global_id(0)] = a[nexus_global_id(0)] + b[nexus_global_id(0)];
}}
NEXUS_KERNEL(start_count, (NEXUS_GLOBAL int *, left), (int, turns)) {{ *left = turns; }}
NEXUS_KERNEL(count_down, (NEXUS_GLOBAL int *, left)) {{ --*left; }}
NEXUS_KERNEL(scale, (NEXUS_GLOBAL float *, x), (int, turns), (int, n)) {{
  for (int i = nexus_global_id(0); i < n; i += nexus_launch_size(0)) x[i] = x[i] * 1.0001f + 1;
}}
"""


def cpu_code(file: str, architecture: int) -> bytes:
    """In place of cubins.cubin: the same kernels for the CPU."""
    assert (file, architecture) == ("launches.cu", 90)
    return nexus.Program(KERNELS, name="stand-ins.c").compile("cpu").code


def _floats(address: int, count: int) -> Any:
    return np.ctypeslib.as_array((ctypes.c_float * count).from_address(address))


def _store(address: int, value: int) -> None:
    ctypes.c_int.from_address(address).value = value


def _number(values: Sequence[int]) -> None:
    for number, address in enumerate(values, start=1):
        _floats(address, 1)[0] += number


def _add_to(values: Sequence[int]) -> None:
    x, y, count = values
    _floats(x, count)[:] += _floats(y, count)


def _vector_add(values: Sequence[int]) -> None:
    a, b, c, quarter = values
    _floats(c, 4 * quarter)[:] = _floats(a, 4 * quarter) + _floats(b, 4 * quarter)


_KERNELS: list[tuple[str, Callable[[Sequence[int]], None]]] = [
    ("number_4", _number),
    ("number_16", _number),
    ("add_to", _add_to),
    ("add_vectors", _vector_add),
    ("empty_0", lambda values: None),
    ("empty_4", lambda values: None),
    ("empty_16", lambda values: None),
    ("start_count", lambda values: _store(values[0], values[1])),
    ("count_down", lambda values: _store(values[0], 0)),  # as after all turns
    ("decide", lambda values: None),
]


class StandInBaseline:
    """A nexus_cuda_baseline.Baseline whose device is this process.

    Attributes:
        loses: whether launches do nothing, as a peer that computes wrong.
    """

    architecture = 90
    stream = 1
    seconds = 1e-6

    def __init__(self) -> None:
        self.loses = False
        self._memory: dict[int, Any] = {}
        self._graphs: list[Sequence[Launch]] = []

    def functions(self, image: bytes, *names: str) -> list[int]:
        known = [name for name, _ in _KERNELS]
        return [known.index(name) + 1 for name in names]

    def allocate(self, size: int) -> int:
        memory = np.zeros(size, np.uint8)
        self._memory[memory.ctypes.data] = memory
        return int(memory.ctypes.data)

    def release(self, address: int) -> None:
        del self._memory[address]

    host_allocate, host_release = allocate, release

    def keep_freed(self, size: int) -> None:
        assert size > 0

    def copy_in(self, address: int, host: int, size: int) -> float:
        ctypes.memmove(address, host, size)
        return self.seconds

    def copy_out(self, host: int, address: int, size: int) -> float:
        ctypes.memmove(host, address, size)
        return self.seconds

    def copy_inside(self, to: int, source: int, size: int, times: int) -> float:
        ctypes.memmove(to, source, size)
        return self.seconds

    def time_allocations(self, size: int, times: int) -> float:
        return self.seconds

    def run_once(self, launches: Sequence[Launch]) -> None:
        for launch in () if self.loses else launches:
            values = [int.from_bytes(bytes(each), "little") for each in launch._values]
            _KERNELS[launch.raw.function - 1][1](values)

    def time_launches(self, launches: Sequence[Launch], times: int) -> tuple[float, float]:
        for _ in range(1 + times):
            self.run_once(launches)
        return self.seconds, self.seconds

    def time_on_device(self, launches: Sequence[Launch], times: int) -> float:
        return self.time_launches(launches, times)[0]

    def graph(self, launches: Sequence[Launch], branches: int = 1) -> int:
        self._graphs.append(launches)
        return len(self._graphs)

    def loop(self, first: Launch, decide: Launch, turn: Launch) -> int:
        return self.graph([first, decide, turn])

    def time_graph(self, graph: int, times: int) -> tuple[float, float]:
        return self.time_launches(self._graphs[graph - 1], times)

    def time_rebinding(self, graph: int, index: int, pair: Sequence[Launch], times: int) -> float:
        for turn in range(times):
            launches = list(self._graphs[graph - 1])
            launches[index] = pair[turn % 2]
            self.run_once(launches)
        return self.seconds
