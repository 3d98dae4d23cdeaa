# SPDX-License-Identifier: Apache-2.0
"""An empty kernel: a one-command schedule from Python beside cuda.core, CuPy, and a loop in C."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import c_side
from cubins import cubin
from cuda_core_side import CudaCoreSide
from cupy_side import CupySide
from harness import Contestant, Mismatch, Timing, interleave, timed_submissions
from measurement import Measurement, in_words, share
from nexus_side import GpuSide

NAME = "empty kernel"
GOAL = "(ours - C) at most half of (cuda.core - C); faster than CuPy's RawKernel"
LIMIT = 0.5
CALLS = 400
BYTES = 64


class _Sides:
    """All sides' kernels and 16 buffers; a missing peer is left out with a note."""

    def __init__(self) -> None:
        self.c = c_side.baseline()
        self.image = cubin("launches.cu", self.c.architecture)
        self.ours = GpuSide(self.image)
        self.notes: list[str] = []
        self.peers: list[CudaCoreSide | CupySide] = []
        for side in (CudaCoreSide, CupySide):
            try:
                self.peers.append(side(self.image))
            except Exception as reason:
                self.notes.append(f"without {side.__name__}: {type(reason).__name__}: {reason}")
        self.our_buffers = [self.ours.zeros(BYTES) for _ in range(16)]
        self.c_buffers = [self.c.allocate(BYTES) for _ in range(16)]
        self.peer_buffers = [[peer.zeros(BYTES) for _ in range(16)] for peer in self.peers]
        for address in self.c_buffers:
            c_side.write(address, np.zeros(BYTES // 4, np.float32))


def measure(*, smoke: bool) -> list[Measurement]:
    """With 0, 4 and 16 pointers as arguments."""
    sides = _Sides()
    for count in (4, 16):
        _compare(sides, count)
    return [_measure(sides, count, smoke) for count in (0, 4, 16)]


def _compare(sides: _Sides, count: int) -> None:
    """Checks that all sides pass arguments in order; the kernel adds its number to each."""
    kernel = f"number_{count}"
    like = np.empty(1, np.float32)
    (function,) = sides.c.functions(sides.image, kernel)
    sides.c.time_launches([c_side.launch(function, sides.c_buffers[:count])], 1)
    results = {"C": [float(c_side.read(a, like)[0]) for a in sides.c_buffers[:count]]}
    schedule = sides.ours.schedule(kernel, sides.our_buffers[:count])
    schedule.run()
    schedule.run()
    results["nexus"] = [float(b.numpy()[0]) for b in sides.our_buffers[:count]]
    for peer, buffers in zip(sides.peers, sides.peer_buffers, strict=True):
        submit, arguments = peer.submit(kernel, buffers[:count])
        with current_stream(peer):
            submit(*arguments)
            submit(*arguments)
            peer.synchronize()
        results[peer.label] = [
            float(c_side.read(peer.address(each), like)[0]) for each in buffers[:count]
        ]
    for label, values in results.items():
        if values != results["C"]:
            raise Mismatch(f"{kernel}: {label} has {values}, and C {results['C']}")


def current_stream(peer: object) -> Any:
    """Makes CuPy's stream the current one, in which it launches."""
    return peer.stream if isinstance(peer, CupySide) else contextlib.nullcontext()


def _measure(sides: _Sides, count: int, smoke: bool) -> Measurement:
    kernel = f"empty_{count}"
    calls = 20 if smoke else CALLS
    (function,) = sides.c.functions(sides.image, kernel)
    launches = [c_side.launch(function, sides.c_buffers[:count])]
    schedule = sides.ours.schedule(kernel, sides.our_buffers[:count])
    contestants = [
        Contestant(
            sides.ours.label,
            timed_submissions(
                schedule.run, (sides.ours.stream, False), sides.ours.stream.synchronize, calls
            ),
        ),
        Contestant(c_side.LABEL, lambda: float(sides.c.time_launches(launches, calls)[0])),
    ]
    for peer, buffers in zip(sides.peers, sides.peer_buffers, strict=True):
        contestants.append(Contestant(peer.label, peer_batch(peer, kernel, buffers[:count], calls)))
    timings = interleave(contestants, 3 if smoke else 101)
    return _judged(f"{NAME}, {count} arguments", sides, timings)


def peer_batch(peer: Any, kernel: str, buffers: Sequence[Any], calls: int) -> Callable[[], float]:
    """Returns a batch of a peer's launches of a kernel."""
    submit, arguments = peer.submit(kernel, buffers)
    timed = timed_submissions(submit, arguments, peer.synchronize, calls)

    def batch() -> float:
        with current_stream(peer):
            return timed()

    return batch


def _judged(name: str, sides: _Sides, timings: list[Timing]) -> Measurement:
    ours, c, *peers = timings
    by_side = dict(zip((type(peer) for peer in sides.peers), peers, strict=True))
    core, cupy = by_side.get(CudaCoreSide), by_side.get(CupySide)
    if core is None or cupy is None:
        return Measurement(
            name, GOAL, timings, notes=["not measured: a peer is missing", *sides.notes]
        )
    over, theirs = ours.median - c.median, core.median - c.median
    figure = (
        f"ours - C {in_words(over)}, cuda.core - C {in_words(theirs)}: {share(over, theirs):.3f}; "
        f"ours / CuPy {ours.median / cupy.median:.3f}"
    )
    met = over <= LIMIT * theirs and ours.median < cupy.median
    return Measurement(name, GOAL, timings, figure, met, sides.notes)
