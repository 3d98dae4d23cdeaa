# SPDX-License-Identifier: Apache-2.0
"""Each call of the driver in the programs fails once: error, state and leaks."""

from __future__ import annotations

import pytest
from cuda_bench import COUNT, LONG, UNKNOWN, Bench
from driver_functions import BACKEND, DRIVER, UNKNOWN_NAME, named
from failure_programs import PROGRAMS, Program, holding, outcome, read
from failure_rules import KEPT, NO_ERROR, SAVING, STARTING, STATUSES, UNREACHED

import nexus
from nexus.status import Status

MOST = 3  # places of a function in one program
REPEATS = 3  # a pool may grow for a while; what grows each time is a leak


def check_error(function: str, error: nexus.NexusError) -> None:
    """Checks that the message says what failed, whose function, and what to do."""
    if function in SAVING and error.native_code == 2:
        assert "release buffers" in str(error)
        return
    assert f"{function} returned {UNKNOWN_NAME} (999)" in str(error)
    assert error.status == STATUSES.get(function, Status.NXS_InternalError)
    assert (error.native_code, error.backend) == (UNKNOWN, BACKEND)
    assert ";" in str(error)  # what can be done


def fail_once(bench: Bench, function: str, nth: int, program: Program) -> bool | None:
    """Returns whether the program raised; None without such a call. All must work afterwards."""
    bench.driver.fail(function, nth, UNKNOWN)
    error = outcome(bench, program)
    bench.settle()  # a thread of the plug-in may be the one that meets it
    if bench.driver.clear_failures():
        return None
    if error is not None:
        check_error(function, error)
    bench.check_works()
    return error is not None


def test_each_function_is_reached_or_it_is_said_why_not(reached: dict[str, dict[str, int]]) -> None:
    missing = {function for function, programs in reached.items() if not programs}
    assert missing - set(STARTING) - set(UNREACHED) == set()
    assert set(NO_ERROR) | set(KEPT) | set(STATUSES) | set(STARTING) | set(UNREACHED) <= set(DRIVER)


@pytest.mark.parametrize("function", [each for each in DRIVER if each not in UNREACHED])
def test_a_failure_is_told_and_leaves_nothing(
    bench: Bench, reached: dict[str, dict[str, int]], function: str
) -> None:
    raised = []
    for name, calls in reached[function].items():
        if function in KEPT and name == "exhausted":
            continue  # then there is less memory for good
        for nth in range(1, min(calls, MOST) + 1):
            leaks: dict[str, int] = {}
            for _ in range(REPEATS):
                before = bench.begin()
                told = fail_once(bench, function, nth, PROGRAMS[name])
                leaks = bench.leaks(before, KEPT.get(function, ()))
                # Conditions need a graph.
                if told is not None and (name != "conditions" or function not in NO_ERROR):
                    raised.append(told)
                if not leaks:
                    break
            assert leaks == {}, (name, nth)
    if raised and function not in SAVING:
        assert any(raised) == (function not in NO_ERROR)


@pytest.mark.skipif(BACKEND == "hip", reason="HIP returns the name, and no error")
def test_where_an_error_has_no_name_its_number_is_told(bench: Bench) -> None:
    for _ in range(8):  # each time that the words are made
        bench.driver.fail("cuGetErrorName", 1, 1)
    bench.driver.fail("cuCtxGetStreamPriorityRange", 1, UNKNOWN)
    with pytest.raises(nexus.NexusError, match="cuCtxGetStreamPriorityRange returned error 999"):
        bench.device.create_stream()


def test_a_callback_that_was_refused_does_not_come(bench: Bench) -> None:
    """Also if the driver accepted it, and then refused the event behind it."""
    told: list[object] = []
    for _ in range(30):
        bench.settle()  # else the end of the stream before may take the failure
        with bench.device.create_stream() as stream:
            bench.driver.fail(named("cuEventRecord"), 1, UNKNOWN)
            with pytest.raises(nexus.NexusError, match=named("cuEventRecord")):
                stream.add_callback(told.append)
    bench.settle()
    assert told == []


def test_a_run_that_the_driver_took_in_part_is_in_flight_until_its_end(bench: Bench) -> None:
    out = bench.floats()
    schedule = bench.scaling(bench.floats(1), 2, out)
    bench.scale(schedule, bench.floats(1), 3, bench.floats())
    with bench.device.create_stream() as first, bench.device.create_stream() as second:
        with holding(bench, "scale"):
            bench.driver.fail(named("cuLaunchKernelEx"), 2, UNKNOWN)
            with pytest.raises(nexus.NexusError, match=named("cuLaunchKernelEx")):
                schedule.run(first, blocking=False)
            with pytest.raises(nexus.NexusError, match="in flight"):
                bench.scale(schedule, bench.floats(1), 3, bench.floats())
            schedule.run(second, blocking=False)
        second.synchronize(LONG)
        assert read(out, second) == [2] * COUNT


@pytest.mark.parametrize("memory", ["host", "managed"])
def test_memory_that_can_only_be_freed_later_is_no_longer_counted(
    bench: Bench, memory: nexus.Memory
) -> None:
    bench.begin()
    before = bench.device.memory_reserved
    buffer = bench.device.create_buffer(COUNT, memory=memory)
    # Else there may be nothing to make current.
    if BACKEND == "hip":
        bench.driver.call("hipSetDevice", 0)
    else:
        bench.driver.call("cuCtxSetCurrent", None)
    bench.driver.fail(named("cuCtxPushCurrent"), 1, UNKNOWN)
    buffer.close()
    assert bench.driver.clear_failures() == 0
    assert bench.device.memory_reserved == before
