# SPDX-License-Identifier: Apache-2.0
"""An empty kernel on an AMD GPU: a one-command schedule beside HIP Python and CuPy for ROCm."""

from __future__ import annotations

from cupy_side import CupySide
from gpu_rows.launch import BYTES, CALLS, current_stream, peer_batch
from harness import Contestant, Mismatch, NotMeasured, interleave, timed_submissions
from hip_python_side import HipPythonSide, code_object
from measurement import Measurement
from nexus_side import GpuSide, gpu

NAME = "empty kernel, HIP"
GOAL = "faster than HIP Python's hipModuleLaunchKernel and CuPy's RawKernel"


class _Sides:
    """Kernels and 16 buffers of each side. HIP Python compiles; CuPy is left out with a note."""

    def __init__(self) -> None:
        device = gpu()
        if not device.selector.startswith("hip:"):
            raise NotMeasured("needs an AMD GPU, as --device hip:0")
        about = [device.get_property_str(key) for key in ("Name", "Architecture", "Version")]
        self.notes = [f"{about[0]}, {about[1]}, HIP {about[2]}"]
        image = code_object("launches.cu")
        self.ours = GpuSide(image)
        self.peers: list[HipPythonSide | CupySide] = [HipPythonSide(image)]
        try:
            self.peers.append(CupySide(image))
        except Exception as reason:
            self.notes.append(f"without CuPy: {type(reason).__name__}: {reason}")
        self.our_buffers = [self.ours.zeros(BYTES) for _ in range(16)]
        self.peer_buffers = [[peer.zeros(BYTES) for _ in range(16)] for peer in self.peers]


def measure(*, smoke: bool) -> list[Measurement]:
    """With 0, 4 and 16 pointers as arguments."""
    sides = _Sides()
    _compare(sides)
    return [_measure(sides, count, smoke) for count in (0, 4, 16)]


def _compare(sides: _Sides) -> None:
    """Checks that all sides pass arguments in order; the kernel adds its number to each."""
    sides.ours.schedule("number_16", sides.our_buffers).run()
    results = {"nexus": [float(each.numpy()[0]) for each in sides.our_buffers]}
    for peer, buffers in zip(sides.peers, sides.peer_buffers, strict=True):
        submit, arguments = peer.submit("number_16", buffers)
        with current_stream(peer):
            submit(*arguments)
            peer.synchronize()
        results[peer.label] = [peer.first_value(each) for each in buffers]
    for label, values in results.items():
        if values != list(range(1, 17)):
            raise Mismatch(f"number_16: {label} has {values}, and not 1 to 16")


def _measure(sides: _Sides, count: int, smoke: bool) -> Measurement:
    kernel, calls = f"empty_{count}", 20 if smoke else CALLS
    run = sides.ours.schedule(kernel, sides.our_buffers[:count]).run
    stream = sides.ours.stream
    ours = timed_submissions(run, (stream, False), stream.synchronize, calls)
    contestants = [Contestant(sides.ours.label, ours)]
    for peer, buffers in zip(sides.peers, sides.peer_buffers, strict=True):
        contestants.append(Contestant(peer.label, peer_batch(peer, kernel, buffers[:count], calls)))
    timings = interleave(contestants, 3 if smoke else 101)
    ratios = {peer.label: timings[0].median / peer.median for peer in timings[1:]}
    figure = "; ".join(f"ours / {label.split()[0]} {ratio:.3f}" for label, ratio in ratios.items())
    met = max(ratios.values()) < 1 if len(ratios) == 2 else None
    return Measurement(f"{NAME}, {count} arguments", GOAL, timings, figure, met, sides.notes)
