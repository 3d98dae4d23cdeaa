# SPDX-License-Identifier: Apache-2.0
"""Clusters on this machine. Without Dask the tests of this folder are skipped."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import simulated

import nexus

if TYPE_CHECKING:
    from distributed import Client

SAXPY = """
NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}
"""

if (simulated.folder() / "libcuda.so.1").exists():  # for this process and the workers
    os.environ.update(simulated.environment())


def pytest_collect_file(file_path: Path) -> None:
    """Skips the files of this folder where Dask is missing."""
    if importlib.util.find_spec("distributed") is None:
        pytest.skip("Dask is not installed: nox -s distributed installs it")


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    """A client of a cluster of four workers for the CPU."""
    from distributed import Client

    import nexus.distributed

    with (
        nexus.distributed.LocalCluster("cpu", n_workers=4, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def description(device: nexus.Device) -> dict[str, Any]:
    """A schedule that adds 2 * x to y, buffers of eight float32."""
    kernel = device.compile(SAXPY).get_kernel("saxpy")
    x, y = (nexus.zeros(8, device=device) for _ in range(2))
    schedule = device.create_schedule()
    schedule.create_command(kernel, [x, y, 2.0, 8], grid_size=8)
    return schedule.describe()
