# SPDX-License-Identifier: Apache-2.0
"""A backend that knows how many arguments a kernel takes, and nothing more of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from faulty_device import COUNT, Bench, faults

import nexus
from nexus.status import Status


@pytest.fixture
def kernel(bench: Bench) -> Iterator[nexus.Kernel]:
    """Takes a buffer and the float32 that is written to its elements."""
    with faults("GetKernelArgument=NXS_KernelArgInfoNotAvailable"):
        yield bench.library.get_kernel("fill_f32")


def test_it_says_nothing_of_its_arguments(kernel: nexus.Kernel) -> None:
    assert kernel.arguments is None


def test_it_runs_with_typed_scalars(bench: Bench, kernel: nexus.Kernel) -> None:
    schedule = bench.device.create_schedule()
    schedule.create_command(kernel, (bench.buffer, np.float32(3)), 4, COUNT)
    schedule.run()
    np.testing.assert_array_equal(bench.buffer.numpy(), np.full(COUNT, 3, np.float32))


def test_a_missing_argument_is_named(bench: Bench, kernel: nexus.Kernel) -> None:
    command = bench.device.create_schedule().create_command(kernel)
    command.set_buffer(0, bench.buffer)
    with pytest.raises(nexus.NexusError, match=r"argument 1 .*'fill_f32' was not given") as raised:
        command.finalize(4, COUNT)
    assert raised.value.status == Status.NXS_InvalidKernelArgs


def test_too_many_arguments_are_counted(bench: Bench, kernel: nexus.Kernel) -> None:
    command = bench.device.create_schedule().create_command(kernel)
    with pytest.raises((nexus.NexusError, IndexError), match="has 2 arguments"):
        command.set_arg(2, np.float32(1))
