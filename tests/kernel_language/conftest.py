# SPDX-License-Identifier: Apache-2.0
"""The kernels of this folder, built with each compiler, and what launches one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from building_kernels import HERE, Array, Compiler, Launch, compilers

import nexus

FOUND: list[Compiler | None] = [*compilers()] or [None]


@pytest.fixture(
    scope="session", params=FOUND, ids=lambda compiler: compiler.id if compiler else "none"
)
def compiler(request: pytest.FixtureRequest) -> Compiler:
    """Each installed compiler, for C and for C++."""
    if not isinstance(request.param, Compiler):
        pytest.skip("needs gcc, clang or zig")
    return request.param


@pytest.fixture(scope="session")
def cpu() -> nexus.Device:
    """The CPU, which these kernels are compiled for."""
    return nexus.get_device("cpu:0")


@pytest.fixture(scope="session")
def library(
    compiler: Compiler, cpu: nexus.Device, tmp_path_factory: pytest.TempPathFactory
) -> nexus.Library:
    """All kernels of this folder, built with the compiler. None gave a warning."""
    output = tmp_path_factory.mktemp(compiler.name) / "kernels.so"
    return cpu.load_library(compiler.build(output, *sorted(HERE.glob("*.c"))))


@pytest.fixture
def launch(library: nexus.Library, cpu: nexus.Device) -> Launch:
    """Runs a kernel once on arrays, which are changed in place, and numbers.

    An int in brackets is local memory of that many bytes.
    """

    def run(
        name: str,
        args: Iterable[Array | list[int] | float],
        grid_size: int | tuple[int, ...],
        group_size: int | tuple[int, ...] | None = None,
    ) -> None:
        schedule = cpu.create_schedule()
        command = schedule.create_command(library.get_kernel(name))
        changed: list[tuple[Array, nexus.Buffer]] = []
        for index, value in enumerate(args):
            if isinstance(value, np.ndarray):
                buffer = cpu.create_buffer(value)
                changed.append((value, buffer))
                command.set_buffer(index, buffer)
            elif isinstance(value, list):
                command.set_local_memory(index, value[0])
            else:
                command.set_arg(index, value)
        command.finalize(group_size, grid_size)
        schedule.run()
        for array, buffer in changed:
            array[...] = buffer.numpy()

    return run
