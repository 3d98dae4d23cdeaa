# SPDX-License-Identifier: Apache-2.0
"""The CUDA backend on the simulated driver (tests/drivers), both in this process.

A process can use only one driver: run each folder alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import simulated

import nexus


@pytest.fixture(scope="session")
def started() -> Iterator[simulated.Driver]:
    """Returns the driver of this process and of the processes that it starts."""
    if not (simulated.folder() / "libcuda.so.1").exists():
        pytest.skip("needs the simulated drivers: ninja -C build simulated_drivers")
    with pytest.MonkeyPatch.context() as environment:
        for name, value in simulated.environment().items():
            environment.setenv(name, value)
        driver = simulated.Driver()
        try:
            nexus.get_device("cuda:1")
        except nexus.NexusError as error:
            pytest.skip(f"needs nexus-cuda, and a process without other tests: {error}")
        yield driver


@pytest.fixture(scope="session")
def gpu(started: simulated.Driver) -> nexus.Device:
    """Returns the first device, which has all features."""
    return nexus.get_device("cuda:0")
