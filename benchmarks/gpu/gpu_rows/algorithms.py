# SPDX-License-Identifier: Apache-2.0
"""nexus.algorithms beside the device's copy, CuPy's algorithms (CUB) and its product (cuBLAS)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import nexus
from cupy_side import cupy
from harness import Contestant, Mismatch, interleave, our_version
from measurement import Measurement
from nexus import algorithms
from nexus_side import gpu, stream_seconds

NAME = "algorithms"
GOAL = "a share of the speed of the copy within the device, or of CuPy's"
TIMES = 3  # runs between two events

Record = Callable[[nexus.Schedule], Any]


def measure(*, smoke: bool) -> Iterator[Measurement]:
    """Measures times on the device, after the results were compared."""
    device, cp, draw = gpu(), cupy(), np.random.default_rng(1)
    tile = draw.random((2, 1 << 20), dtype=np.float32)
    x, y = (device.create_buffer(np.tile(each, 1 if smoke else 256)) for each in tile)
    z, total = device.create_buffer(x.shape), device.create_buffer(())
    keys = device.create_buffer(draw.integers(0, 2**32, 1 << (18 if smoke else 26), np.uint32))
    ordered = device.create_buffer(keys.shape, "uint32")
    a, b, c = (device.create_buffer((1024, 1024)) for _ in range(3))
    for each, values in ((a, tile[0]), (b, tile[1])):
        each.copy_from(values.reshape(1024, 1024))
    u, v, w, k, o, m, n, p = map(cp.from_dlpack, (x, y, z, keys, ordered, a, b, c))
    saxpy = algorithms.elementwise("z = a * x + y")
    cumsum = cp.empty_like(w)
    # What is measured, ours, the peer, both results, and the least share of the peer's speed; an
    # expression moves 3 arrays where a copy moves 2.
    rows: list[tuple[str, Record, Callable[[], Any], Any, Callable[[], Any], float]] = [
        ("elementwise of 2^28 floats", lambda s: saxpy(2.5, x, y, out=z, schedule=s),
         lambda: cp.copyto(cumsum, u), w, lambda: 2.5 * u + v, 0.92 * 2 / 3),
        ("sum of 2^28 floats", lambda s: algorithms.sum(x, out=total, schedule=s),
         lambda: cp.sum(u), cp.from_dlpack(total), lambda: cp.sum(u), 0.9),
        ("scan of 2^28 floats", lambda s: algorithms.scan(x, out=z, schedule=s),
         lambda: cp.cumsum(u, out=cumsum), w, lambda: cp.cumsum(u), 0.8),
        ("sort of 2^26 uint32", lambda s: algorithms.sort(keys, out=ordered, schedule=s),
         lambda: cp.sort(k), o, lambda: cp.sort(k), 0.7),
        ("matmul of 1 024 x 1 024 floats", lambda s: algorithms.matmul(a, b, out=c, schedule=s),
         lambda: cp.matmul(m, n), p, lambda: cp.matmul(m, n), 0.0),
    ]  # fmt: skip
    stream, theirs = device.create_stream(), peers_stream(cp, device)
    for name, record, peer, result, expected, least in rows:
        schedule = device.create_schedule()
        record(schedule)
        schedule.run(stream)
        if not bool(cp.allclose(result, expected(), rtol=1e-4)):
            raise Mismatch(f"{name}: the result differs from CuPy's")
        run = lambda schedule=schedule: schedule.run(stream, False)  # noqa: E731
        sides = [(our_version(), stream, run), (f"cupy {cp.__version__}", theirs, peer)]
        contestants = [
            Contestant(label, lambda on=on, call=call: stream_seconds(on, call, TIMES))  # type: ignore[misc]
            for label, on, call in sides
        ]
        ours, other = interleave(contestants, 3 if smoke else 11)
        share = other.median / ours.median
        goal = f"at least {least:.3f} of the peer's speed" if least else "shown beside cuBLAS"
        figure = f"{share:.3f} of the peer's speed"
        yield Measurement(f"{NAME}: {name}", goal, [ours, other], figure, share >= least)


def peers_stream(cp: Any, device: nexus.Device) -> nexus.Stream:
    """Makes CuPy work in a stream of its own, and returns a stream over that."""
    stream = cp.cuda.Stream(non_blocking=True)
    stream.use()
    return device.create_stream(foreign=stream)
