# SPDX-License-Identifier: Apache-2.0
"""Graphs and pools of memory are off, and each setting turns one on where HIP can do it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hip_machine
import pytest
from hip_machine import HipMachine
from test_hip_running import HEAD

REPLAY = """
TEXT = '''
extern "C" __global__ void scale(const float *x, float factor, float *out) {
  out[threadIdx.x] = x[threadIdx.x] * factor;
}
'''
x, y, out = (device.create_buffer(np.full(8, value, np.float32)) for value in (5, 0, 0))
schedule = device.create_schedule()
schedule.create_fill_command(y, 1)
command = schedule.create_command(
    kernel("scale"), (x, np.float32(2), y), group_size=8, grid_size=8, **options)
schedule.create_copy_command(out, y)
values = []
for factor in (2, 3):
    command.set_arg(1, np.float32(factor))
    for _ in range(2):
        schedule.run()
        values.append(int(out.numpy()[7]))
with device.create_stream() as stream:
    schedule.prepare(stream)
print(json.dumps([values, *(calls(name) for name in (
    "hipGraphInstantiateWithFlags", "hipGraphExecKernelNodeSetParams", "hipGraphLaunch",
    "hipGraphUpload", "hipModuleLaunchKernel", "hipModuleLaunchCooperativeKernel"))]))
"""
POOLS = """
buffers = [device.create_buffer(np.full(1 << 21, value, np.float32)) for value in (1, 2)]
streams = [device.create_stream() for _ in range(2)]
for stream in streams:
    buffers[0].fill(3, stream=stream)
told = [int(buffers[0].numpy()[-1]), int(buffers[1].numpy()[-1])]
other = nexus.get_device("hip:1")
over = other.create_buffer_from_handle(buffers[1].native_handle, (1,), np.float32)
told.append(over.numpy().tolist())
over.close()
for buffer in buffers:
    buffer.close()
device.synchronize()
kept = device.memory_reserved
device.trim_memory()
print(json.dumps([told, kept >= 16 << 20, device.memory_reserved < 1 << 20,
    *(calls(name) > 0 for name in (
        "hipMallocFromPoolAsync", "hipFreeAsync", "hipMemPoolSetAccess", "hipMalloc"))]))
"""
GRAPHS = "options = {}" + REPLAY
COOPERATIVE = "options = {'cooperative_launch': True}" + REPLAY
ONE_BY_ONE = [[10, 10, 15, 15], 0, 0, 0, 0, 4, 0]
IN_GRAPHS = [[10, 10, 15, 15], 1, 1, 3, 1, 1, 0]
BY_BLOCKS = [[3, 2, [2.0]], True, True, False, False, False, True]
BY_POOL = [[3, 2, [2.0]], True, True, True, True, True, False]


def run(rocm: HipMachine, program: str, version: int = 7, **variables: str) -> Any:
    machine = hip_machine.of_rocm(version).having(
        NEXUS_HIP_ROOT=rocm.environment["NEXUS_HIP_ROOT"], NEXUS_DISK_CACHE="0", **variables
    )
    return machine.run(HEAD + program)[0]


@pytest.mark.parametrize("value", ["", "0", "yes"])
def test_a_schedule_is_replayed_one_by_one_unless_asked(rocm: HipMachine, value: str) -> None:
    assert run(rocm, GRAPHS, NEXUS_HIP_GRAPHS=value) == ONE_BY_ONE


@pytest.mark.parametrize(("version", "uploads"), [(7, 1), (5, 0)])
def test_a_graph_replays_it_with_its_changed_arguments(
    rocm: HipMachine, version: int, uploads: int
) -> None:
    told = [*IN_GRAPHS[:4], uploads, *IN_GRAPHS[5:]]
    assert run(rocm, GRAPHS, version, NEXUS_HIP_GRAPHS="1") == told


def test_a_cooperative_launch_is_in_no_graph(rocm: HipMachine) -> None:
    told = run(rocm, COOPERATIVE, NEXUS_HIP_GRAPHS="1")
    assert told == [[10, 10, 15, 15], 0, 0, 0, 0, 0, 4]


@pytest.mark.parametrize(
    ("function", "program", "told"),
    [("hipGraphLaunch", GRAPHS, ONE_BY_ONE), ("hipMemPoolTrimTo", POOLS, BY_BLOCKS)],
)
def test_a_runtime_without_one_of_the_functions_goes_without(
    rocm: HipMachine, tmp_path: Path, function: str, program: str, told: Any
) -> None:
    library = Path(rocm.environment["NEXUS_HIP_DRIVER"]).read_bytes()
    lacking = tmp_path / "lacking.so"
    name = function.encode()
    lacking.write_bytes(library.replace(b"\0" + name + b"\0", b"\0" + name[:-1] + b"_\0"))
    settings = {"NEXUS_HIP_GRAPHS": "1", "NEXUS_HIP_POOLS": "1"}
    assert run(rocm, program, 7, NEXUS_HIP_DRIVER=str(lacking), **settings) == told


def test_memory_is_in_blocks_of_the_driver_unless_a_pool_is_asked_for(rocm: HipMachine) -> None:
    assert run(rocm, POOLS) == BY_BLOCKS


@pytest.mark.parametrize("version", [5, 6, 7])
def test_a_pool_gives_its_memory_also_to_another_gpu(rocm: HipMachine, version: int) -> None:
    assert run(rocm, POOLS, version, NEXUS_HIP_POOLS="1") == BY_POOL


def test_a_device_without_pools_goes_without(rocm: HipMachine) -> None:
    without = rocm.environment["NEXUS_SIMULATED_HIP"] + ",attribute.88=0"
    settings = {"NEXUS_HIP_POOLS": "1", "NEXUS_SIMULATED_HIP": without}
    assert run(rocm, POOLS, 7, **settings) == BY_BLOCKS
