# SPDX-License-Identifier: Apache-2.0
"""A device that fails on demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from faulty_device import Bench, build, open_gate

import nexus
from nexus import _core


@pytest.fixture(scope="session")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plug-in's manifest, for processes of the tests' own."""
    return build(tmp_path_factory.mktemp("faulty"))


@pytest.fixture(scope="session")
def device(manifest: Path) -> nexus.Device:
    """The device, in this process."""
    _core.add_manifest(str(manifest), "")
    device = nexus.get_device("faulty")
    assert device.default_stream.is_idle  # made at its first use, which is here
    return device


@pytest.fixture
def bench(device: nexus.Device) -> Iterator[Bench]:
    """Objects on the device, and work for them. A test that failed leaves no work behind."""
    open_gate()
    yield Bench(device)
    open_gate()
