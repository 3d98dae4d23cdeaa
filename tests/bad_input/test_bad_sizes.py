# SPDX-License-Identifier: Apache-2.0
"""Sizes and shapes of buffers, and of local memory."""

from __future__ import annotations

import numpy as np
import pytest
from workbench import (
    COUNT,
    GROUP,
    Case,
    Workbench,
    Wrong,
    by_name,
    check_refused,
    check_wrong,
    refused,
    wrong,
)

import nexus

ALLOCATING = pytest.mark.unsanitized("sanitizers end a process that asks for too much memory")

SIZES = [
    wrong("negative", -1, ValueError, "data is -1", "at least 0"),
    wrong("very negative", -(2**70), ValueError, "data is -1180591620717411303424"),
    wrong("beyond 64 bits", 2**70, ValueError, "data is 1180591620717411303424", "2**63 - 1"),
    wrong("beyond 63 bits", 2**63, ValueError, "data is 9223372036854775808", "2**63 - 1"),
    wrong("fractional", 1.5, TypeError, "data has to be", "float (1.5)"),
    wrong("a whole float", 16.0, TypeError, "data has to be", "float (16.0)"),
    wrong("numpy's float", np.float32(16), TypeError, "data", "16.0"),
    wrong("no number", float("nan"), TypeError, "data has to be", "float (nan)"),
    wrong("text", "16", TypeError, "data has to be", "str ('16')"),
    wrong("None", None, TypeError, "data has to be", "NoneType (None)"),
    wrong("a bool", True, TypeError, "data has to be", "bool (True)"),
    wrong("complex", 16j, TypeError, "data has to be", "complex (16j)"),
    wrong("a list", [4, 4], TypeError, "data has to be", "list ([4, 4])", "numpy.array"),
    wrong("a set", {4}, TypeError, "data has to be", "set ({4})"),
    wrong("a dict", {"n": 4}, TypeError, "data has to be", "dict ({'n': 4})"),
    wrong("an object", object, TypeError, "data has to be", "type (<class 'object'>)"),
    wrong("a shape with a negative", (-4, 4), ValueError, "data[0] is -4", "at least 0"),
    wrong("a shape with a huge length", (2**70,), ValueError, "data[0] is 1180591620717411303424"),
    wrong("a shape with a fraction", (2.5,), TypeError, "data[0] has to be an int", "float (2.5)"),
    wrong("a shape with text", (4, "4"), TypeError, "data[1] has to be an int", "str ('4')"),
    wrong("a shape with a bool", (True,), TypeError, "data[0] has to be an int", "bool (True)"),
    wrong("a shape with None", (4, None), TypeError, "data[1] has to be an int", "NoneType"),
    wrong("a shape in a shape", ((4,), 4), TypeError, "data[0] has to be an int", "tuple ((4,))"),
    wrong("a shape that overflows", (2**40, 2**40), ValueError, "data is (1099511627776,"),
    wrong("a shape of many lengths that overflow", (2**16,) * 5, ValueError, "data is (65536,"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", SIZES, ids=by_name)
@pytest.mark.smoke
def test_a_size_of_a_buffer_is_refused(bench: Workbench, wrong: Wrong) -> None:
    check_wrong(bench, wrong, lambda b: b.device.create_buffer(wrong.value))
    check_wrong(bench, wrong, lambda b: nexus.create_buffer(wrong.value))


@ALLOCATING
@pytest.mark.parametrize("size", [2**62, 2**63 - 1], ids=["2**62", "2**63 - 1"])
def test_more_memory_than_there_is_is_refused(bench: Workbench, size: int) -> None:
    case = refused("", lambda b: b.device.create_buffer(size), nexus.NexusError, str(size))
    check_refused(bench, case)


@ALLOCATING
@pytest.mark.parametrize("size", [2**62, 2**63 - 1], ids=["2**62", "2**63 - 1"])
def test_more_system_memory_than_there_is_is_refused(cpu_bench: Workbench, size: int) -> None:
    case = refused("", lambda b: nexus.create_buffer(size), nexus.NexusError, str(size))
    check_refused(cpu_bench, case)


@ALLOCATING
def test_a_shape_larger_than_memory_is_refused(bench: Workbench) -> None:
    check_refused(
        bench,
        refused("", lambda b: b.device.create_buffer((2**30, 2**28)), nexus.NexusError,
                str(2**60)),
    )  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [
        refused("text that names none", lambda b: b.device.create_buffer(64, memory="hots"),
                ValueError, "memory is 'hots'", "'device', 'host' or 'managed'"),
        refused("empty text", lambda b: b.device.create_buffer(64, memory=""),
                ValueError, "memory is ''"),
        refused("an int", lambda b: b.device.create_buffer(64, memory=1),
                TypeError, "memory has to be", "int (1)"),
        refused("a bool", lambda b: b.device.create_buffer(64, memory=True),
                TypeError, "memory has to be", "bool (True)"),
        refused("a lone surrogate", lambda b: b.device.create_buffer(64, memory="\ud800"),
                ValueError, "memory is '\\ud800'"),
    ],
    ids=by_name,
)  # fmt: skip
def test_a_kind_of_memory_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


LOCAL = [
    wrong("negative", -1, ValueError, "is -1", "at least"),
    wrong("beyond 64 bits", 2**70, ValueError, "is 1180591620717411303424"),
    wrong("fractional", 64.5, TypeError, "has to be an int", "float (64.5)"),
    wrong("text", "64", TypeError, "has to be an int", "str ('64')"),
    wrong("None", None, TypeError, "has to be an int", "NoneType (None)"),
    wrong("a bool", True, TypeError, "has to be an int", "bool (True)"),
    wrong("a list", [64], TypeError, "has to be an int", "list ([64])"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", LOCAL, ids=by_name)
def test_a_size_of_local_memory_is_refused(bench: Workbench, wrong: Wrong) -> None:
    command = bench.bound()
    check_wrong(
        bench, wrong, lambda b: command.finalize(GROUP, COUNT, local_memory=wrong.value),
        "local_memory ",
    )  # fmt: skip
    check_wrong(bench, wrong, lambda b: command.set_local_memory(1, wrong.value), "size ")
    command.finalize(GROUP, COUNT, local_memory=64)


def test_no_local_memory_as_an_argument_is_refused(bench: Workbench) -> None:
    check_refused(
        bench, refused("", lambda b: b.command.set_local_memory(1, 0), ValueError, "size is 0")
    )


@pytest.mark.parametrize("size", [2**40, 2**63 - 1], ids=["2**40", "2**63 - 1"])
def test_local_memory_beyond_the_devices_is_refused(cpu_bench: Workbench, size: int) -> None:
    command = cpu_bench.bound()
    check_refused(
        cpu_bench,
        refused(
            "",
            lambda b: command.finalize(GROUP, COUNT, local_memory=size),
            nexus.NexusError,
            f"local_memory is {size} bytes",
        ),
    )
    with_memory = cpu_bench.device.create_schedule().create_command(
        cpu_bench.library.get_kernel("with_memory")
    )
    with_memory.set_buffer(0, cpu_bench.out.view("int32"))
    with_memory.set_local_memory(1, size)
    check_refused(
        cpu_bench,
        refused(
            "",
            lambda b: with_memory.finalize(GROUP, COUNT),
            nexus.NexusError,
            f"argument 1 is {size} bytes",
        ),
    )
    with_memory.set_local_memory(1, 4 * GROUP)
    with_memory.finalize(GROUP, COUNT)
