# SPDX-License-Identifier: Apache-2.0
"""Functions of the driver fail while a process, or a device, starts."""

from __future__ import annotations

import json
import threading
import time

import numpy as np
import pytest
from cuda_bench import COUNT, PATIENCE, UNKNOWN, Bench, grown, run_alone, unused_device
from eventually import eventually
from failure_programs import holding, large_copies, launch, two_streams

import nexus
from nexus.status import Status

OUT_OF_MEMORY = 2

PROCESS = """
import json, nexus, numpy
try:
    device = nexus.get_device("cuda:0")
    told = device.create_buffer(numpy.ones(4, numpy.float32)).numpy().tolist()
except nexus.NexusError as error:
    told = [error.status.name, str(error)]
print(json.dumps([told, nexus.get_device("cpu").get_property_str("Type")]))
"""
NO_BACKEND = {
    "cuInit:1": "cuInit returned CUDA_ERROR_UNKNOWN (999)",
    "cuDriverGetVersion:1": "does not report its version; install the driver again",
    "cuGetProcAddress:1": "does not report its version; install the driver again",
    "cuGetProcAddress:9": "lacks cu",
    "cuDeviceGetCount:1": "cuDeviceGetCount returned CUDA_ERROR_UNKNOWN (999)",
    "cuDeviceGetCount:2": "cuDeviceGetCount returned CUDA_ERROR_UNKNOWN (999)",
    "cuDeviceGet:2": "cuDeviceGet returned CUDA_ERROR_UNKNOWN (999)",
    "cuDeviceGetName:1": "cuDeviceGetName returned CUDA_ERROR_UNKNOWN (999)",
    "cuDeviceTotalMem:1": "cuDeviceTotalMem returned CUDA_ERROR_UNKNOWN (999)",
    "cuDeviceGetAttribute:3": "cuDeviceGetAttribute returned CUDA_ERROR_UNKNOWN (999)",
}


def run_process(machine: dict[str, str], *faults: str) -> tuple[object, str]:
    """Returns what a new process reports on the backend and the CPU."""
    planned = ",".join(f"{fault}:{UNKNOWN}" for fault in faults)
    run = run_alone(machine, PROCESS, NEXUS_SIMULATED_CUDA_FAIL=planned)
    told, cpu = json.loads(run.stdout)
    return told, cpu


@pytest.mark.parametrize("fault", NO_BACKEND)
def test_a_driver_that_does_not_start_is_told_and_the_cpu_works(
    machine: dict[str, str], fault: str
) -> None:
    told, cpu = run_process(machine, *fault.split(","))
    assert isinstance(told, list)
    assert told[0] == "NXS_DeviceNotFound"
    assert NO_BACKEND[fault] in told[1]
    assert cpu == "cpu"


def test_what_a_device_is_called_is_not_needed(machine: dict[str, str]) -> None:
    assert run_process(machine, "cuDeviceGetUuid:1")[0] == [1, 1, 1, 1]


@pytest.fixture
def fresh(bench: Bench) -> nexus.Device:
    """Returns an unused device."""
    return unused_device()


# The calls of the first work on a device, and the one that fails.
FIRST_WORK = [
    ("cuDevicePrimaryCtxRetain", 1),
    ("cuStreamCreateWithPriority", 1),
    ("cuStreamCreateWithPriority", 2),  # two for memory, one of the program's, one for copies
    ("cuStreamCreateWithPriority", 3),
    ("cuStreamCreateWithPriority", 4),
    ("cuEventCreate", 2),  # for copies; how many come later depends on which are free again
    ("cuEventCreate", 3),
    ("cuMemHostAlloc", 1),
    ("cuMemHostAlloc", 2),
]
# Without a pool memory is allocated by these.
NO_POOL = [
    ("cuMemPoolCreate", 1), ("cuMemPoolSetAttribute", 1), ("cuMemPoolSetAttribute", 2),
]  # fmt: skip


def _beyond(usual: dict[str, int], made: dict[str, int]) -> dict[str, int]:
    """Returns the leaked objects; waits for threads of the plug-in that free some."""
    return {kind: count for kind, count in made.items() if count > _most(kind, usual)}


def first_work(bench: Bench) -> None:
    """Does the first work of a device, which initializes it."""
    launch(bench)
    large_copies(bench)
    two_streams(bench)


def made_by_first_work(bench: Bench) -> dict[str, int]:
    """Returns the objects that the first work makes if nothing fails."""
    before = bench.settle()
    first_work(bench)
    return grown(before, bench.settle())


@pytest.fixture(scope="module")
def usual(bench: Bench) -> dict[str, int]:
    """Returns them for a device without failures; waits for threads of earlier tests."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        bench.settle()
    return made_by_first_work(bench.on(unused_device()))


@pytest.mark.parametrize(("function", "nth"), FIRST_WORK)
def test_a_device_that_is_not_made_ready_is_made_so_the_next_time(
    bench: Bench, fresh: nexus.Device, usual: dict[str, int], function: str, nth: int
) -> None:
    on_fresh = bench.on(fresh)
    before = bench.settle()
    bench.driver.fail(function, nth, UNKNOWN)
    with pytest.raises(nexus.NexusError) as raised:
        first_work(on_fresh)
    assert bench.driver.clear_failures() == 0
    assert f"{function} returned CUDA_ERROR_UNKNOWN (999); " in str(raised.value)
    assert raised.value.status == Status.NXS_InternalError
    del raised
    first_work(on_fresh)
    end = time.monotonic() + PATIENCE
    while more := _beyond(usual, grown(before, bench.settle())):
        assert time.monotonic() < end, more


def _most(kind: str, usual: dict[str, int]) -> int:
    """Allows more objects, since a failed stream may stay busy while the next work starts."""
    return usual.get(kind, 0) + (2 if kind in ("streams", "events") else 0)


@pytest.mark.parametrize(("function", "nth"), NO_POOL)
def test_a_device_without_a_pool_allocates_one_by_one(
    bench: Bench, fresh: nexus.Device, usual: dict[str, int], function: str, nth: int
) -> None:
    on_fresh = bench.on(fresh)
    before = bench.settle()
    bench.driver.fail(function, nth, UNKNOWN)
    assert made_by_first_work(on_fresh).get("pools", 0) < usual["pools"]
    bench.driver.fail("cuMemAlloc", 1, UNKNOWN)
    with pytest.raises(nexus.NexusError, match="cuMemAlloc returned CUDA_ERROR_UNKNOWN"):
        fresh.create_buffer(COUNT)
    buffer = fresh.create_buffer(np.ones(COUNT, np.float32))
    assert buffer.numpy().tolist() == [1] * COUNT
    buffer.close()
    assert "device memory" not in bench.leaks(before, {*usual})


def test_without_a_pool_freed_memory_serves_again_until_it_is_trimmed(
    bench: Bench, fresh: nexus.Device
) -> None:
    bench.driver.fail("cuMemPoolCreate", 1, UNKNOWN)
    fresh.create_buffer(COUNT).close()
    kept = fresh.memory_reserved
    assert kept >= fresh.memory_used + COUNT
    bench.driver.forget()
    buffer = fresh.create_buffer(COUNT)
    assert bench.driver.calls("cuMemAlloc") == 0
    before = bench.settle()["device memory"]
    buffer.close()
    fresh.trim_memory()
    assert fresh.memory_reserved == kept - COUNT
    assert eventually(lambda: bench.driver.live("device memory") < before)


def test_without_a_pool_what_is_kept_stays_below_the_threshold_and_goes_if_memory_runs_out(
    bench: Bench, fresh: nexus.Device
) -> None:
    bench.driver.fail("cuMemPoolCreate", 1, UNKNOWN)
    first, second = fresh.create_buffer(COUNT), fresh.create_buffer(2 * COUNT)
    used = fresh.memory_reserved
    fresh.set_release_threshold(used - COUNT)
    first.close()
    assert fresh.memory_reserved == used - COUNT
    fresh.set_release_threshold(None)
    second.close()
    bench.driver.fail("cuMemAlloc", 1, OUT_OF_MEMORY)
    assert fresh.create_buffer(COUNT).nbytes == COUNT
    assert fresh.memory_reserved == used - 2 * COUNT


def test_without_a_pool_an_allocation_waits_until_the_driver_can_free_what_is_kept(
    bench: Bench, fresh: nexus.Device
) -> None:
    bench.driver.fail("cuMemPoolCreate", 1, UNKNOWN)
    on_fresh = bench.on(fresh)
    size = fresh.get_property_int("GlobalMemorySize")
    fresh.create_buffer(size // 2, np.uint8).close()
    schedule = on_fresh.scaling(on_fresh.floats(1), 2, on_fresh.floats())
    with fresh.create_stream() as stream, holding(bench, "scale"):
        schedule.run(stream, blocking=False)
        threading.Timer(0.5, bench.driver.release).start()
        assert fresh.create_buffer(size // 4 * 3, np.uint8).nbytes == size // 4 * 3
