# SPDX-License-Identifier: Apache-2.0
"""Workers that end in a run, and devices that fail."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import Client, wait

import nexus
from nexus import status
from nexus.distributed import LocalCluster, _worker, map_blocks, reduce, run


@pytest.fixture
def own_client() -> Iterator[Client]:
    """A client of a cluster of two workers, which a test may damage."""
    with (
        LocalCluster("cpu", n_workers=2, dashboard_address=":0", silence_logs=60) as cluster,
        Client(cluster) as client,
    ):
        yield client


def once(marker: Path) -> bool:
    """Returns True in the first call of all processes."""
    try:
        marker.open("x").close()
    except FileExistsError:
        return False
    return True


def test_the_tasks_of_a_killed_worker_run_again(
    own_client: Client, description: Any, tmp_path: Path
) -> None:
    marker = tmp_path / "killed"

    def task(number: int) -> nexus.Buffer:
        value = np.full(8, number, np.float32)
        made: nexus.Buffer = run(description, {"x": value, "y": value}, "y")
        if number == 5 and once(marker):
            os.kill(os.getpid(), signal.SIGKILL)
        return made

    made = own_client.gather(own_client.map(task, range(12)))
    assert marker.exists()
    assert [each.numpy().tolist() for each in made] == [[3.0 * at] * 8 for at in range(12)]


def test_results_lost_with_a_worker_are_made_again(own_client: Client) -> None:
    import dask.array as da

    source = """
    NEXUS_KERNEL_BOUNDED(next, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                         (int, n)) {
      y[nexus_global_id(0)] = x[nexus_global_id(0)] + 1;
    }
    """
    array = da.arange(64, chunks=8, dtype="float32")
    made = map_blocks(source, array, n=lambda shape: shape[0], on_device=True).persist()
    wait(made)
    (address, *_) = own_client.scheduler_info()["workers"]
    os.kill(own_client.run(os.getpid)[address], signal.SIGKILL)
    assert reduce("a + b", made).compute() == sum(range(1, 65))


def test_a_worker_whose_device_failed_retires(own_client: Client, tmp_path: Path) -> None:
    marker = tmp_path / "failed"

    def fail_once() -> int:
        if once(marker):
            raise nexus.NexusError("The device is gone.", status.NXS_DeviceLost)
        return os.getpid()

    before = set(own_client.run(os.getpid).values())
    left = own_client.submit(lambda: _worker.guarded(fail_once)).result()
    assert marker.exists()
    assert set(own_client.run(os.getpid).values()) == {left} < before


def test_other_failures_are_the_result_of_the_task(own_client: Client) -> None:
    def fail() -> None:
        raise nexus.NexusError("The kernel is wrong.", status.NXS_InvalidKernel)

    task = own_client.submit(lambda: _worker.guarded(fail))
    with pytest.raises(nexus.NexusError, match="The kernel is wrong"):
        task.result()
    assert len(own_client.scheduler_info()["workers"]) == 2


@pytest.mark.long
def test_a_kernel_that_breaks_every_device_is_given_up(tmp_path: Path) -> None:
    """Dask gives a task up after it ended a number of workers."""
    import dask
    from distributed.scheduler import KilledWorker

    def fail() -> None:
        raise nexus.NexusError("The device is gone.", status.NXS_DeviceLost)

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster("cpu", n_workers=3, dashboard_address=":0", silence_logs=60) as cluster,
        Client(cluster) as client,
    ):
        task = client.submit(lambda: _worker.guarded(fail))
        with pytest.raises(KilledWorker):
            task.result()
        assert len(client.scheduler_info()["workers"]) == 1
