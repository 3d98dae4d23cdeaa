# SPDX-License-Identifier: Apache-2.0
"""Commands: arguments, launch sizes, finalizing again, and their release."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from nexus.conformance.capi.bench import (
    Bench,
    buffer_argument,
    fill_arguments,
    launch,
    launch_3,
    local_argument,
    part,
    pattern,
    scalar_argument,
)


def ready(bench: Bench, out: int, value: int = 1, count: int = 16) -> tuple[int, int]:
    """Returns a schedule and its fill command, whose arguments are set."""
    schedule = bench.schedule()
    return schedule, bench.raw_command(schedule, *fill_arguments(out, value, count))


# ---- Arguments ----


@pytest.mark.parametrize("index", [2, 3, 64, 1 << 31, (1 << 32) - 1])
def test_an_argument_beyond_the_last_is_refused(bench: Bench, index: int) -> None:
    _, command = ready(bench, bench.buffer(64))
    argument = scalar_argument("i", 1)
    bench.native.refuse("NXS_InvalidArgIndex", "SetCommandArgument", command, index, argument)


@pytest.mark.needs("ArgumentInfo")
@pytest.mark.parametrize(("index", "wrong"), [(0, "scalar"), (0, "local"), (1, "buffer"),
                                              (1, "local")])  # fmt: skip
def test_an_argument_of_the_wrong_kind_is_refused(bench: Bench, index: int, wrong: str) -> None:
    _, command = ready(bench, bench.buffer(64))
    argument = {
        "scalar": scalar_argument("i", 1),
        "local": local_argument(64),
        "buffer": buffer_argument(bench.buffer(64), 64),
    }[wrong]
    bench.native.refuse("NXS_InvalidArgValue", "SetCommandArgument", command, index, argument)


@pytest.mark.parametrize("kind", [-1, 3, 4, 1 << 20])
def test_an_argument_of_no_kind_is_refused(bench: Bench, kind: int) -> None:
    _, command = ready(bench, bench.buffer(64))
    argument = scalar_argument("i", 1)
    argument.kind = kind
    bench.native.refuse(
        ("NXS_InvalidArgValue", "NXS_InvalidValue"), "SetCommandArgument", command, 1, argument
    )


@pytest.mark.needs("ArgumentInfo")
@pytest.mark.parametrize("form", ["b", "h", "q"])
def test_a_scalar_of_the_wrong_size_is_refused(bench: Bench, form: str) -> None:
    _, command = ready(bench, bench.buffer(64))
    argument = scalar_argument(form, 1)
    bench.native.refuse("NXS_InvalidArgSize", "SetCommandArgument", command, 1, argument)


@pytest.mark.parametrize(("offset", "size"), [(0, 65), (64, 1), (65, 0), (1 << 63, 1 << 63),
                                              ((1 << 64) - 4, 8), (4, (1 << 64) - 1)])  # fmt: skip
def test_a_part_outside_its_buffer_is_no_argument(bench: Bench, offset: int, size: int) -> None:
    _, command = ready(bench, bench.buffer(64))
    argument = buffer_argument(bench.buffer(64), size, offset)
    bench.native.refuse(
        ("NXS_InvalidArgSize", "NXS_InvalidArgValue", "NXS_InvalidValue"),
        "SetCommandArgument", command, 0, argument,
    )  # fmt: skip


@pytest.mark.parametrize("set_them", [[], [0], [1]])
def test_a_command_that_lacks_an_argument_is_refused(bench: Bench, set_them: list[int]) -> None:
    command = bench.raw_command(bench.schedule())
    arguments = [buffer_argument(bench.buffer(64), 64), scalar_argument("i", 1)]
    for index in set_them:
        bench.native.get("SetCommandArgument", command, index, arguments[index])
    bench.native.refuse("NXS_InvalidKernelArgs", "FinalizeCommand", command, launch(4))


def test_after_finalize_an_argument_keeps_its_kind_and_size(bench: Bench) -> None:
    out = bench.buffer(bytes(64))
    schedule, command = ready(bench, out, 3)
    bench.native.get("FinalizeCommand", command, launch(16))
    refuse = bench.native.refuse
    wrong = ("NXS_InvalidArgValue",)
    refuse(wrong, "SetCommandArgument", command, 0, scalar_argument("i", 1))
    refuse(wrong, "SetCommandArgument", command, 1, buffer_argument(out, 64))
    refuse("NXS_InvalidArgSize", "SetCommandArgument", command, 1, scalar_argument("q", 1))
    bench.run(schedule)
    assert bench.integers(out, 16) == [3] * 16


def test_an_argument_that_is_refused_leaves_the_one_before(bench: Bench) -> None:
    out = bench.buffer(bytes(64))
    schedule, command = ready(bench, out, 3)
    bench.native.try_("SetCommandArgument", command, 1, scalar_argument("q", 99))
    bench.native.try_("SetCommandArgument", command, 0, buffer_argument(0, 64))
    bench.native.get("FinalizeCommand", command, launch(16))
    bench.run(schedule)
    assert bench.integers(out, 16) == [3] * 16


def test_each_bit_of_a_scalar_arrives(bench: Bench) -> None:
    out = bench.buffer(bytes(64))
    schedule, command = ready(bench, out)
    bench.native.get("FinalizeCommand", command, launch(16))
    for value in [0, -1, -(1 << 31), (1 << 31) - 1, 0x12345678, *(1 << bit for bit in range(31))]:
        bench.native.get("SetCommandArgument", command, 1, scalar_argument("i", value))
        bench.run(schedule)
        assert bench.integers(out, 16) == [value] * 16


def test_each_bit_of_a_64_bit_scalar_arrives(bench: Bench) -> None:
    out, schedule = bench.buffer(bytes(64)), bench.schedule()
    arguments = [buffer_argument(out, 64), scalar_argument("q", 0)]
    command = bench.command(schedule, "fill_i64", arguments, 8)
    for value in [-1, -(1 << 63), (1 << 63) - 1, 0x123456789ABCDEF0 >> 1, 1 << 32, 1 << 62]:
        bench.native.get("SetCommandArgument", command, 1, scalar_argument("q", value))
        bench.run(schedule)
        assert bench.read(out, 64) == struct.pack("<q", value) * 8


# ---- Launches ----


@pytest.mark.parametrize(("items", "group"), [(1, 1), (16, 4), (13, 4), (64, 64), (100, 0), (1, 0),
                                              (1000, 8), (4097, 16)])  # fmt: skip
def test_each_item_of_the_grid_runs_and_no_other(bench: Bench, items: int, group: int) -> None:
    out = bench.buffer(bytes(4 * items + 64))
    schedule, command = ready(bench, out, 5, items + 16)
    bench.native.get("FinalizeCommand", command, launch(items, group))
    bench.run(schedule)
    assert bench.integers(out, items + 16) == [5] * items + [0] * 16
    if group:
        assert bench.property("Command", command, "GroupSize") == [group, 1, 1]
        assert bench.property("Command", command, "GroupCount") == [-(-items // group), 1, 1]


_GROUPS = [(1 << 40, 1, 1), (1, 1 << 40, 1), (1 << 32, 1 << 32, 1), (1 << 22, 1 << 22, 1 << 22),
           ((1 << 64) - 1, 1, 1), (1 << 63, 2, 1)]  # fmt: skip


@pytest.mark.parametrize("group", _GROUPS)
def test_a_group_beyond_the_largest_is_refused(bench: Bench, group: tuple[int, ...]) -> None:
    _, command = ready(bench, bench.buffer(64))
    made = launch_3(group, group, (1, 1, 1))
    bench.native.refuse(
        ("NXS_InvalidWorkGroupSize", "NXS_InvalidGlobalWorkSize"), "FinalizeCommand", command, made
    )


def test_one_more_than_the_largest_group_is_refused(bench: Bench) -> None:
    most = bench.property("Device", bench.device, "MaxThreadsPerBlock")
    if most is None:
        most = bench.property("Device", bench.device, "MaxThreadsPerThreadgroup") or 1 << 31
    out = bench.buffer(bytes(4 * (most + 1)) if most < 1 << 20 else 64)
    _, command = ready(bench, out, 3, (most + 1) if most < 1 << 20 else 16)
    bench.native.refuse(
        "NXS_InvalidWorkGroupSize", "FinalizeCommand", command, launch(most + 1, most + 1)
    )


@pytest.mark.parametrize("group", [(4, 1, 0), (4, 0, 1), (0, 1, 1)])
def test_a_group_without_items_is_refused(bench: Bench, group: tuple[int, ...]) -> None:
    _, command = ready(bench, bench.buffer(64))
    made = launch_3((16, 1, 1), group, (4, 1, 1))
    bench.native.refuse("NXS_InvalidWorkGroupSize", "FinalizeCommand", command, made)


@pytest.mark.parametrize("group", [(0, 0, 0), (4, 1, 1)])
@pytest.mark.parametrize("grid", [(0, 1, 1), (4, 0, 1), (0, 1, 0)])
def test_an_empty_launch_does_nothing(
    bench: Bench, grid: tuple[int, ...], group: tuple[int, ...]
) -> None:
    out = bench.buffer(bytes(64))
    schedule, command = ready(bench, out, 5)
    count = tuple(-(-items // of) if of else 0 for items, of in zip(grid, group, strict=True))
    bench.native.get("FinalizeCommand", command, launch_3(grid, group, count))
    bench.run(schedule)
    assert bench.integers(out, 16) == [0] * 16


def test_more_local_memory_than_there_is_is_refused(bench: Bench) -> None:
    _, command = ready(bench, bench.buffer(64))
    for local in (1 << 50, (1 << 64) - 1):
        made = launch_3((4, 1, 1), (4, 1, 1), (1, 1, 1), local)
        bench.native.refuse("NXS_OutOfResources", "FinalizeCommand", command, made)


def test_a_command_is_finalized_again_with_another_size(bench: Bench) -> None:
    out = bench.buffer(bytes(64))
    schedule, command = ready(bench, out, 5)
    for items in (4, 16, 1, 9):
        bench.native.get("FinalizeCommand", command, launch(items))
        stream = bench.stream()
        bench.finish(stream, bench.fill(stream, out, 64, b"\0"))
        bench.run(schedule)
        assert bench.integers(out, 16) == [5] * items + [0] * (16 - items)
        assert bench.property("Command", command, "GridSize") == [items, 1, 1]


_FAILING: list[Any] = [launch_3((4, 1, 1), (4, 0, 1), (1, 1, 1)),
                       launch_3((1 << 40, 1, 1), (1 << 40, 1, 1), (1, 1, 1))]  # fmt: skip


@pytest.mark.parametrize("which", [0, 1])
def test_a_finalize_that_fails_leaves_the_command_as_it_was(bench: Bench, which: int) -> None:
    out = bench.buffer(bytes(64))
    schedule, command = ready(bench, out, 5)
    assert bench.native.try_("FinalizeCommand", command, _FAILING[which]) != "NXS_Success"
    assert bench.property("Command", command, "GridSize") is None
    bench.native.refuse("NXS_InvalidCommand", "RunSchedule", schedule, bench.stream(), 0)
    bench.native.get("FinalizeCommand", command, launch(4))
    before = [bench.property("Command", command, key) for key in ("GroupSize", "GridSize")]
    assert bench.native.try_("FinalizeCommand", command, _FAILING[which]) != "NXS_Success"
    assert before == [bench.property("Command", command, key) for key in ("GroupSize", "GridSize")]
    bench.run(schedule)
    assert bench.integers(out, 16) == [5] * 4 + [0] * 12


# ---- Commands that are not kernels, and releases ----


@pytest.mark.parametrize("kind", ["copy", "fill"])
def test_a_command_that_runs_no_kernel_has_no_arguments_and_no_size(
    bench: Bench, kind: str
) -> None:
    schedule, out, source = bench.schedule(), bench.buffer(bytes(64)), bench.buffer(b"\7" * 64)
    native = bench.native
    if kind == "copy":
        command = native.get("CreateCopyCommand", schedule, part(out, 0, 64), part(source, 0, 64))
    else:
        command = bench.create("CreateFillCommand", schedule, part(out, 0, 64), pattern(b"\7"), 1)
    argument = buffer_argument(source, 64)
    native.refuse("NXS_InvalidOperation", "SetCommandArgument", command, 0, argument)
    native.refuse("NXS_InvalidOperation", "FinalizeCommand", command, launch(4))
    for key in ("GroupSize", "GridSize", "GroupCount"):
        assert bench.property("Command", command, key) is None
    bench.run(schedule)
    assert bench.read(out, 64) == b"\7" * 64


def test_a_command_released_before_it_is_finalized_leaves_its_schedule(bench: Bench) -> None:
    schedule, out = bench.schedule(), bench.buffer(bytes(64))
    bench.fill_command(schedule, out, 1, 16)
    dropped = bench.raw_command(schedule)
    bench.fill_command(schedule, out, 2, 8)
    assert bench.property("Schedule", schedule, "Size") == 3
    bench.release("Command", dropped)
    bench.native.refuse("NXS_InvalidCommand", "ReleaseCommand", dropped)
    assert bench.property("Schedule", schedule, "Size") == 2
    bench.run(schedule)
    assert bench.integers(out, 16) == [2] * 8 + [1] * 8


def test_a_command_released_after_it_was_finalized_stays(bench: Bench) -> None:
    schedule, out = bench.schedule(), bench.buffer(bytes(64))
    command = bench.fill_command(schedule, out, 6, 16)
    fill = bench.native.get("CreateFillCommand", schedule, part(out, 0, 4), pattern(b"\1\0\0\0"), 4)
    bench.release("Command", command)
    bench.native.get("ReleaseCommand", fill)
    for name, rest in (("SetCommandArgument", (0, buffer_argument(out, 64))),
                       ("FinalizeCommand", (launch(4),))):  # fmt: skip
        bench.native.refuse("NXS_InvalidCommand", name, command, *rest)
    assert bench.property("Schedule", schedule, "Size") == 2
    bench.run(schedule)
    assert bench.integers(out, 16) == [1] + [6] * 15


def test_a_command_whose_creation_failed_is_not_in_the_schedule(bench: Bench) -> None:
    schedule, buffer = bench.schedule(), bench.buffer(64)
    bench.native.try_("CreateCopyCommand", schedule, part(buffer, 0, 8), part(buffer, 4, 8))
    bench.native.try_("CreateFillCommand", schedule, part(buffer, 0, 65), pattern(b"\1"), 1)
    bench.native.try_("CreateCommand", schedule, 0)
    assert bench.property("Schedule", schedule, "Size") == 0
