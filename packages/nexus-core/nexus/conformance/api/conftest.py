# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests through the Python API."""

from __future__ import annotations

import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance.api.workbench import Kernels, Obstacle, Workbench


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "promise(name, ...): a promise of docs/guarantees.md that the test keeps watch on",
    )


@pytest.fixture(scope="session")
def work(device: nexus.Device, kernels: Kernels) -> Workbench:
    """Returns the helper that makes work on the device."""
    return Workbench(device, kernels)


@pytest.fixture(params=["held", "running"])
def obstacle(request: pytest.FixtureRequest, work: Workbench) -> Obstacle:
    """Returns each way of holding up work."""
    return Obstacle(work, request.param == "running")


@pytest.fixture(scope="session")
def neighbour(device: nexus.Device) -> nexus.Device:
    """Returns a second device, of the backend if it has one, else of another backend."""
    others = [each for each in nexus.get_runtimes() if each.name != device.runtime.name]
    devices = [each for runtime in (device.runtime, *others) for each in runtime.get_devices()]
    devices.remove(device)
    if not devices:
        not_applicable("there is only one device; install another backend to run this test")
    return devices[0]
