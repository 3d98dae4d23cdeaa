# SPDX-License-Identifier: Apache-2.0
"""Copies in another library's stream fail at each call, and write nothing after the error."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest
from cuda_bench import COUNT, LONG, UNKNOWN, Bench, unused_device
from driver_functions import DRIVER
from failure_programs import THREAD_DEFAULT, Program, copy_in, holding, outcome

import nexus
from nexus.status import Status

ILLEGAL_ADDRESS = 700
CALLED = (
    "cuCtxGetCurrent", "cuCtxPushCurrent", "cuCtxPopCurrent", "cuPointerGetAttribute",
    "cuStreamIsCapturing", "cuMemcpyAsync", "cuEventRecord", "cuStreamWaitEvent",
)  # fmt: skip
WAITS = ("cuStreamSynchronize", "cuStreamQuery", "cuEventQuery")
FOLLOWING = ("cuEventRecord", "cuStreamWaitEvent")  # order our own stream behind theirs
BEHIND = {  # the call behind a copy to page-locked memory
    "another library's": 1,
    "the thread's default": 2,
}


@pytest.fixture(params=BEHIND)
def theirs(request: pytest.FixtureRequest) -> str:
    """Returns a foreign stream whose work ours must follow."""
    kind: str = request.param
    return kind


@dataclass
class Copied:
    """The outcome of a copy behind blocked work.

    Attributes:
        error: what the call raised.
        at_once: the array's contents when the call returned.
        later: its contents when all work had ended.
        met: the number of failures that occurred.
        called: the driver's functions that it called.
    """

    error: nexus.NexusError | None
    at_once: list[float]
    later: list[float]
    met: int
    called: set[str] = field(default_factory=set, compare=False)


@contextmanager
def released_when_awaited(bench: Bench, waits: Collection[str] = WAITS) -> Iterator[None]:
    """Unblocks the kernels when one of these functions is called, or at the end."""
    left = threading.Event()

    def release() -> None:
        while not any(map(bench.driver.calls, waits)) and not left.wait(0.001):
            pass
        bench.driver.release()

    bench.driver.forget()
    watching = threading.Thread(target=release)
    watching.start()
    try:
        yield
    finally:
        left.set()
        watching.join()


@contextmanager
def busy_stream(bench: Bench, theirs: str) -> Iterator[nexus.Stream]:
    """Yields a stream over a foreign one in which a kernel is blocked."""
    work = bench.scaling(bench.floats(1), 1, bench.floats())
    with bench.device.create_stream() as made, holding(bench, "scale"):
        handle = handle_of(theirs, made)
        with bench.device.create_stream(foreign=handle) as before:
            work.run(before, blocking=False)
            with bench.device.create_stream(foreign=handle) as stream:
                yield stream
            bench.driver.release()
            before.synchronize(LONG)


def handle_of(theirs: str, made: nexus.Stream) -> int:
    """Returns the handle of the foreign stream; `made` is another library's."""
    return THREAD_DEFAULT if theirs == "the thread's default" else made.native_handle


def copy_behind_work(
    bench: Bench, theirs: str, array: npt.NDArray[np.float32], *failures: tuple[str, int]
) -> Copied:
    """Copies to an array while calls of the driver fail."""
    source = bench.floats(2)
    with busy_stream(bench, theirs) as stream:
        for function, nth in failures:
            bench.driver.fail(function, nth, UNKNOWN)
        with released_when_awaited(bench):
            error = outcome(bench, lambda _: source.copy(array, stream, blocking=False))
            at_once: list[float] = array.tolist()
            called = {each for each in DRIVER if bench.driver.calls(each)}
        met = len(failures) - bench.driver.clear_failures()
        if error is None:
            stream.synchronize(LONG)
    return Copied(error, at_once, array.tolist(), met, called)


def page_locked(bench: Bench) -> npt.NDArray[np.float32]:
    """Returns memory that the driver copies to directly."""
    return np.asarray(bench.floats(memory="host"))


def test_what_such_a_copy_calls_is_made_to_fail(bench: Bench) -> None:
    for theirs in (*BEHIND, *BEHIND):  # the first ones may make events
        copied = copy_behind_work(bench, theirs, page_locked(bench))
        assert copied == Copied(None, [0] * COUNT, [2] * COUNT, met=0)
    by_others = {*WAITS, "cuMemFreeHost", "cuLibraryUnload"}  # of the thread that frees
    assert copied.called - by_others <= set(CALLED)


@pytest.mark.parametrize("times", [1, 2, 4])
@pytest.mark.parametrize("function", CALLED)
def test_nothing_is_written_once_the_error_is_raised(
    bench: Bench, theirs: str, function: str, times: int
) -> None:
    for nth in range(1, 20):
        copied = copy_behind_work(bench, theirs, page_locked(bench), *[(function, nth)] * times)
        if copied.error is not None:
            assert f"{function} returned CUDA_ERROR_UNKNOWN (999)" in str(copied.error)
            assert copied.at_once == copied.later
        else:
            assert copied.later == [2] * COUNT
        bench.check_works()
        if not copied.met:
            break
    assert copied.met == 0


@pytest.mark.parametrize("function", FOLLOWING)
def test_a_stream_is_followed_at_the_second_try(bench: Bench, theirs: str, function: str) -> None:
    copied = copy_behind_work(bench, theirs, page_locked(bench), (function, BEHIND[theirs]))
    assert copied == Copied(None, [0] * COUNT, [2] * COUNT, met=1)


@pytest.mark.parametrize("function", FOLLOWING)
def test_a_copy_that_can_not_be_followed_has_ended(
    bench: Bench, theirs: str, function: str
) -> None:
    failures = [(function, BEHIND[theirs])] * 2
    copied = copy_behind_work(bench, theirs, page_locked(bench), *failures)
    assert copied.error is not None
    assert copied.error.status == Status.NXS_InternalError
    assert copied.at_once == copied.later == [2] * COUNT


def test_a_large_copy_that_can_not_be_followed_has_ended(bench: Bench, theirs: str) -> None:
    large = np.full(3 << 20, 2, np.float32)
    source, array = bench.device.create_buffer(large), np.zeros_like(large)
    with busy_stream(bench, theirs) as stream:
        for _ in range(2):  # behind the one of the copy itself
            bench.driver.fail("cuEventRecord", BEHIND[theirs] + 1, UNKNOWN)
        with released_when_awaited(bench, ["cuStreamSynchronize"]):
            error = outcome(bench, lambda _: source.copy(array, stream, blocking=False))
            at_once = array.copy()
        assert bench.driver.clear_failures() == 0
    assert error is not None
    assert error.status == Status.NXS_InternalError
    assert np.array_equal(at_once, large)


def test_memory_on_the_way_is_not_given_to_others_while_it_is_written(
    bench: Bench, theirs: str
) -> None:
    ours, others = np.zeros(COUNT, np.float32), np.zeros(COUNT, np.float32)
    source, given = bench.floats(2), bench.floats(7)
    with bench.device.create_stream() as other, ExitStack() as busy:
        stream = busy.enter_context(busy_stream(bench, theirs))
        for _ in range(8):  # more than are tried
            bench.driver.fail("cuStreamWaitEvent", BEHIND[theirs], UNKNOWN)
        with released_when_awaited(bench, ["cuStreamSynchronize"]):
            assert outcome(bench, lambda _: source.copy(ours, stream, blocking=False)) is not None
            bench.driver.clear_failures()
            bench.settle()  # memory that the plug-in considers free is free then
            given.copy(others, other, blocking=False)
        busy.close()
        other.synchronize(LONG)
    assert others.tolist() == [7] * COUNT


@pytest.mark.parametrize("function", FOLLOWING)
def test_a_device_that_is_lost_is_asked_no_second_time(
    bench: Bench, theirs: str, function: str
) -> None:
    victim = bench.on(unused_device())
    made = victim.device.create_stream()
    handle = handle_of(theirs, made)
    copy_in(victim, handle)
    bench.driver.fail(function, BEHIND[theirs], ILLEGAL_ADDRESS)
    uses: list[Program] = [lambda each: copy_in(each, handle), lambda each: each.floats()]
    for use in uses:
        error = outcome(victim, use)
        assert error is not None
        assert error.status == Status.NXS_DeviceLost
        assert f"{function} returned CUDA_ERROR_ILLEGAL_ADDRESS (700)" in str(error)
    bench.check_works()
