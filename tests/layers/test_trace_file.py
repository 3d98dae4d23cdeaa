# SPDX-License-Identifier: Apache-2.0
"""NEXUS_LAYERS=trace: the calls and the work of a program, in a file that Perfetto reads."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from trace_format import Event, check_trace, of_phase, tracks
from traced_program import COUNT, RUNS

from nexus._trace._file import Trace, read_trace
from nexus._trace._summary import summarize

PROGRAM = Path(__file__).with_name("traced_program.py")
BYTES = 4 * COUNT
WITHOUT_TIMES = "GetElapsedTime=NXS_ProfilingInfoNotAvailable"


@pytest.fixture(scope="module", params=["cpu", "faulty", "faulty without times"])
def written(
    request: pytest.FixtureRequest,
    run_traced: Callable[..., subprocess.CompletedProcess[str]],
    faulty_manifest: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, Path]:
    """A backend, and the trace of the program on it."""
    backend = str(request.param)
    file = tmp_path_factory.mktemp("trace") / "trace.json"
    words = ["cpu"] if backend == "cpu" else ["faulty", str(faulty_manifest)]
    words += [WITHOUT_TIMES] if "without" in backend else []
    done = run_traced(file, PROGRAM, *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return backend, file


@pytest.fixture
def events(written: tuple[str, Path]) -> list[Event]:
    """Its events."""
    loaded: list[Event] = json.loads(written[1].read_text())
    return loaded


@pytest.fixture
def trace(written: tuple[str, Path]) -> Trace:
    """Its parts."""
    return read_trace(written[1])


def works(events: list[Event], name: str) -> list[Event]:
    """The work of that name."""
    return [each for each in of_phase(events, "X") if each["name"] == name and is_work(each)]


def is_work(event: Event) -> bool:
    return event["cat"] not in ("call", "range")


def test_the_file_is_a_trace(events: list[Event]) -> None:
    check_trace(events)


def test_each_run_is_there_with_the_kernels_name(events: list[Event]) -> None:
    runs = works(events, "fill_f32")
    assert len(runs) == 2 * RUNS + 2
    assert {each["cat"] for each in runs} == {"kernel"}
    assert {each["args"]["size"] for each in runs} == {f"grid {COUNT}, groups of 64"}


def test_a_run_of_several_commands_lists_them(events: list[Event]) -> None:
    (run,) = works(events, "3 commands: fill_f32, fill_f32, fill_f32")
    assert run["cat"] == "schedule"
    assert run["args"]["commands"] == [f"fill_f32 (grid {COUNT}, groups of 64)"] * 3


def test_a_run_of_nested_schedules_lists_their_commands(events: list[Event]) -> None:
    (run,) = works(events, "4 commands: fill_f32, fill_f32, fill_f32, ...")
    assert run["args"]["commands"] == [f"fill_f32 (grid {COUNT}, groups of 64)"] * 4


def test_copies_and_fills_have_bytes_and_a_rate(events: list[Event]) -> None:
    for name in ("copy on the device", "copy to the host"):
        (copy,) = works(events, name)
        assert copy["args"]["bytes"] == copy["args"]["copied"] == BYTES
        assert float(copy["args"]["GB/s"]) > 0
    (fill,) = works(events, "fill")
    assert fill["args"]["bytes"] == BYTES


def test_work_is_complete_and_says_how_its_times_are_known(
    written: tuple[str, Path], events: list[Event], trace: Trace
) -> None:
    expected = "host" if "without" in written[0] else "device"
    found = [each for each in of_phase(events, "X") if is_work(each)]
    assert {each["args"]["state"] for each in found} == {"completed"}
    assert {each["args"]["times"] for each in found} == {expected}
    (label,) = trace.labels.values()
    assert label.startswith("times as the host" if expected == "host" else "times of the device")


def test_streams_are_tracks_of_their_device(written: tuple[str, Path], trace: Trace) -> None:
    names = sorted(trace.processes.values())
    assert len(names) == 2
    assert sum(name.startswith(f"{written[0].split()[0]}:0 ") for name in names) == 1
    (device,) = {each.track[0] for each in trace.work}
    streams = [name for track, name in trace.tracks.items() if track[0] == device]
    assert sorted(name.split(" (")[0] for name in streams) == ["stream 1", "stream 2"]


def test_a_wait_for_an_event_is_a_slice_and_a_signal_a_moment(
    written: tuple[str, Path], events: list[Event]
) -> None:
    (signal,) = works(events, "signal")
    assert signal["dur"] == 0.001
    waits = works(events, "wait for an event")
    assert written[0] == "cpu" or len(waits) == 1
    assert {each["cat"] for each in waits} <= {"wait"}
    assert {each["args"]["event"] for each in waits} <= {signal["args"]["event"]}


def test_calls_have_arguments_results_and_their_thread(events: list[Event], trace: Trace) -> None:
    calls = {each.name: each for each in trace.calls}
    made = calls["nxsCreateBuffer"].details
    assert made["size"] == str(BYTES)
    assert made["out_buffer"].startswith("buffer#")
    threads = {each.track for each in trace.calls if each.name == "nxsRunSchedule"}
    assert {trace.tracks[track] for track in threads} >= {"main"}
    assert len(threads) == 2
    assert threads < {each.track for each in trace.calls}  # what is asked when a backend is loaded


def test_the_programs_own_ranges_hold_its_calls(events: list[Event], trace: Trace) -> None:
    (shown,) = trace.ranges
    assert shown.name == "the part that does not block"
    within = [
        each.name for each in trace.calls if shown.begin <= each.begin <= each.end <= shown.end
    ]
    assert within.count("nxsRunSchedule") == RUNS
    (mark,) = [each for each in of_phase(events, "i") if each["cat"] == "mark"]
    assert mark["name"] == "submitted"
    assert shown.begin <= mark["ts"] <= shown.end


def test_counters_tell_memory_and_bytes(events: list[Event]) -> None:
    def values(name: str) -> list[int]:
        return [each["args"]["value"] for each in of_phase(events, "C") if each["name"] == name]

    assert max(values("memory allocated (bytes)")) >= 2 * BYTES
    assert values("copied (bytes)")[-1] == 3 * BYTES  # the first buffer was made of an array
    assert max(values("work in flight")) >= 1


def test_work_of_a_stream_does_not_overlap(events: list[Event]) -> None:
    for slices in tracks(events).values():
        if is_work(slices[0]):
            ends = [round(each["ts"] + each["dur"], 3) for each in slices]
            begins = [each["ts"] for each in slices]
            assert all(end <= begin for end, begin in zip(ends, begins[1:], strict=False))


def test_the_summary_counts_all_of_it(trace: Trace) -> None:
    summary = summarize(trace)
    kernels = {each.name: each for each in summary.kernels}
    assert kernels["fill_f32"].count == 2 * RUNS + 2
    assert kernels["fill_f32"].mean <= kernels["fill_f32"].longest <= kernels["fill_f32"].total
    assert abs(sum(each.share for each in summary.kernels) - 1) < 1e-9
    copies = {each.name: each for each in summary.copies}
    assert copies["copy to the host"].copied == BYTES
    assert all(0 <= each.idle <= 1 for each in summary.streams)
    assert [each.count for each in summary.streams] == counted(trace)
    assert summary.unfinished == []
    assert summary.errors == []


def counted(trace: Trace) -> list[int]:
    """The works of each stream, without what is a moment."""
    found: dict[Any, int] = {}
    for each in trace.work:
        found[each.track] = found.get(each.track, 0) + (each.category != "mark")
    return [count for _, count in sorted(found.items())]
