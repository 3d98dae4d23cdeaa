# SPDX-License-Identifier: Apache-2.0
"""Workers with GPUs, on the simulated CUDA driver, which has two."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import dask.array as da
import distributed
import numpy as np
import pytest
import simulated
from distributed import Client

import nexus
from nexus.distributed import LocalCluster, WorkerPlugin, get_device, map_blocks, run

pytestmark = pytest.mark.skipif(
    not (simulated.folder() / "libcuda.so.1").exists(),
    reason="tests/drivers is not built: nox -s distributed builds it",
)

SQUARE = """
NEXUS_KERNEL_BOUNDED(square, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (int, n)) {
  y[nexus_global_id(0)] = x[nexus_global_id(0)] * x[nexus_global_id(0)];
}
"""
MIB = 1 << 20
SIZE = 256 * 1024  # float32: 1 MiB


def cluster(**options: Any) -> LocalCluster:
    return LocalCluster("cuda", dashboard_address=":0", silence_logs=60, **options)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Two workers, whose GPUs keep results of at most 3 MiB."""
    with cluster(device_memory_limit=3 * MIB) as made, Client(made) as client:
        yield client


def identity() -> str:
    return get_device().get_property_str("UUID")


def made(value: float) -> nexus.Buffer:
    return nexus.full(SIZE, value, device=get_device())


def test_each_worker_has_a_gpu_of_its_own(client: Client) -> None:
    assert len(set(client.run(identity).values())) == 2


def test_its_own_gpu_is_the_first_that_a_worker_sees(client: Client) -> None:
    seen = client.run(lambda: os.environ["CUDA_VISIBLE_DEVICES"])
    assert sorted(seen.values()) == ["0,1", "1,0"]


def test_each_worker_publishes_its_gpu(client: Client) -> None:
    workers = client.scheduler_info()["workers"].values()
    assert [each["resources"] for each in workers] == [{"nexus-cuda": 1}] * 2


def test_a_buffer_lands_on_the_gpu(client: Client) -> None:
    buffer = nexus.create_buffer(np.arange(4, dtype=np.float32))
    told = client.submit(
        lambda x: (x.device.backend, x.numpy().tolist()), buffer, resources={"nexus-cuda": 1}
    ).result()
    assert told == ("cuda", [0, 1, 2, 3])


def test_a_kernel_is_applied_to_blocks_on_the_gpus(client: Client) -> None:
    array = da.from_array(np.arange(24, dtype=np.float32).reshape(6, 4), chunks=2)
    for on_device in (True, False):
        array = map_blocks(SQUARE, array, n=lambda shape: shape[0] * shape[1], on_device=on_device)
    assert np.array_equal(array.compute(), np.arange(24.0).reshape(6, 4) ** 4)


def test_results_beyond_the_limit_move_to_the_host_and_back(client: Client) -> None:
    (worker, _) = client.scheduler_info()["workers"]
    tasks = client.map(made, range(8), workers=[worker])
    distributed.wait(tasks)
    (used,) = client.run(lambda: get_device().memory_used, workers=[worker]).values()
    assert used <= 3 * MIB
    sums = client.map(lambda x: float(x.numpy().sum()), tasks, workers=[worker])
    assert client.gather(sums) == [float(at * SIZE) for at in range(8)]


def test_a_gpu_without_memory_moves_results_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_SIMULATED_CUDA", f"devices=2,memory={16 * MIB}")
    with (
        cluster(n_workers=1, device_memory_limit=1 << 40) as own,
        Client(own) as client,
    ):
        # Through run(), which asks again after it freed memory.
        tasks = client.map(made_by_task, range(24), pure=False)
        sums = client.gather(client.map(lambda x: float(x.numpy().sum()), tasks))
        assert sums == [float(at * SIZE) for at in range(24)]


def made_by_task(value: float) -> nexus.Buffer:
    from nexus.distributed import _worker

    return _worker.guarded(lambda: made(value))


def test_workers_that_dask_started_divide_the_gpus() -> None:
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=":0", silence_logs=60
        ) as own,
        Client(own) as client,
    ):
        client.register_plugin(WorkerPlugin("cuda"))
        workers = client.scheduler_info()["workers"].values()
        resources = sorted(len(each["resources"]) for each in workers)
        assert resources == [0, 1, 1]

        def tell() -> str:
            try:
                return identity()
            except nexus.NexusError as error:
                return str(error)

        told = client.run(tell).values()
        assert len(set(told)) == 3
        assert sum("other workers of this machine have the 2 devices" in each for each in told) == 1


def test_a_worker_whose_gpu_broke_retires(description_on_gpu: dict[str, Any]) -> None:
    with cluster() as own, Client(own) as client:
        (first, second) = client.scheduler_info()["workers"]
        client.run(break_next_kernel, workers=[first])
        task = client.submit(
            run, description_on_gpu, {"x": np.ones(8, np.float32)}, "y",
            workers=[first, second], resources={"nexus-cuda": 1},
        )  # fmt: skip
        again = client.submit(
            run, description_on_gpu, {"x": np.full(8, 2, np.float32)}, "y",
            workers=[first, second], resources={"nexus-cuda": 1},
        )  # fmt: skip
        assert task.result().numpy().tolist() == [2.0] * 8
        assert again.result().numpy().tolist() == [4.0] * 8
        assert list(client.scheduler_info()["workers"]) == [second]


def break_next_kernel() -> None:
    simulated.Driver().fail("kernel", 1, simulated.ILLEGAL_ADDRESS)


@pytest.fixture(scope="module")
def description_on_gpu() -> dict[str, Any]:
    from conftest import SAXPY

    device = nexus.get_device("cuda:0")
    kernel = device.compile(SAXPY).get_kernel("saxpy")
    x, y = (nexus.zeros(8, device=device) for _ in range(2))
    schedule = device.create_schedule()
    schedule.create_command(kernel, [x, y, 2.0, 8], grid_size=8)
    return schedule.describe()
