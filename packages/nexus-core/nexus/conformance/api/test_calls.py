# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels in one line: kernel(x, y, grid=n), kernel[grid, group](x, y), arrays in host
memory, arguments by name, threads that call one kernel, and what a call leaves behind."""

from __future__ import annotations

import gc
import itertools
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance._together import together
from nexus.conformance.api.workbench import COUNT, LONG, Obstacle, Workbench, values


def described(kernel: nexus.Kernel) -> nexus.Kernel:
    """Ends the test if the kernel does not report the names of its arguments."""
    if kernel.arguments is None or not all(each.name for each in kernel.arguments):
        not_applicable("the backend's kernels do not report the names of their arguments")
    return kernel


def test_a_call_runs_the_kernel_and_waits(work: Workbench) -> None:
    out = work.ints()
    kernel = work.kernels["fill_i32"]
    for value in (3, 4, -5):
        kernel(out, np.int32(value), grid=COUNT)
        assert values(out) == {value}


def test_each_call_uses_its_own_buffers(work: Workbench) -> None:
    add, one = work.kernels["add_i32"], work.ints(1)
    sums = [work.ints(i) for i in range(40)]
    for before, after in itertools.pairwise(sums):
        add(before, one, after, grid=COUNT, blocking=False)
    work.device.synchronize(LONG)
    assert [values(each) for each in sums] == [{i} for i in range(40)]


@pytest.mark.parametrize("group", [None, 4, (4, 1, 1)])
def test_square_brackets_give_the_grid_and_the_group(work: Workbench, group: Any) -> None:
    out, fill = work.ints(), work.kernels["fill_i32"]
    fill[COUNT](out, np.int32(1))
    assert values(out) == {1}
    fill[COUNT, group](out, np.int32(2), blocking=False)
    assert values(out) == {2}
    fill[(4,), group](out, np.int32(3))
    assert out.numpy().tolist() == [3] * 4 + [2] * (COUNT - 4)


def test_the_grid_is_in_work_items(work: Workbench) -> None:
    counter = work.ints(count=1)
    for grid, group in ((7, None), (7, 2), ((3, 2), None), ((2, 2, 2), (1, 2, 1)), (0, None)):
        counter.fill(0)
        work.kernels["count_up"](counter, grid=grid, group=group)
        assert values(counter) == {int(np.prod(grid))}


def test_a_call_is_work_of_its_stream(obstacle: Obstacle) -> None:
    work, stream = obstacle.work, obstacle.work.device.create_stream()
    outs = [work.ints() for _ in range(3)]
    with obstacle.before(stream) as release:
        for i, out in enumerate(outs):
            work.kernels["fill_i32"](
                out, np.int32(i + 1), grid=COUNT, stream=stream, blocking=False
            )
        release()
        stream.synchronize(LONG)
    assert [values(out) for out in outs] == [{1}, {2}, {3}]


def test_many_sizes_and_streams(work: Workbench) -> None:
    """Uses more than are kept, some of them closed."""
    out, fill = work.ints(count=64), work.kernels["fill_i32"]
    for turn in range(3):
        for grid in range(1, 40):
            with work.device.create_stream() as stream:
                out.fill(0)
                fill(out, np.int32(7), grid=grid, stream=stream)
                fill(out, np.int32(8), grid=grid, group=turn + 1, stream=stream)
                assert out.numpy().tolist() == [8] * grid + [0] * (64 - grid)


# ---- Arguments ----


def test_arguments_by_name(work: Workbench) -> None:
    add = described(work.kernels["add_i32"])
    a, b, out = work.ints(1), work.ints(2), work.ints()
    add(out=out, b=b, a=a, grid=COUNT)
    assert values(out) == {3}
    add(out, out=a, b=b, grid=COUNT)
    assert values(a) == {5}
    described(work.kernels["scale_f32"])(
        work.device.create_buffer(np.ones(4, np.float32)),
        out=(scaled := work.device.create_buffer((4,))),
        factor=2,
        grid=4,
    )
    assert values(scaled) == {2.0}


def test_commands_by_name(work: Workbench) -> None:
    add = described(work.kernels["add_i32"])
    a, b, out = work.ints(1), work.ints(2), work.ints()
    schedule = work.device.create_schedule()
    command = schedule.create_command(add, {"out": out, "a": a, 1: b}, None, COUNT)
    fill = schedule.create_command(work.kernels["fill_i32"], {"value": 1, "out": b}, None, COUNT)
    schedule.run(timeout=LONG)
    assert (values(out), values(b)) == ({3}, {1})
    fill.set_arg("value", 20)
    command.set_arg("a", b)
    command.set_buffer("b", a)
    assert command.get_buffer("a").shape == (COUNT,)
    schedule.run(timeout=LONG)
    schedule.run(timeout=LONG)
    assert values(out) == {21}


def test_local_memory_of_an_argument(work: Workbench) -> None:
    kernel = work.kernels["group_sum"]
    if kernel.arguments is None or kernel.arguments[2].kind != "local_memory":
        not_applicable("the backend's kernels do not describe local memory")
    sums = work.ints(count=2)
    for _ in range(2):
        kernel(work.ints(1, 16), sums, 4 * 8, grid=16, group=8)
        assert values(sums) == {8}
    array = np.ones(16, np.int32)
    kernel(array, sums, 4 * 16, grid=16, group=16)
    assert sums.numpy().tolist() == [16, 8]


def test_numbers_keep_the_rules_of_set_arg(work: Workbench) -> None:
    fill, out = work.kernels["fill_i32"], work.ints(5)
    if fill.arguments is None:
        with pytest.raises(TypeError, match="does not say how wide"):
            fill(out, 3, grid=COUNT)
        return
    for wrong, error in (
        (2**31, ValueError),
        (1.5, TypeError),
        ("1", TypeError),
        (None, TypeError),
    ):
        with pytest.raises(error, match="argument 1"):
            fill(out, wrong, grid=COUNT)
    assert values(out) == {5}
    fill(out, np.int64(7), grid=COUNT)
    assert values(out) == {7}


def test_wrong_arguments_are_named(work: Workbench) -> None:
    add, x = described(work.kernels["add_i32"]), work.ints()
    cases: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (TypeError, r"3 arguments \(a, b, out\), and 2 .*argument 2", lambda: add(x, x, grid=1)),
        (TypeError, "and 4 were given", lambda: add(x, x, x, x, grid=1)),
        (TypeError, r"argument 1 \('b'\)", lambda: add(x, out=x, grid=1)),
        (TypeError, r"argument 0 \('a'\).*twice", lambda: add(x, x, x, a=x, grid=1)),
        (ValueError, "'c'.*It has a, b, out", lambda: add(x, x, c=x, grid=1)),
        (TypeError, "no grid", lambda: add(x, x, x)),  # type: ignore[call-arg]
        (TypeError, "grid", lambda: add(x, x, x, grid=None)),  # type: ignore[arg-type]
        (ValueError, "grid is -1", lambda: add(x, x, x, grid=-1)),
        (ValueError, "group is 0", lambda: add(x, x, x, grid=1, group=0)),
        (TypeError, "stream", lambda: add(x, x, x, grid=1, stream=0)),  # type: ignore[arg-type]
        (TypeError, "blocking", lambda: add(x, x, x, grid=1, blocking=0)),  # type: ignore[arg-type]
        (TypeError, r"argument 0 \('a'\).*array", lambda: add(3, x, x, grid=1)),
        (ValueError, r"\(1, 2, 3\)", lambda: add[1, 2, 3]),
    ]
    for error, text, call in cases:
        with pytest.raises(error, match=text):
            call()
    assert values(x) == {0}


# ---- Arrays in host memory ----


@pytest.mark.promise("call-arrays")
def test_arrays_come_back_when_the_call_returns(work: Workbench) -> None:
    a, b = np.arange(COUNT, dtype=np.int32), np.full(COUNT, 10, np.int32)
    out = np.zeros(COUNT, np.int32)
    add = work.kernels["add_i32"]
    for turn in range(3):
        a += turn
        add(nexus.In(a), nexus.In(b), nexus.Out(out), grid=COUNT)
        assert out.tolist() == (a + b).tolist()
    add(a, work.ints(1), nexus.InOut(out), grid=COUNT)
    assert out.tolist() == (a + 1).tolist()


@pytest.mark.promise("call-arrays")
def test_a_plain_array_is_read_and_written(work: Workbench) -> None:
    x = np.arange(COUNT, dtype=np.int32)
    work.kernels["fill_i32"](x, np.int32(4), grid=COUNT // 2)
    assert x.tolist() == [4] * (COUNT // 2) + list(range(COUNT // 2, COUNT))


@pytest.mark.promise("call-arrays")
def test_arrays_of_a_call_that_does_not_block(obstacle: Obstacle) -> None:
    work, stream = obstacle.work, obstacle.work.device.create_stream()
    source, outs = np.full(COUNT, 3, np.int32), [np.zeros(COUNT, np.int32) for _ in range(4)]
    with obstacle.before(stream) as release:
        for i, out in enumerate(outs):
            work.kernels["add_i32"](
                nexus.In(source), work.ints(i), nexus.Out(out),
                grid=COUNT, stream=stream, blocking=False,
            )  # fmt: skip
        release()
        stream.synchronize(LONG)
    assert [set(out.tolist()) for out in outs] == [{3}, {4}, {5}, {6}]


@pytest.mark.promise("call-arrays")
def test_an_array_that_is_only_read_stays(work: Workbench) -> None:
    x = np.arange(COUNT, dtype=np.int32)
    work.kernels["fill_i32"](nexus.In(x), np.int32(9), grid=COUNT)
    assert x.tolist() == list(range(COUNT))
    x.flags.writeable = False
    out = work.ints()
    work.kernels["copy_i32"](nexus.In(x), out, grid=COUNT)
    assert out.numpy().tolist() == list(range(COUNT))
    out.fill(0)
    work.kernels["copy_i32"](nexus.In(np.arange(2 * COUNT, dtype=np.int32)[::2]), out, grid=COUNT)
    assert out.numpy().tolist() == list(range(0, 2 * COUNT, 2))


@pytest.mark.promise("call-arrays")
def test_an_array_with_strides_is_read_and_written(work: Workbench) -> None:
    x = np.arange(2 * COUNT, dtype=np.int32)
    work.kernels["copy_i32"](nexus.In(x[COUNT:]), nexus.Out(x[:COUNT][::-1]), grid=COUNT)
    assert x.tolist() == [*range(2 * COUNT - 1, COUNT - 1, -1), *range(COUNT, 2 * COUNT)]
    work.kernels["fill_i32"](x[1::2], np.int32(-7), grid=COUNT)
    assert set(x[1::2].tolist()) == {-7}
    assert -7 not in x[::2]


@pytest.mark.promise("call-arrays")
def test_arrays_at_one_address_are_told_apart(work: Workbench) -> None:
    fill, memory = work.kernels["fill_i32"], np.zeros(COUNT, np.int32)
    frozen = memory[:]
    frozen.flags.writeable = False
    for turn in range(1, 4):
        fill(memory, np.int32(turn), grid=COUNT)
        fill(memory[: COUNT // 2], np.int32(-turn), grid=COUNT // 2)
        assert memory.tolist() == [-turn] * (COUNT // 2) + [turn] * (COUNT // 2)
        with pytest.raises(ValueError, match=r"argument 0.*read-only"):
            fill(frozen, np.int32(9), grid=COUNT)
        if fill.arguments is not None:
            with pytest.raises(ValueError, match=r"argument 0.*float32"):
                fill(memory.view(np.float32), np.int32(9), grid=COUNT)
        fresh = np.full(COUNT, turn, np.int32)  # often where an earlier one was
        fill(fresh, np.int32(7), grid=1)
        assert fresh.tolist() == [7] + [turn] * (COUNT - 1)
        del fresh


def test_arrays_that_do_not_fit_are_refused(work: Workbench) -> None:
    fill = work.kernels["fill_i32"]
    frozen, strided = np.zeros(COUNT, np.int32), np.zeros(2 * COUNT, np.int32)[::2]
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match=r"argument 0.*C-contiguous"):
        fill(strided, np.int32(1), grid=1, blocking=False)
    masked = np.ma.masked_array(np.zeros(4, np.int32))
    for wrong in (frozen, frozen[::2], nexus.Out(frozen), masked):
        with pytest.raises((ValueError, TypeError), match="argument 0"):
            fill(wrong, np.int32(1), grid=1)
    assert not frozen.any()
    if fill.arguments is not None:
        with pytest.raises(ValueError, match=r"argument 0.*float64"):
            fill(np.zeros(COUNT), np.int32(1), grid=1)
    with pytest.raises(TypeError, match=r"array has to be .*Buffer"):
        nexus.In(work.ints())


# ---- Threads, memory, failure ----


@pytest.mark.promise("call-threads")
@pytest.mark.parametrize("own_streams", [False, True])
def test_eight_threads_call_one_kernel(work: Workbench, own_streams: bool) -> None:
    add, shared = work.kernels["add_i32"], work.device.create_stream()

    def use(number: int) -> None:
        stream = work.device.create_stream() if own_streams else shared
        one, sums = work.ints(number), [work.ints(), work.ints()]
        for i in range(60):
            add(sums[i % 2], one, sums[1 - i % 2], grid=COUNT, stream=stream, blocking=i % 3 == 0)
        stream.synchronize(LONG)
        assert values(sums[0]) == {60 * number}

    together(use)


def soon(is_so: Callable[[], bool]) -> bool:
    """Returns whether it becomes true soon: a backend may release a moment after the work."""
    deadline = time.monotonic() + LONG
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.001)
    return is_so()


@pytest.mark.promise("call-memory")
def test_a_call_keeps_no_buffer_and_lists_no_schedule(work: Workbench) -> None:
    kernel = work.kernels["fill_i32"]
    kernel(work.ints(), np.int32(1), grid=COUNT)
    before, lists = work.device.memory_used, [work.live("schedules"), work.live("buffers")]
    for blocking in (True, False):
        out = work.device.create_buffer((2**18,), "int32")
        kernel(out, np.int32(1), grid=COUNT, blocking=blocking)
        work.device.synchronize(LONG)
        assert work.device.memory_used > before
        out.close()
        assert soon(lambda: work.device.memory_used <= before)
    kernel(np.zeros(COUNT, np.int32), np.int32(1), grid=COUNT)
    assert soon(lambda: work.device.memory_used <= before)
    assert [work.live("schedules"), work.live("buffers")] == lists


@pytest.mark.promise("call-memory")
def test_a_kernel_and_an_array_end_with_the_last_reference(work: Workbench) -> None:
    library = work.load("elements")
    kernel, out = library.get_kernel("fill_i32"), work.ints()
    kernel(out, np.int32(1), grid=COUNT, blocking=False)
    array = np.zeros(COUNT, np.int32)
    kernel(array, np.int32(2), grid=COUNT)
    ended: list[weakref.ref[Any]] = [weakref.ref(kernel), weakref.ref(array)]
    del kernel, array
    gc.collect()
    assert soon(lambda: all(each() is None for each in ended))
    assert values(out) == {1}
    library.close()


def test_a_call_that_fails_leaves_the_kernel_usable(work: Workbench) -> None:
    fill, out = work.kernels["fill_i32"], work.ints()
    closed = work.ints()
    closed.close()
    for _ in range(3):
        with pytest.raises(nexus.NexusError):
            fill(closed, np.int32(1), grid=COUNT)
        with pytest.raises((ValueError, nexus.NexusError), match="group_size"):
            fill(out, np.int32(2), grid=COUNT, group=2**40)
        fill(out, np.int32(3), grid=COUNT)
        assert values(out) == {3}
        out.fill(0)


def test_short_properties(work: Workbench) -> None:
    device = work.device
    assert device.backend == device.runtime.get_property_str("Name")
    names = {
        "name": "Name", "vendor": "Vendor", "architecture": "Architecture",
        "memory_size": "GlobalMemorySize", "compute_units": "CoreCount",
    }  # fmt: skip
    for short, name in names.items():
        if name in device.properties:
            assert getattr(device, short) == device.properties[name]
        else:
            with pytest.raises(nexus.PropertyNotFoundError):
                getattr(device, short)
