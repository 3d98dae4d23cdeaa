# SPDX-License-Identifier: Apache-2.0
"""Each function of a plug-in fails at once: the error says so, and nothing is left behind."""

from __future__ import annotations

import itertools
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from faulty_device import COUNT, KERNELS, LONG, REFUSED, Bench, faults, gate, live_objects

import nexus
from nexus import event_type

FUNCTIONS = re.findall(
    r"^NXS_FUNCTION\(\w+, \d+, (\w+),",
    Path(nexus.get_include(), "nexus-api", "nxs_functions.def").read_text("utf-8"),
    re.MULTILINE,
)


def elapsed(bench: Bench) -> float:
    start = bench.device.create_event(timing=True)
    end = bench.device.create_event(timing=True)
    bench.stream.signal(start)
    bench.stream.signal(end)
    bench.stream.synchronize(LONG)
    return end.elapsed_ms(start)


def load_file(bench: Bench, path: Path) -> nexus.Library:
    path.write_bytes(KERNELS)
    return bench.device.load_library(path)


def wait_across(bench: Bench) -> None:
    with gate(), faults("FillBuffer=hold", "WaitEvent=NXS_OutOfResources"):
        bench.buffer.fill(1, stream=bench.stream, blocking=False)
        bench.stream.signal(bench.event)
        bench.device.create_stream().wait(bench.event)


def run_nested(bench: Bench) -> None:
    outer = bench.filling(1)
    outer.create_schedule_command(bench.filling(2))
    outer.run(bench.stream)


def run_branches(bench: Bench) -> None:
    schedule = bench.filling(1)
    schedule.create_fill_command(bench.buffer, 1)
    schedule.create_fill_command(bench.buffer, 2, after=[])
    schedule.run(bench.stream)


def while_running(bench: Bench, function: str, ask: Callable[[], object]) -> None:
    with gate(), faults("FillBuffer=hold", f"{function}=NXS_OutOfResources"):
        bench.buffer.fill(1, stream=bench.stream, blocking=False)
        ask()


def compile_anew(bench: Bench) -> nexus.Library:
    """A program that no cache has."""
    name = f"program{next(NUMBERS)}"
    return bench.device.compile("kernel fill_f32\n", "reference", name)


def to_new(bench: Bench) -> np.ndarray:
    return np.asarray(bench.floats())


def share(bench: Bench) -> object:
    shared = bench.device.create_buffer(64, shareable=True)
    return pickle.loads(pickle.dumps(shared))


NUMBERS = itertools.count()

# Calls of the C-API, by the function's name without nxs.
CALLS: dict[str, Callable[[Bench], object]] = {
    "GetRuntimeProperty": lambda b: b.device.runtime.get_property_str("Description"),
    "GetDeviceProperty": lambda b: b.device.get_property_str("Description"),
    "CreateBuffer": lambda b: b.device.create_buffer(64),
    "CreateBufferFromHandle": lambda b: b.device.create_buffer_from_handle(
        b.buffer.native_handle, 64
    ),
    "ExportBuffer": lambda b: pickle.dumps(b.device.create_buffer(64, shareable=True)),
    "ImportBuffer": share,
    "GetBufferProperty": lambda b: b.buffer.get_property_str("Description"),
    "CopyBuffer": lambda b: b.buffer.numpy(),
    "WriteBuffer": lambda b: b.buffer.copy_from(np.zeros(COUNT, np.float32)),
    "TransferBuffer": lambda b: b.buffer.copy_from(b.floats()),
    "FillBuffer": lambda b: b.buffer.fill(1),
    "MapBuffer": to_new,
    "CreateLibrary": lambda b: b.device.load_library(KERNELS),
    "GetLibraryProperty": lambda b: b.library.get_property_str("Description"),
    "GetKernel": lambda b: b.library.get_kernel("fill_f32"),
    "GetKernelProperty": lambda b: b.kernel("fill_f32").get_property_str("Description"),
    "DescribeCompile": lambda b: nexus.ProgramOptions().flags(b.device, "reference"),
    "CompileProgram": compile_anew,
    "GetKernelArgument": lambda b: b.library.get_kernel("scale_f32"),
    "CreateStream": lambda b: b.device.create_stream(),
    "GetStreamProperty": lambda b: b.stream.get_property_str("Description"),
    "QueryStream": lambda b: while_running(b, "QueryStream", lambda: b.stream.is_idle),
    "WaitStream": lambda b: while_running(b, "WaitStream", lambda: b.stream.synchronize(LONG)),
    "EnqueueHostCallback": lambda b: b.stream.add_callback(print),
    "CreateEvent": lambda b: b.stream.signal(b.event),
    "SignalEvent": lambda b: b.stream.signal(b.event),
    "WaitEvent": wait_across,
    "GetElapsedTime": elapsed,
    "CreateSchedule": lambda b: b.device.create_schedule(),
    "GetScheduleProperty": lambda b: b.filling(1).get_property_str("Description"),
    "RunSchedule": lambda b: b.filling(1).run(b.stream),
    "CreateCommand": lambda b: b.filling(1),
    "SetCommandArgument": lambda b: b.filling(1),
    "FinalizeCommand": lambda b: b.filling(1),
    "CreateCopyCommand": lambda b: b.device.create_schedule().create_copy_command(
        b.buffer, b.floats()
    ),
    "CreateFillCommand": lambda b: b.device.create_schedule().create_fill_command(b.buffer, 1),
    "CreateScheduleCommand": run_nested,
    "SetCommandPredecessors": run_branches,
    "GetCommandProperty": lambda b: b.fill(b.device.create_schedule(), 1).get_property_str(
        "Description"
    ),
}
LOADING = {"GetDevice"}  # test_failing_load.py; the device is asked for once
RELEASES = {name for name in FUNCTIONS if name.startswith("Release")} | {"UnmapBuffer"}
FILES = {"CreateLibraryFromFile"}
# Not the reference's.
ABSENT = {
    "PrepareSchedule", "TrimMemory", "SetReleaseThreshold",
    "ExportEvent", "ImportEvent", "CreateStreamFromHandle", "LinkProgram", "GetKernelOccupancy",
    "CreateConditionCommand", "StopLoops",
    "BeginCapture", "EndCapture", "GetGlobal", "CopyRows",
}  # fmt: skip
UNCALLED = {"GetEventProperty", "QueryEvent", "SynchronizeEvent"}


def test_every_function_of_a_plugin_is_tested() -> None:
    listed = [set(CALLS), LOADING, RELEASES, FILES, ABSENT, UNCALLED]
    assert sorted(name for names in listed for name in names) == sorted(FUNCTIONS)


@pytest.mark.parametrize("function", CALLS)
def test_a_failing_call_raises_and_leaves_nothing(bench: Bench, function: str) -> None:
    call = CALLS[function]
    before = live_objects(bench.device)
    with faults(f"{function}=NXS_OutOfResources"), pytest.raises(nexus.NexusError) as raised:
        call(bench)
    assert raised.value.status == REFUSED
    assert raised.value.native_code == -7
    assert raised.value.backend == "faulty"
    assert f"nxs{function} fails on demand" in str(raised.value)
    del raised
    bench.stream.synchronize(LONG)
    bench.event.close()  # with the binary events that it keeps
    bench.check_works()
    assert live_objects(bench.device) == before


def test_a_library_that_is_not_loaded_leaves_nothing(bench: Bench, tmp_path: Path) -> None:
    before = live_objects(bench.device)
    rule = "CreateLibraryFromFile=NXS_InvalidBinary"
    with faults(rule), pytest.raises(nexus.NexusError) as raised:
        load_file(bench, tmp_path / "kernels")
    assert raised.value.status == nexus.status.NXS_InvalidBinary
    assert live_objects(bench.device) == before
    assert load_file(bench, tmp_path / "kernels").get_kernel("fill_f32") is not None


def test_an_imported_buffer_without_a_size_leaves_nothing(bench: Bench) -> None:
    shared = bench.device.create_buffer(64, shareable=True)
    exported = pickle.dumps(shared)
    before = live_objects(bench.device)
    with faults("GetBufferProperty=NXS_OutOfResources"), pytest.raises(nexus.NexusError) as raised:
        pickle.loads(exported)
    assert raised.value.status == REFUSED
    assert live_objects(bench.device) == before


@pytest.mark.parametrize("function", ["CreateCommand", "SetCommandArgument", "FinalizeCommand"])
def test_a_command_that_is_refused_leaves_its_schedule_as_it_was(
    bench: Bench, function: str
) -> None:
    schedule = bench.device.create_schedule()
    bench.fill(schedule, 1)
    kernel = bench.kernel("scale_f32")
    scale = (bench.buffer, 2.0, bench.buffer)
    before = live_objects(bench.device)
    with faults(f"{function}=NXS_OutOfResources"), pytest.raises(nexus.NexusError):
        schedule.create_command(kernel, scale, None, COUNT)
    assert live_objects(bench.device) == before
    assert len(schedule.get_commands()) == schedule.get_property_int("Size") == 1
    schedule.run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [1] * COUNT
    schedule.create_command(kernel, scale, None, COUNT)
    schedule.run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [2] * COUNT


def test_sizes_that_the_backend_chose_are_asked_for_when_somebody_looks(bench: Bench) -> None:
    schedule = bench.device.create_schedule()
    with faults("GetCommandProperty=NXS_OutOfResources"):
        command = schedule.create_command(bench.kernel("fill_f32"), (bench.buffer, 4), None, COUNT)
        with pytest.raises(nexus.NexusError):
            command.get_property_int_vec("GroupSize")
    groups = command.get_property_int_vec("GroupCount")
    assert command.get_property_int_vec("GroupSize")[0] * groups[0] >= COUNT
    schedule.run(timeout=LONG)
    assert bench.buffer.numpy().tolist() == [4] * COUNT


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_refused_command_among_events_leaves_the_others_in_order(
    bench: Bench, place: str
) -> None:
    schedule = bench.device.create_schedule()
    wrong = (bench.buffer, 2.0, bench.buffer)

    def refuse(here: str) -> None:
        if here == place:
            with faults("FinalizeCommand=NXS_OutOfResources"), pytest.raises(nexus.NexusError):
                schedule.create_command(bench.kernel("scale_f32"), wrong, 4, COUNT)

    refuse("first")
    bench.fill(schedule, 1)
    schedule.create_signal_command(bench.event)
    refuse("middle")
    schedule.create_command(bench.kernel("scale_f32"), (bench.buffer, 5.0, bench.buffer), 4, COUNT)
    schedule.create_signal_command(bench.event, 2)
    refuse("last")
    for run in (1, 2):
        schedule.run(bench.stream, timeout=LONG)
        assert bench.buffer.numpy().tolist() == [5] * COUNT
        assert bench.event.value == run + 1
    assert [command.get_property_str("Type") for command in schedule.get_commands()] == [
        "Dispatch", "Signal", "Dispatch", "Signal",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "guilty"),
    [
        ("CreateSchedule", ""),
        ("CreateCommand", "number 0 (kernel 'fill_f32')"),
        ("SetCommandArgument", "number 0 (kernel 'fill_f32')"),
        ("FinalizeCommand", "number 0 (kernel 'fill_f32')"),
        ("CreateCopyCommand", "number 1 (copy)"),
        ("CreateFillCommand", "number 2 (fill)"),
    ],
)
def test_a_command_that_is_refused_after_a_change_is_named_and_nothing_runs(
    bench: Bench, function: str, guilty: str
) -> None:
    schedule, copied, filled = bench.device.create_schedule(), bench.floats(), bench.floats()
    bench.fill(schedule, 1)
    copy = schedule.create_copy_command(bench.floats(), bench.buffer)
    schedule.create_fill_command(filled, 3)
    copy.set_buffer(0, copied)
    with faults(f"{function}=NXS_OutOfResources"):
        for call in (schedule.run, schedule.prepare, lambda: bench.fill(schedule, 2)):
            with pytest.raises(nexus.NexusError) as raised:
                call()
            assert raised.value.status == REFUSED
            assert guilty in str(raised.value)
            assert not guilty or schedule.get_property_str("Name") in str(raised.value)
    assert schedule.get_property_int("RunCount") == 0
    assert len(schedule.get_commands()) == 3
    schedule.run(timeout=LONG)
    assert [each.numpy()[0] for each in (bench.buffer, copied, filled)] == [1, 1, 3]


RELEASED: dict[str, Callable[[Bench], object]] = {
    "ReleaseBuffer": lambda b: b.floats().close(),
    "ReleaseLibrary": lambda b: b.device.load_library(KERNELS).close(),
    "ReleaseKernel": lambda b: b.device.load_library(KERNELS).get_kernel("fail"),
    "ReleaseStream": lambda b: b.device.create_stream().close(),
    "ReleaseEvent": lambda b: b.device.create_event(event_type.Signal),
    "ReleaseSchedule": lambda b: b.device.create_schedule().close(),
}


@pytest.mark.parametrize("function", RELEASED)
def test_a_failing_release_is_a_warning_and_no_error(
    bench: Bench, function: str, caplog: pytest.LogCaptureFixture
) -> None:
    with faults(f"{function}=NXS_OutOfResources"):
        made = RELEASED[function](bench)
        if isinstance(made, nexus.Event):
            bench.stream.signal(made)
            bench.stream.synchronize(LONG)
            made.close()
        del made
        live_objects(bench.device)
    assert any(f"nxs{function} fails on demand" in line for line in caplog.messages)
    bench.check_works()
