# SPDX-License-Identifier: Apache-2.0
"""HIP over CUDA works, on the simulated CUDA: what is left for a GPU is NVIDIA's own driver."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
import simulated
from python_process import run_python

PROGRAM = """
import json, numpy as np, nexus
device = nexus.get_device("hip:0")
turn = device.compile('''
NEXUS_PHASED_KERNEL(turn, (64), (NEXUS_GLOBAL int *, x), (NEXUS_LOCAL int, tile, 64), (int, add)) {
  NEXUS_PHASE { tile[nexus_local_id(0)] = x[nexus_global_id(0)]; }
  NEXUS_PHASE { x[nexus_global_id(0)] = tile[63 - nexus_local_id(0)] + add; }
}
''').get_kernel("turn")
scale = device.compile('''
template <class T> __global__ void scale(char a, double b, short c, T *x) {
  x[threadIdx.x] = a + T(b) * x[threadIdx.x] + c;
}
''', "hip", name_expressions=["scale<int>"]).get_kernel("scale<int>")

host = np.arange(64, dtype=np.int32)
with device.create_stream() as stream, device.create_buffer(host) as x:
    schedule = device.create_schedule()
    schedule.create_command(turn, (x, 1), grid_size=64)
    schedule.create_command(scale, (np.int8(3), np.float64(2), np.int16(4), x), 64, 64)
    schedule.run(stream, blocking=False)
    stream.record().wait()
    values = x.numpy().tolist()
print(json.dumps({
    "architecture": device.get_property_str("Architecture"),
    "arguments": turn.get_property("ArgumentNames"),
    "values": values,
}))
"""


def test_nexus_hip_runs_on_it() -> None:
    environment = simulated.hip_over_cuda_environment()
    if find_spec("nexus_hip") is None or not Path(environment["NEXUS_HIP_DRIVER"]).exists():
        pytest.skip("needs nexus-hip and the simulated drivers: ninja -C build simulated_drivers")
    told = json.loads(run_python("-c", PROGRAM, more=environment, check=True).stdout)
    assert told == {
        "architecture": "gfx1100",
        "arguments": ["x", "add"],
        "values": [3 + 2 * (64 - each) + 4 for each in range(64)],
    }
