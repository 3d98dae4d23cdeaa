# SPDX-License-Identifier: Apache-2.0
"""The CPU backend reads a kernel's description, and refuses one that it can't use."""

from __future__ import annotations

import numpy as np
import pytest
from building_kernels import HERE, compilers

import nexus


@pytest.fixture(scope="module")
def described(cpu: nexus.Device, tmp_path_factory: pytest.TempPathFactory) -> nexus.Library:
    """A library whose descriptions no header wrote."""
    compiler = next((found for found in compilers() if found.language == "c"), None)
    if compiler is None:
        pytest.skip("needs gcc, clang or zig")
    output = tmp_path_factory.mktemp("described") / "kernels.so"
    return cpu.load_library(compiler.build(output, HERE / "hand_made" / "descriptors.c"))


def run(cpu: nexus.Device, kernel: nexus.Kernel, group_size: int | None) -> tuple[int, int, int]:
    """Runs it over 64 items and returns the group size."""
    out = cpu.create_buffer(np.zeros(64, np.int32))
    schedule = cpu.create_schedule()
    command = schedule.create_command(kernel, [out], group_size, 64)
    schedule.run()
    assert out.numpy().tolist() == [1] * 64
    assert command.group_size is not None
    return command.group_size


def test_a_kernel_of_version_1_runs_in_groups_of_any_size(
    cpu: nexus.Device, described: nexus.Library
) -> None:
    kernel = described.get_kernel("of_version_1")
    assert run(cpu, kernel, 4) == (4, 1, 1)
    run(cpu, kernel, None)
    assert kernel.get_property_int("LocalMemorySize") == 0


def test_a_kernel_that_requires_nothing_has_no_required_group_size(
    cpu: nexus.Device, described: nexus.Library
) -> None:
    kernel = described.get_kernel("any_group_size")
    assert run(cpu, kernel, 16) == (16, 1, 1)
    with pytest.raises(RuntimeError, match="RequiredGroupSize"):
        kernel.get_property_int_vec("RequiredGroupSize")


def test_what_version_2_says_is_used(cpu: nexus.Device, described: nexus.Library) -> None:
    kernel = described.get_kernel("of_version_2")
    assert run(cpu, kernel, None) == (8, 1, 1)
    assert kernel.get_property_int("LocalMemorySize") == 64


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("of_version_3", "version 3 of nexus_kernel.h, and this backend knows up to 2"),
        ("of_version_0", "version 0 of nexus_kernel.h"),
        ("cut_short", "build it again"),
        ("half_a_group_size", "groups of 8 x 0 x 1 work items; the device has groups of 1 to"),
        ("negative_group_size", "groups of 8 x -1 x 1 work items"),
        ("huge_group_size", "groups of 64 x 64 x 2 work items"),
        ("overflowing_group_size", "work items; the device has groups of 1 to"),
        ("huge_local_memory", "declares 1099511627776 bytes of local memory; the device has"),
        ("too_many_arguments", "has 65 arguments; at most 64 can be given"),
    ],
)
def test_a_description_that_makes_no_sense_is_refused(
    described: nexus.Library, name: str, words: str
) -> None:
    with pytest.raises(nexus.NexusError) as caught:
        described.get_kernel(name)
    assert words in str(caught.value)
    assert name in str(caught.value)
