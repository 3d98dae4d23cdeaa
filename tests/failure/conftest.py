# SPDX-License-Identifier: Apache-2.0
"""A device that fails on demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from built_plugin import build_plugin
from faulty_device import Bench, open_gate

import nexus
from nexus import _core


@pytest.fixture(scope="session")
def manifest(faulty_manifest: Path) -> Path:
    """The plug-in's manifest, for processes of the tests' own."""
    return faulty_manifest


@pytest.fixture(scope="session")
def device(faulty_device: nexus.Device) -> nexus.Device:
    """The device, in this process."""
    return faulty_device


@pytest.fixture
def bench(device: nexus.Device) -> Iterator[Bench]:
    """Objects on the device, and work for them. A test that failed leaves no work behind."""
    open_gate()
    yield Bench(device)
    open_gate()


@pytest.fixture(scope="session")
def frail_device(tmp_path_factory: pytest.TempPathFactory) -> nexus.Device:
    """A device of another backend that fails on demand, so that no memory is shared."""
    source = Path(__file__).parents[1] / "plugins" / "nexus-faulty" / "faulty.cpp"
    folder = tmp_path_factory.mktemp("frail")
    _core.add_manifest(str(build_plugin("frail", source, folder, 'FAULTY_NAME="frail"')), "")
    return nexus.get_device("frail")
