# SPDX-License-Identifier: Apache-2.0
"""Fixtures: devices on which promises are tested, and ways to block their work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from built_plugin import build_plugin
from workload import Obstacle, Workload

import nexus
from nexus import _core

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KERNELS = b"nexus-reference 1\nfill_i32\ncopy_i32\nadd_i32\n"  # a library of the reference backend


@pytest.fixture(scope="session")
def cpu_library(build_library: Callable[[Path], Path]) -> Path:
    """Returns the library built from kernels.c."""
    return build_library(HERE / "kernels.c")


@pytest.fixture(scope="session")
def on_cpu(cpu_library: Path) -> Workload:
    """Work on the CPU backend."""
    return Workload(nexus.get_device("cpu"), cpu_library)


@pytest.fixture(scope="session")
def on_reference(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Work on the reference backend."""
    source = ROOT / "tests/plugins/nexus-reference/nexus_reference.cpp"
    manifest = build_plugin("reference", source, tmp_path_factory.mktemp("reference"))
    _core.add_manifest(str(manifest), "")
    return Workload(nexus.get_device("reference"), KERNELS)


@pytest.fixture(params=["cpu", "reference"])
def work(request: pytest.FixtureRequest) -> Workload:
    """Work on each backend."""
    loaded: Workload = request.getfixturevalue(f"on_{request.param}")
    return loaded


@pytest.fixture
def device(work: Workload) -> nexus.Device:
    """The device of the work."""
    return work.device


@pytest.fixture(params=["cpu-held", "cpu-running", "reference-held"])
def obstacle(request: pytest.FixtureRequest) -> Obstacle:
    """Returns each way to block work, on each backend."""
    backend, _, how = request.param.partition("-")
    return Obstacle(request.getfixturevalue(f"on_{backend}"), how == "running")
