# SPDX-License-Identifier: Apache-2.0
"""A bench of objects on the CPU, and on the reference backend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from workbench import Backend, Workbench

import nexus

HERE = Path(__file__).parent
# A library of the reference backend: the kernels that it has built in, by name.
REFERENCE_KERNELS = b"nexus-reference 1\nfill_i32\nfill_f32\nscale_f32\nadd_f32\n"


@pytest.fixture(scope="session")
def kernel_file(build_library: Callable[[Path], Path]) -> Path:
    """The CPU's library, built from kernels.c."""
    return build_library(HERE / "kernels.c")


@pytest.fixture(scope="session")
def on_cpu(kernel_file: Path) -> Backend:
    device = nexus.get_device("cpu")
    return Backend(device, kernel_file, device.load_library(kernel_file))


@pytest.fixture(scope="session")
def on_reference(faulty_device: nexus.Device) -> Backend:
    """The reference backend; as nexus-faulty, which counts its objects."""
    library = faulty_device.load_library(REFERENCE_KERNELS)
    return Backend(faulty_device, REFERENCE_KERNELS, library)


@pytest.fixture(params=["cpu", "reference"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each backend."""
    chosen: Backend = request.getfixturevalue(f"on_{request.param}")
    return chosen


@pytest.fixture
def bench(backend: Backend) -> Workbench:
    """Objects on each backend."""
    return Workbench(backend)


@pytest.fixture
def cpu_bench(on_cpu: Backend) -> Workbench:
    """Objects on the CPU."""
    return Workbench(on_cpu)


@pytest.fixture
def reference_bench(on_reference: Backend) -> Workbench:
    """Objects on the reference backend."""
    return Workbench(on_reference)
