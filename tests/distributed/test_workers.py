# SPDX-License-Identifier: Apache-2.0
"""Workers: their devices, resources, cores and metrics."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from distributed import Scheduler, Worker

import nexus
import nexus.distributed
from nexus import status
from nexus.distributed import LocalCluster, WorkerPlugin, _memory, _worker

if TYPE_CHECKING:
    from distributed import Client


def workers_of(client: Client) -> list[dict[str, Any]]:
    return list(client.scheduler_info(n_workers=-1)["workers"].values())


def test_each_worker_publishes_its_device(client: Client) -> None:
    assert [each["resources"] for each in workers_of(client)] == [{"nexus-cpu": 1}] * 4


def test_each_worker_reports_the_memory_of_its_device(client: Client) -> None:
    for worker in workers_of(client):
        told = worker["metrics"]["nexus"]
        assert told["device"] == "cpu:0"
        assert 0 <= told["memory_used"] <= told["memory_reserved"] + told["memory_used"]
        assert told["memory_size"] > 0


def test_the_workers_of_the_cpu_divide_its_cores(client: Client) -> None:
    cores = client.run(lambda: os.sched_getaffinity(0)).values()
    assert set().union(*cores) == os.sched_getaffinity(0)
    assert max(map(len, cores)) - min(map(len, cores)) <= 1


def test_a_buffer_lands_on_the_device_of_a_worker(client: Client) -> None:
    buffer = nexus.create_buffer(np.arange(4, dtype=np.float32))
    told = client.submit(lambda x: (x.device.selector, x.numpy().tolist()), buffer).result()
    assert told == ("cpu:0", [0, 1, 2, 3])


def test_a_worker_compiles_a_program_once(client: Client) -> None:
    source = "NEXUS_KERNEL(nothing, (int, n)) {}"

    def compiled(_: int) -> bool:
        from nexus.distributed import _worker

        program, device = nexus.Program(source), nexus.distributed.get_device()
        return _worker.kernel(device, program, None) is _worker.kernel(device, program, None)

    assert all(client.gather(client.map(compiled, range(8), pure=False)))


async def metrics_and_resources(devices: str) -> tuple[dict[str, Any], dict[str, float]]:
    """What a worker in this process has after the plug-in came to it while it ran."""
    async with Scheduler(dashboard_address=":0") as scheduler, Worker(scheduler.address) as worker:
        await worker.plugin_add(nexus.distributed.WorkerPlugin(devices))
        try:
            return dict(worker.metrics), dict(worker.state.total_resources)
        finally:
            await worker.plugin_remove("nexus")


def test_a_running_worker_takes_the_plug_in_too() -> None:
    metrics, resources = asyncio.run(metrics_and_resources("cpu"))
    assert "nexus" in metrics
    assert resources == {"nexus-cpu": 1}


def test_a_worker_without_the_backend_publishes_nothing() -> None:
    assert asyncio.run(metrics_and_resources("nothing")) == ({}, {})


def test_a_task_on_a_worker_without_the_backend_is_told_why(description: dict[str, Any]) -> None:
    async def run_there() -> None:
        async with (
            Scheduler(dashboard_address=":0") as scheduler,
            Worker(scheduler.address, name="w") as worker,
        ):
            await worker.plugin_add(nexus.distributed.WorkerPlugin("nothing"))
            try:
                nexus.distributed.run(description)
            finally:
                await worker.plugin_remove("nexus")

    with pytest.raises(nexus.NexusError, match="The worker 'w' has no device 'nothing': "):
        asyncio.run(run_there())


def test_results_move_from_the_device_to_the_host_to_disk_and_back(tmp_path: Path) -> None:
    size = 10_000  # bytes of a buffer; the host keeps 0.6 of its limit, so three
    data = _memory.DeviceMemory(str(tmp_path), device_limit=2 * size, host_limit=6 * size)
    for number in range(8):
        data[number] = nexus.full(size, number, "uint8")
    on_disk = size * 3
    assert list(data.device.fast) == [6, 7]
    assert list(data.fast) == [3, 4, 5]
    assert min(data.spilled_total) >= on_disk
    assert data.evict() >= size
    assert min(data.spilled_total) >= on_disk + size
    data.evict_device()
    assert not data.device.fast
    assert sorted(data) == list(range(8))
    for number in range(8):
        assert set(data[number].numpy()) == {number}
        assert len(data.device.fast) <= 2
    for number in range(8):
        del data[number]
    assert not data
    assert data.spilled_total == (0, 0)


def test_dasks_own_worker_moves_results_to_disk_if_a_device_has_no_memory() -> None:
    def fail_once() -> bool:
        tries.append(1)
        if len(tries) == 1:
            raise nexus.NexusError("No memory.", status.NXS_MemObjectAllocationFailure)
        return True

    async def run_there() -> None:
        async with (
            Scheduler(dashboard_address=":0") as scheduler,
            Worker(scheduler.address, memory_limit="1 GiB") as worker,
        ):
            await worker.plugin_add(nexus.distributed.WorkerPlugin("cpu"))
            try:
                for number in range(3):
                    worker.data[number] = nexus.full(8, number)
                assert await asyncio.to_thread(_worker.guarded, fail_once)
                assert (len(worker.data.fast), len(worker.data.slow)) == (0, 3)
                assert worker.data[2].numpy().tolist() == [2] * 8
            finally:
                await worker.plugin_remove("nexus")

    tries: list[int] = []
    asyncio.run(run_there())


def test_a_cluster_of_a_backend_that_is_missing_is_refused() -> None:
    with pytest.raises(nexus.NexusError, match="nothing"):
        nexus.distributed.LocalCluster("nothing")


NUMBER: Any = 5
FRACTION: Any = 1.5
TEXT: Any = "12"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: WorkerPlugin(NUMBER), TypeError, "devices has to be a str"),
        (lambda: WorkerPlugin(" "), ValueError, "devices is ' '"),
        (lambda: WorkerPlugin("cpu", TEXT), TypeError, "cores has to be a sequence of ints"),
        (lambda: WorkerPlugin("cpu", []), ValueError, r"cores is \[\]"),
        (lambda: WorkerPlugin("cpu", [-1]), ValueError, r"cores is \[-1\]"),
        (lambda: WorkerPlugin("cpu", [FRACTION]), TypeError, "a core of cores has to be an int"),
        (lambda: LocalCluster(NUMBER), TypeError, "devices has to be a backend's name or a list"),
        (lambda: LocalCluster([]), ValueError, r"devices is \[\]"),
        (lambda: LocalCluster(["cpu:0", "cpu:0"]), ValueError, "different devices of one backend"),
        (lambda: LocalCluster("cpu", 0), ValueError, "n_workers is 0"),
        (lambda: LocalCluster("cpu", True), TypeError, "n_workers has to be an int"),
        (
            lambda: LocalCluster("cpu", threads_per_worker=0),
            ValueError,
            "threads_per_worker is 0",
        ),
        (lambda: LocalCluster("cpu", processes=False), ValueError, "processes is False"),
    ],
)
def test_a_wrong_argument_is_refused(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
