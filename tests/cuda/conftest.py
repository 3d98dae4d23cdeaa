# SPDX-License-Identifier: Apache-2.0
"""The CUDA backend and the simulated driver (tests/drivers) below it, both in this process.

The backend takes one driver a process: run each folder alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import simulated

import nexus


@pytest.fixture(scope="session")
def started() -> Iterator[simulated.Driver]:
    """The driver that the backend of this process uses, and those that are started from here."""
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
    """The first device, which has all options."""
    return nexus.get_device("cuda:0")
