# SPDX-License-Identifier: Apache-2.0
"""nexus.algorithms on the CPU, beside numpy, loops under OpenMP, and a product by OpenCL."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import nexus
from harness import Contestant, Mismatch, NotMeasured, Result, our_version, race, timed_calls
from nexus import algorithms
from opencl_cpu import opencl_peers
from opencl_side import OpenCLSide
from openmp import compilers
from rows import matrix_multiply
from work import Array

NAME = "algorithms"
GOAL = "beside numpy and OpenMP, see each"
OPENMP = """
void saxpy(float a, const float *restrict x, const float *restrict y, float *restrict z, int n) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) z[i] = a * x[i] + y[i];
}
float sum(const float *x, int n) {
  float total = 0;
#pragma omp parallel for simd reduction(+ : total)
  for (int i = 0; i < n; i++) total += x[i];
  return total;
}
"""
Call = Callable[[], Any]


def measure(*, smoke: bool) -> list[Result]:
    """A row for each algorithm and kind of peer."""
    repeats, exponent = (3, 16) if smoke else (21, 25)
    device, draw = nexus.get_device("cpu"), np.random.default_rng(1)
    x, y = draw.random((2, 1 << exponent), dtype=np.float32)
    buffers = [device.create_buffer(each) for each in (x, y)]
    with tempfile.TemporaryDirectory() as folder:
        loops = _loops(Path(folder))
        results = [
            *_elementwise(loops, device, buffers, repeats),
            *_sum(loops, x, buffers[0], repeats),
        ]
    results.append(_scan(x, buffers[0], repeats))
    size = 1 << min(exponent, 24)
    results.append(_sort(device, draw.integers(0, 2**32, size, dtype=np.uint32), repeats))
    results.append(_random(device, size, repeats))
    results += _matmul(device, 50 if smoke else 1024, repeats)
    return results


def _loops(folder: Path) -> list[tuple[str, ctypes.CDLL]]:
    source = folder / "loops.c"
    source.write_text(OPENMP, encoding="utf-8")
    found = []
    for compiler in compilers([]):
        library = ctypes.CDLL(str(compiler.build(source, fast_math=False)))
        library.sum.restype = ctypes.c_float
        found.append((f"OpenMP, {compiler.version()}", library))
    return found


def _elementwise(
    loops: Sequence[tuple[str, ctypes.CDLL]],
    device: nexus.Device,
    buffers: list[nexus.Buffer],
    repeats: int,
) -> list[Result]:
    x, y = (np.asarray(each) for each in buffers)
    out = device.create_buffer(x.shape)
    saxpy = algorithms.elementwise("z = a * x + y")
    memory = np.asarray(saxpy(2.5, *buffers, out=out))
    _check("elementwise", memory, 2.5 * x.astype(np.float64) + y, 1e-6)
    theirs = np.empty_like(x)
    peers = []
    for label, library in loops:
        call = _bound(library.saxpy, ctypes.c_float(2.5), x, y, theirs)
        call()
        _check(label, theirs, memory, 1e-6)
        peers.append((label, call))
    ours = lambda: saxpy(2.5, *buffers, out=out)  # noqa: E731
    return _row(f"elementwise, {_power(x)}", "OpenMP", 1 / 0.95, ours, peers, repeats)


def _sum(
    loops: Sequence[tuple[str, ctypes.CDLL]], x: Array, buffer: nexus.Buffer, repeats: int
) -> list[Result]:
    exact, out = x.sum(dtype=np.float64), algorithms.sum(buffer)
    _check("sum", out.numpy(), exact, 1e-6)
    memory = np.asarray(buffer)
    peers = [(label, _bound(library.sum, memory)) for label, library in loops]
    for label, call in peers:
        _check(label, np.asarray(call()), exact, 1e-2)
    ours = lambda: algorithms.sum(buffer, out=out)  # noqa: E731
    name = f"sum, {_power(x)}"
    numpy_rows = _row(name, "numpy", 1.0, ours, [(_numpy(), memory.sum)], repeats)
    # A call of Python's would be compared with a bound function of C. Recorded, ours is bound too.
    recorded = nexus.get_device("cpu").create_schedule()
    algorithms.sum(buffer, out=out, schedule=recorded)
    name += ", recorded"
    return numpy_rows + _row(name, "OpenMP", 1 / 0.95, recorded.run, peers, repeats)


def _scan(x: Array, buffer: nexus.Buffer, repeats: int) -> Result:
    out, theirs = algorithms.scan(buffer), np.empty_like(x)
    _check("scan", out.numpy(), x.cumsum(dtype=np.float64), 1e-5)
    ours = lambda: algorithms.scan(buffer, out=out)  # noqa: E731
    peers = [(_numpy(), lambda: np.cumsum(x, out=theirs))]
    return _row(f"scan, {_power(x)}", "numpy", 1 / 1.5, ours, peers, repeats)[0]


def _sort(device: nexus.Device, x: Array, repeats: int) -> Result:
    buffer = device.create_buffer(x)
    out = algorithms.sort(buffer)
    _check("sort", out.numpy(), np.sort(x), 0)
    ours = lambda: algorithms.sort(buffer, out=out)  # noqa: E731
    peers = [(_numpy(), lambda: np.sort(x))]
    return _row(f"sort, {_power(x)} uint32", "numpy", 1.0, ours, peers, repeats)[0]


def _random(device: nexus.Device, size: int, repeats: int) -> Result:
    generator = np.random.Generator(np.random.Philox(1))
    theirs = generator.random(size, dtype=np.float32)
    out = algorithms.random(device, size, seed=1)
    _check("random", out.numpy(), theirs, 0)
    ours = lambda: algorithms.random(device, size, key=1, out=out)  # noqa: E731
    peers = [(_numpy(), lambda: generator.random(out=theirs, dtype=np.float32))]
    return _row(f"Philox uniform, {_power(theirs)}", "numpy", 1 / 2, ours, peers, repeats)[0]


def _matmul(device: nexus.Device, size: int, repeats: int) -> list[Result]:
    work = matrix_multiply.work(size)
    a, b = (device.create_buffer(work.arrays[name]) for name in ("a", "b"))
    out = algorithms.matmul(a, b)
    work.check("matmul", {"c": out.numpy()})
    ours = lambda: algorithms.matmul(a, b, out=out)  # noqa: E731
    x, y = (work.arrays[name] for name in ("a", "b"))
    theirs = np.empty_like(x)
    peers = [(f"{_numpy()}'s BLAS", lambda: np.matmul(x, y, out=theirs))]
    name = f"matmul, {size}"
    rows = _row(name, "numpy's BLAS", float("inf"), ours, peers, repeats)
    try:
        sides, _ = opencl_peers(
            lambda runtime: OpenCLSide(work, runtime, [(16, 16, 1)], fast_math=False)
        )
    except NotMeasured as reason:
        return [*rows, Result(name, "faster than OpenCL", notes=[f"not measured: {reason}"])]
    for side in sides:
        side.run()
        work.check(side.label, side.results())
        rows += _row(name, side.label, 1.0, ours, [(side.label, side.run)], repeats)
    return rows


def _row(
    name: str,
    kind: str,
    limit: float,
    ours: Call,
    peers: Sequence[tuple[str, Call]],
    repeats: int,
) -> list[Result]:
    goal = f"at most {limit:.3g} of {kind}'s time" if limit < float("inf") else f"beside {kind}"
    if not peers:
        return [Result(name, goal, notes=["not measured: there is no compiler with OpenMP"])]
    sides = [(our_version(), ours), *peers]
    contestants = [Contestant(label, timed_calls(call, (), 1)) for label, call in sides]
    return [race(name, goal, contestants, repeats, limit=limit)]


def _check(label: str, found: Array, expected: Any, tolerance: float) -> None:
    if not np.allclose(found, expected, rtol=tolerance, atol=0):
        raise Mismatch(f"{label} differs from the expected result")


def _bound(function: Any, *arguments: Any) -> Call:
    values = [
        ctypes.c_void_p(each.ctypes.data) if isinstance(each, np.ndarray) else each
        for each in arguments
    ]
    size = next(each.size for each in arguments if isinstance(each, np.ndarray))
    return lambda: function(*values, ctypes.c_int(size))


def _numpy() -> str:
    return f"numpy {np.__version__}"


def _power(x: Array) -> str:
    return f"2^{x.size.bit_length() - 1}"
