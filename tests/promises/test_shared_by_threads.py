# SPDX-License-Identifier: Apache-2.0
"""Eight threads that use the same Python objects: what the module keeps for all threads is locked
where Python has no GIL."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest
from eventually import eventually
from workload import COUNT, LONG, Workload, allowing, values

import nexus
from nexus.conformance._together import together

pytestmark = pytest.mark.smoke

THREADS = 8
ROUNDS = 100

Made = TypeVar("Made")


@pytest.fixture
def work(on_cpu: Workload) -> Workload:
    return on_cpu


def in_rounds(make: Callable[[], Made], use: Callable[[Made, int], None]) -> None:
    """In each round calls use(made, number) on eight threads at once, with what make() returned."""
    made: list[Made] = []

    def renew() -> None:
        made.clear()  # before make(), which could get the same object again
        made.append(make())

    begin = threading.Barrier(THREADS, renew)

    def act(number: int) -> None:
        try:
            for _ in range(ROUNDS):
                begin.wait(LONG)
                use(made[0], number)
        except BaseException:
            begin.abort()
            raise

    together(act, THREADS)


def test_eight_threads_share_one_object_of_each_kind(work: Workload) -> None:
    device, stream, out = work.device, work.device.create_stream(), work.ints()
    kernel, schedule = work.load().get_kernel("fill_i32"), work.device.create_schedule()
    work.copy(schedule, out, work.ints())

    def use(number: int) -> None:
        for _ in range(ROUNDS):
            kernel(out, number, grid=COUNT, stream=stream, blocking=False)
            schedule.run(stream, blocking=False)
            out.copy_from(np.full(COUNT, number, np.int32), stream=stream, blocking=False)
            assert schedule.get_commands()[0].get_kernel().device is device
            assert out.get_property_int("Size") == memoryview(out).nbytes
        stream.synchronize(LONG)

    together(use)
    assert values(out) <= set(range(THREADS))
    out.close()


def test_eight_threads_get_one_instance_of_an_object(work: Workload) -> None:
    schedule = work.device.create_schedule()
    work.copy(schedule, work.ints(), work.ints())

    def use(_: int) -> None:
        for _ in range(20 * ROUNDS):  # the instance is made and dropped all the time
            command = schedule.get_commands()[0]
            assert schedule.get_commands()[0] is command

    together(use)


def test_eight_threads_call_a_new_kernel(work: Workload) -> None:
    outs = [work.ints() for _ in range(THREADS)]

    def use(kernel: nexus.Kernel, number: int) -> None:
        kernel(outs[number], number, grid=COUNT)

    in_rounds(lambda: work.load().get_kernel("fill_i32"), use)
    assert [values(out) for out in outs] == [{number} for number in range(THREADS)]


def test_eight_threads_view_a_new_buffer(work: Workload) -> None:
    last: list[nexus.Buffer] = []

    def make() -> nexus.Buffer:
        if last:
            last.pop().close()  # refused if a view is counted that is gone
        last.append(work.ints())
        return last[0]

    def use(buffer: nexus.Buffer, _: int) -> None:
        with memoryview(buffer) as view:
            assert view.shape == (COUNT,)
            assert view.strides == (4,)
        assert buffer.dtype is work.ints().dtype

    in_rounds(make, use)


def test_eight_threads_read_the_constants_of_a_buffer_that_one_closes(work: Workload) -> None:
    def use(buffer: nexus.Buffer, number: int) -> None:
        for _ in range(10):
            with allowing("closed"):
                assert buffer.get_property_int("Size") == 4 * COUNT
        if number == 0:
            buffer.close()

    in_rounds(work.ints, use)


def test_eight_threads_copy_without_blocking(work: Workload) -> None:
    kept: list[weakref.ref[object]] = []

    def use(stream: nexus.Stream, number: int) -> None:
        array, out = np.full(COUNT, number, np.int32), work.ints()
        out.copy_from(array, stream=stream, blocking=False)
        kept.append(weakref.ref(array))
        stream.synchronize(LONG)
        assert values(out) == {number}

    in_rounds(work.device.create_stream, use)
    work.device.synchronize(LONG)
    assert len(kept) == THREADS * ROUNDS
    assert eventually(lambda: not any(array() is not None for array in kept))


def test_eight_threads_that_use_a_new_structured_dtype_get_one_data_type(work: Workload) -> None:
    names = iter(f"shared{number}" for number in range(ROUNDS))
    found: list[nexus.Buffer] = []

    def use(name: str, _: int) -> None:
        found.append(work.device.create_buffer((2,), np.dtype([(name, "i4")])))

    in_rounds(lambda: next(names), use)
    assert len({id(buffer.dtype) for buffer in found}) == ROUNDS
