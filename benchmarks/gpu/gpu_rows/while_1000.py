# SPDX-License-Identifier: Apache-2.0
"""A loop of 1 000 turns on the device beside the same conditional graph in C."""

from __future__ import annotations

import numpy as np

import c_side
from cubins import cubin
from gpu_rows.schedule_100 import until_done
from harness import Contestant, Mismatch, NotMeasured, interleave
from measurement import Measurement
from nexus_side import GpuSide

NAME = "a while command of 1 000 turns"
GOAL = "at most 1.05 times the same conditional graph in C"
FACTOR = 1.05
TURNS = 1000

# Sets a loop's condition to the number in memory.
DECIDE = b"""
.version 6.0
.target sm_50
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 condition, .param .b32 number);
.visible .entry decide(.param .u64 left, .param .u64 condition)
{
  .reg .b32 %number;
  .reg .b64 %at, %condition;
  .param .b64 to;
  .param .b32 is;
  ld.param.u64 %at, [left];
  ld.param.u64 %condition, [condition];
  ld.volatile.global.u32 %number, [%at];
  st.param.b64 [to], %condition;
  st.param.b32 [is], %number;
  call.uni cudaGraphSetConditional, (to, is);
  ret;
}
"""


class _Sides:
    def __init__(self) -> None:
        self.c = c_side.baseline()
        code = cubin("launches.cu", self.c.architecture)
        self.ours = GpuSide(code)
        self.left = self.ours.device.create_buffer(1, dtype="int32")
        kernels = [self.ours.library.get_kernel(name) for name in ("start_count", "count_down")]
        self.schedule, body = (self.ours.device.create_schedule() for _ in range(2))
        self.schedule.create_command(kernels[0], (self.left, np.int32(TURNS)), 1, 1)
        body.create_command(kernels[1], (self.left,), 1, 1)
        command = self.schedule.create_while_command(self.left, body)
        self.notes = [f"Replay is {command.get_property_str('Replay')}"]
        self.schedule.prepare(self.ours.stream)
        one = (1, 1, 1)
        self.c_left = self.c.allocate(4)
        functions = self.c.functions(code, "start_count", "count_down")
        (decide,) = self.c.functions(DECIDE, "decide")
        try:
            self.graph = self.c.loop(
                c_side.launch(functions[0], (self.c_left, np.int32(TURNS)), one, one),
                c_side.launch(decide, (self.c_left,), one, one),
                c_side.launch(functions[1], (self.c_left,), one, one),
            )
        except RuntimeError as reason:
            raise NotMeasured(f"the driver has no loops: {reason}") from reason


def measure(*, smoke: bool) -> list[Measurement]:
    """Times a run until it is done."""
    sides = _Sides()
    _compare(sides)
    ours, c = sides.ours, sides.c
    done = until_done(lambda: sides.schedule.run(ours.stream, False), ours.stream.synchronize)
    timings = interleave(
        [
            Contestant(ours.label, done),
            Contestant("C, cuGraphLaunch", lambda: float(c.time_graph(sides.graph, 1)[1])),
        ],
        3 if smoke else 51,
    )
    ratio = timings[0].median / timings[1].median
    return [
        Measurement(f"{NAME}, until done", GOAL, timings, f"ours / C {ratio:.3f}", ratio <= FACTOR,
                    sides.notes)
    ]  # fmt: skip


def _compare(sides: _Sides) -> None:
    """Checks that each side counts down to 0."""
    sides.left.fill(-1)
    sides.schedule.run()
    c_side.write(sides.c_left, np.full(1, -1, np.int32))
    sides.c.time_graph(sides.graph, 1)
    left = {"nexus": sides.left.numpy()}
    left["C"] = c_side.read(sides.c_left, left["nexus"])
    for label, value in left.items():
        if value[0] != 0:
            raise Mismatch(f"{label} has {value[0]} turns left")
