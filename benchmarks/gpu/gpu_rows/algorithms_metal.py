# SPDX-License-Identifier: Apache-2.0
"""nexus.algorithms on an Apple GPU beside MLX and PyTorch's MPS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import nexus
from harness import Contestant, Mismatch, NotMeasured, interleave, our_version, timed_calls
from measurement import Measurement
from mps_sides import Peer, peers
from nexus import algorithms
from nexus_side import gpu

NAME = "algorithms, Metal"
GOAL = "shown beside MLX and PyTorch's MPS"

Record = Callable[[nexus.Schedule], Any]


def measure(*, smoke: bool) -> Iterator[Measurement]:
    """Times of blocking calls, after the results were compared with numpy's."""
    device, draw = gpu(), np.random.default_rng(1)
    others, notes = peers()
    if not others:
        raise NotMeasured("; ".join(notes))
    x, y = draw.random((2, 1 << (14 if smoke else 26)), dtype=np.float32)
    keys = draw.integers(0, 2**31, 1 << (14 if smoke else 24), np.int32)
    a, b = draw.random((2, 64, 64) if smoke else (2, 2048, 2048), dtype=np.float32)
    one = np.ones(1, np.float32)
    saxpy = algorithms.elementwise("z = a * x + y")
    add, product = np.add(2.5 * x, y), a @ b
    # What is measured, its operands, our recording, and numpy's result.
    rows: list[tuple[str, str, tuple[Any, ...], Callable[..., Any], Any]] = [
        ("elementwise", "of 1 float", (one, one), lambda s, u, v: saxpy(2.5, u, v, schedule=s),
         np.array([3.5], np.float32)),
        ("elementwise", f"of {x.size} floats", (x, y),
         lambda s, u, v: saxpy(2.5, u, v, schedule=s), add),
        ("sum", f"of {x.size} floats", (x,), lambda s, u: algorithms.sum(u, schedule=s),
         np.sum(x, dtype=np.float64)),
        ("sort", f"of {keys.size} int32", (keys,), lambda s, u: algorithms.sort(u, schedule=s),
         np.sort(keys)),
        ("matmul", f"of {len(a)} x {len(a)} floats", (a, b),
         lambda s, u, v: algorithms.matmul(u, v, schedule=s), product),
    ]  # fmt: skip
    for work, size, operands, record, expected in rows:
        sides = [_ours(device, record, operands)]
        sides += [(peer.label, *_theirs(peer, work, operands)) for peer in others]
        for label, call, result in sides:
            call()
            if not np.allclose(result(), expected, rtol=1e-3):
                raise Mismatch(f"{work} {size}: {label} differs from numpy")
        calls = 2 if smoke else 10
        contestants = [Contestant(label, timed_calls(call, (), calls)) for label, call, _ in sides]
        ours, *timings = interleave(contestants, 3 if smoke else 15)
        ratios = [
            f"ours / {each.label.split()[0]} {ours.median / each.median:.3f}" for each in timings
        ]
        figure = "; ".join(ratios)
        yield Measurement(f"{NAME}: {work} {size}", GOAL, [ours, *timings], figure, notes=notes)


Side = tuple[str, Callable[[], Any], Callable[[], Any]]  # its label, a blocking call, its result


def _ours(device: nexus.Device, record: Callable[..., Any], operands: tuple[Any, ...]) -> Side:
    schedule = device.create_schedule()
    result = record(schedule, *(device.create_buffer(each) for each in operands))
    return our_version(), schedule.run, lambda: result.numpy()


def _theirs(
    peer: Peer, work: str, operands: tuple[Any, ...]
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    arrays = [peer.array(each) for each in operands]
    function = peer.functions[work]
    return lambda: peer.finish(function(*arrays)), lambda: peer.numpy(function(*arrays))
