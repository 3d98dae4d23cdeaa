# SPDX-License-Identifier: Apache-2.0
"""Errors of calls and of work in a trace."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from trace_format import Event, check_trace, of_phase

Run = Callable[..., subprocess.CompletedProcess[str]]

LATE = """
import sys, nexus
from traced_program import Bench
bench = Bench("faulty", sys.argv[1])
stream = bench.device.create_stream()
failing = bench.device.create_schedule()
failing.create_command(bench.library.get_kernel("fail"), (), 1, 1)
filling = bench.filling()
nexus._core.set_config("faulty.faults", "FillBuffer=slow:20")
bench.buffer.fill(1, stream=stream, blocking=False)
failing.run(stream, blocking=False)
filling.run(stream, blocking=False)
try:
    stream.synchronize()
except nexus.NexusError:
    stream.close()
"""
REFUSED = """
import sys, nexus
from traced_program import Bench
bench = Bench("faulty", sys.argv[1])
filling = bench.filling()
nexus._core.set_config("faulty.faults", "RunSchedule=NXS_OutOfResources")
try:
    filling.run()
except nexus.NexusError:
    pass
nexus._core.set_config("faulty.faults", "")
filling.run()
"""
HELD = """
import sys, nexus
from traced_program import Bench
bench = Bench("faulty", sys.argv[1])
filling = bench.filling()
nexus._core.set_config("faulty.faults", "RunSchedule=hold")
nexus._core.set_config("faulty.gate", "")
filling.run(blocking=False)
filling.run(blocking=False)
"""

ENDS = """
import sys, nexus
from traced_program import Bench
bench = Bench("faulty", sys.argv[1])
stream = bench.device.create_stream()
filling = bench.filling()
nexus._core.set_config("faulty.faults", "SignalEvent=slow:50")
filling.run(stream)
filling.run(stream, blocking=False)
stream.close()
"""


@pytest.fixture(params=["device", "host"])
def trace_of(
    request: pytest.FixtureRequest, run_traced: Run, faulty_manifest: Path, tmp_path: Path
) -> Callable[[str], list[Event]]:
    """The events of a program's text, whose times the device has, or the host observes."""

    def run(text: str) -> list[Event]:
        file = tmp_path / "trace.json"
        begin = "import nexus\nnexus._core.set_config('faulty.faults', {!r})\n"
        fault = "GetElapsedTime=NXS_NotSupported" if request.param == "host" else ""
        done = run_traced(file, "-c", begin.format(fault) + text, str(faulty_manifest))
        assert (done.returncode, done.stderr) == (0, "")
        events: list[Event] = json.loads(file.read_text())
        check_trace(events)
        return events

    return run


def works(events: list[Event]) -> list[tuple[str, str]]:
    """Names and states of work, in its order."""
    found = [each for each in of_phase(events, "X") if each["cat"] in ("kernel", "fill")]
    found.sort(key=lambda each: each["ts"])
    return [(each["name"], each["args"]["state"]) for each in found]


def errors(events: list[Event]) -> list[Event]:
    return [each for each in of_phase(events, "i") if each["cat"] == "error"]


def test_work_that_fails_later_is_told_with_its_cause(
    trace_of: Callable[[str], list[Event]],
) -> None:
    events = trace_of(LATE)
    assert works(events) == [
        ("fill", "completed"),
        ("fail", "failed"),
        ("fill_f32", "not run, since the stream had failed"),
    ]
    of_work = [each for each in errors(events) if "cause" in each["args"]]
    assert len(of_work) == 1
    assert "fail always fails" in of_work[0]["args"]["cause"]
    (failed,) = [each for each in of_phase(events, "X") if each["name"] == "fail"]
    assert (of_work[0]["pid"], of_work[0]["tid"]) == (failed["pid"], failed["tid"])


def test_a_call_that_is_refused_submits_nothing_and_says_why(
    trace_of: Callable[[str], list[Event]],
) -> None:
    events = trace_of(REFUSED)
    assert works(events) == [("fill_f32", "completed")]
    (error,) = errors(events)
    assert error["name"] == "NXS_OutOfResources"
    assert error["args"]["function"] == "nxsRunSchedule"
    calls = [each for each in of_phase(events, "X") if each["name"] == "nxsRunSchedule"]
    assert calls[0]["args"]["status"].startswith("NXS_OutOfResources")
    assert "status" not in calls[1]["args"]


def test_work_that_never_ends_is_told_at_the_end(trace_of: Callable[[str], list[Event]]) -> None:
    unfinished = "not known to be finished at the end of the trace"
    assert works(trace_of(HELD)) == [("fill_f32", unfinished)] * 2


def test_work_that_is_done_as_the_program_ends_is_told_so(
    trace_of: Callable[[str], list[Event]],
) -> None:
    assert works(trace_of(ENDS)) == [("fill_f32", "completed")] * 2
