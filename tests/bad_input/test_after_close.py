# SPDX-License-Identifier: Apache-2.0
"""Use after close(): every method of every object that can be closed, and every place where one
is a parameter."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from workbench import COUNT, GROUP, LONG, Backend, Workbench, check_unharmed, error_of

import nexus
from nexus import status

Make = Callable[[Workbench], Any]
Use = Callable[[Workbench, Any], Any]


def signalled(bench: Workbench) -> nexus.Event:
    made = bench.device.create_event()
    made.signal(1)
    return made


def scheduled(bench: Workbench) -> nexus.Schedule:
    made = bench.device.create_schedule()
    made.create_command(bench.kernel, (bench.data, 2.0, bench.out), GROUP, COUNT)
    return made


OBJECTS: dict[str, tuple[Make, status.Status]] = {
    "buffer": (lambda b: b.floats(), status.NXS_InvalidBuffer),
    "library": (lambda b: b.device.load_library(b.backend.source), status.NXS_InvalidLibrary),
    "stream": (lambda b: b.device.create_stream(), status.NXS_InvalidStream),
    "event": (signalled, status.NXS_InvalidEvent),
    "schedule": (scheduled, status.NXS_InvalidSchedule),
}

OF_ALL: dict[str, Use] = {
    "get_property": lambda b, o: o.get_property("ID"),
    "get_property_int": lambda b, o: o.get_property_int("ID"),
    "get_property_str": lambda b, o: o.get_property_str("Status"),
    "get_property_flt": lambda b, o: o.get_property_flt("ID"),
    "get_property_int_vec": lambda b, o: o.get_property_int_vec("Keys"),
    "get_property_str_vec": lambda b, o: o.get_property_str_vec("Keys"),
    "get_property_flt_vec": lambda b, o: o.get_property_flt_vec("Keys"),
    "get_property_keys": lambda b, o: o.get_property_keys(),
    "properties": lambda b, o: o.properties["ID"],
    "native_handle": lambda b, o: o.native_handle,
}

USES: dict[str, dict[str, Use]] = {
    "buffer": {
        "copy": lambda b, o: o.copy(np.zeros(COUNT, np.float32)),
        "copy_from": lambda b, o: o.copy_from(b.numbers),
        "copy_from it": lambda b, o: b.out.copy_from(o),
        "copy_from a buffer": lambda b, o: o.copy_from(b.data),
        "fill": lambda b, o: o.fill(1.0),
        "fill in a stream": lambda b, o: o.fill(1.0, stream=b.stream, blocking=False),
        "numpy": lambda b, o: o.numpy(),
        "a slice": lambda b, o: o[2:4],
        "an assignment": lambda b, o: o.__setitem__(..., 0),
        "size": lambda b, o: o.size,
        "ndim": lambda b, o: o.ndim,
        "itemsize": lambda b, o: o.itemsize,
        "is_contiguous": lambda b, o: o.is_contiguous,
        "item": lambda b, o: o.item(),
        "len": lambda b, o: len(o),
        "strides": lambda b, o: o.strides,
        "T": lambda b, o: o.T,
        "reshape": lambda b, o: o.reshape(-1),
        "ascontiguous": lambda b, o: o.T.ascontiguous(),
        "astype": lambda b, o: o.astype("int32"),
        "zeros_like": lambda b, o: nexus.zeros_like(o),
        "view": lambda b, o: o.view("int32"),
        "memoryview": lambda b, o: memoryview(o),
        "numpy.asarray": lambda b, o: np.asarray(o),
        "__dlpack__": lambda b, o: o.__dlpack__(),
        "copy_buffer": lambda b, o: b.device.copy_buffer(o),
        "set_buffer": lambda b, o: b.command.set_buffer(0, o),
        "set_arg": lambda b, o: b.command.set_arg(0, o),
        "create_command": lambda b, o: b.schedule.create_command(b.kernel, (o, 2.0, b.out), 4, 16),
        "a call": lambda b, o: b.kernel(o, 2.0, b.out, grid=COUNT),
        "an algorithm": lambda b, o: nexus.algorithms.sum(o),
        "an algorithm's result": lambda b, o: nexus.algorithms.sort(b.data, out=o),
        "create_copy_command from it": lambda b, o: b.schedule.create_copy_command(b.out, o),
        "create_copy_command to it": lambda b, o: b.schedule.create_copy_command(o, b.data),
        "set_buffer of a copy": lambda b, o: (
            b.device.create_schedule().create_copy_command(b.out, b.data).set_buffer(0, o)
        ),
        "set_buffer of a fill": lambda b, o: (
            b.device.create_schedule().create_fill_command(b.out, 1).set_buffer(0, o)
        ),
        "create_fill_command": lambda b, o: b.schedule.create_fill_command(o, 1.0),
        "create_host_command": lambda b, o: b.schedule.create_host_command(print, o),
    },
    "library": {
        "get_kernel": lambda b, o: o.get_kernel("scale_f32"),
        "get_kernels": lambda b, o: o.get_kernels(),
        "get_global": lambda b, o: o.get_global("table"),
        "get_info": lambda b, o: o.get_info(),
    },
    "stream": {
        "synchronize": lambda b, o: o.synchronize(LONG),
        "is_idle": lambda b, o: o.is_idle,
        "signal": lambda b, o: o.signal(b.device.create_event()),
        "wait": lambda b, o: o.wait(b.event),
        "wait for it": lambda b, o: b.stream.wait(o),
        "record": lambda b, o: o.record(),
        "add_callback": lambda b, o: o.add_callback(print),
        "run": lambda b, o: b.schedule.run(o, timeout=LONG),
        "prepare": lambda b, o: b.schedule.prepare(o),
        "a call": lambda b, o: b.kernel(b.data, 2.0, b.out, grid=COUNT, stream=o),
        "copy": lambda b, o: b.data.copy(np.zeros(COUNT, np.float32), stream=o),
        "copy without waiting": lambda b, o: b.data.copy(
            np.zeros(COUNT, np.float32), stream=o, blocking=False
        ),
        "copy_from": lambda b, o: b.out.copy_from(b.numbers, stream=o),
        "fill": lambda b, o: b.out.fill(1.0, stream=o),
        "capture": lambda b, o: b.schedule.capture(o).__enter__(),
    },
    "event": {
        "signal": lambda b, o: o.signal(9),
        "wait": lambda b, o: o.wait(1, LONG),
        "value": lambda b, o: o.value,
        "is_done": lambda b, o: o.is_done,
        "elapsed_ms of it": lambda b, o: o.elapsed_ms(b.event),
        "elapsed_ms from it": lambda b, o: b.event.elapsed_ms(o),
        "signal in a stream": lambda b, o: b.stream.signal(o, 9),
        "wait in a stream": lambda b, o: b.stream.wait(o, 9),
        "create_signal_command": lambda b, o: b.schedule.create_signal_command(o),
        "create_wait_command": lambda b, o: b.schedule.create_wait_command(o),
    },
    "schedule": {
        "run": lambda b, o: o.run(timeout=LONG),
        "run without waiting": lambda b, o: o.run(b.stream, blocking=False),
        "prepare": lambda b, o: o.prepare(),
        "elapsed_ms": lambda b, o: o.elapsed_ms,
        "clear": lambda b, o: o.clear(),
        "to_dot": lambda b, o: o.to_dot(),
        "describe": lambda b, o: o.describe(),
        "create_buffer": lambda b, o: o.create_buffer(16),
        "create_command": lambda b, o: o.create_command(b.kernel),
        "an algorithm": lambda b, o: nexus.algorithms.sum(b.data, schedule=o),
        "create_copy_command": lambda b, o: o.create_copy_command(b.out, b.data),
        "create_fill_command": lambda b, o: o.create_fill_command(b.out, 1.0),
        "create_signal_command": lambda b, o: o.create_signal_command(b.event),
        "create_wait_command": lambda b, o: o.create_wait_command(b.event),
        "create_schedule_command": lambda b, o: o.create_schedule_command(b.schedule),
        "create_if_command": lambda b, o: o.create_if_command(b.data, b.schedule),
        "create_while_command": lambda b, o: o.create_while_command(b.data, b.schedule),
        "create_switch_command": lambda b, o: o.create_switch_command(b.data, [b.schedule]),
        "create_host_command": lambda b, o: o.create_host_command(print),
        "parallel": lambda b, o: o.parallel().__enter__(),
        "capture": lambda b, o: o.capture().__enter__(),
        "create_fill_command after something": lambda b, o: o.create_fill_command(
            b.out, 1.0, after=[b.command]
        ),
        "create_schedule_command of it": lambda b, o: b.schedule.create_schedule_command(o),
    },
}

CASES = [
    pytest.param(kind, what, use, id=f"{kind}: {what}")
    for kind, uses in USES.items()
    for what, use in [*uses.items(), *OF_ALL.items()]
]


@pytest.mark.smoke
@pytest.mark.parametrize(("kind", "what", "use"), CASES)
def test_what_was_closed_is_refused(bench: Workbench, kind: str, what: str, use: Use) -> None:
    before = bench.live()
    make, invalid = OBJECTS[kind]
    made = make(bench)
    made.close()
    error = error_of(bench, lambda b: use(b, made))
    told = str(error)
    if what == "memoryview":
        assert isinstance(error, BufferError)
    else:
        assert isinstance(error, nexus.NexusError), repr(error)
        assert error.status == invalid, told
    assert f"is closed; create a new {kind}." in told
    assert told.endswith(".")
    del error
    check_unharmed(bench, before)


def public_methods(cls: type) -> set[str]:
    """The names of a class that its objects answer."""
    return {name for name in vars(cls) if not name.startswith("_")}


# Members that work on closed objects too.
HARMLESS = {"close", "device", "type", "dtype", "shape", "nbytes", "readonly", "default_stream"}


@pytest.mark.parametrize("kind", OBJECTS)
def test_every_method_of_a_closed_object_is_tested(kind: str) -> None:
    tested = {what.split(" ")[0] for what in [*USES[kind], *OF_ALL]} | HARMLESS
    tested |= {"get_commands", "from_description"} if kind == "schedule" else set()
    assert public_methods(getattr(nexus, kind.capitalize())) - tested == set()


@pytest.mark.parametrize("kind", OBJECTS)
def test_what_was_closed_can_be_shown_compared_and_closed_again(
    bench: Workbench, kind: str
) -> None:
    before = bench.live()
    made = OBJECTS[kind][0](bench)
    also = made
    made.close()
    assert kind.capitalize() in repr(made)
    assert made == also
    assert len({made, also}) == 1
    made.close()
    with contextlib.suppress(nexus.NexusError), made:
        pass
    for name in HARMLESS - {"close"}:
        with contextlib.suppress(AttributeError, nexus.NexusError):
            getattr(made, name)
    del made, also
    check_unharmed(bench, before)


@pytest.mark.parametrize(
    "use",
    [
        lambda command: command.set_arg(1, 3.0),
        lambda command: command.set_local_memory(1, 64),
        lambda command: command.finalize(GROUP, COUNT),
        lambda command: command.get_buffer(0),
        lambda command: command.get_property_keys(),
        lambda command: command.enabled,
        lambda command: setattr(command, "enabled", False),
        lambda command: command.remove(),
    ],
    ids=[
        "set_arg",
        "set_local_memory",
        "finalize",
        "get_buffer",
        "get_property_keys",
        "enabled",
        "set enabled",
        "remove",
    ],
)
def test_a_command_of_a_closed_schedule_is_refused(
    bench: Workbench, use: Callable[[nexus.Command], object]
) -> None:
    before = bench.live()
    schedule = scheduled(bench)
    command = schedule.get_commands()[0]
    schedule.close()
    error = error_of(bench, lambda b: use(command))
    assert isinstance(error, nexus.NexusError)
    assert error.status == status.NXS_InvalidSchedule
    assert "is closed; create a new schedule." in str(error)
    del error
    check_unharmed(bench, before)


def test_a_kernel_outlives_the_close_of_its_library(backend: Backend) -> None:
    bench = Workbench(backend)
    library = backend.device.load_library(backend.source)
    kernel = library.get_kernel("scale_f32")
    library.close()
    schedule = bench.device.create_schedule()
    schedule.create_command(kernel, (bench.data, 3.0, bench.out), GROUP, COUNT)
    schedule.run(timeout=LONG)
    np.testing.assert_array_equal(bench.out.numpy(), 3 * bench.numbers)


def test_a_schedule_whose_buffer_was_closed_still_runs(bench: Workbench) -> None:
    out = bench.floats()
    bench.command.set_buffer(2, out)
    out.close()
    bench.schedule.run(timeout=LONG)
    bench.command.set_buffer(2, bench.out)
    bench.check_works()


def test_a_default_stream_is_not_closed(bench: Workbench) -> None:
    before = bench.live()
    error = error_of(bench, lambda b: b.device.default_stream.close())
    assert isinstance(error, nexus.NexusError)
    assert error.status == status.NXS_InvalidOperation
    assert "stream" in str(error)
    check_unharmed(bench, before)


@pytest.mark.parametrize("view", [memoryview, np.asarray], ids=["memoryview", "numpy.asarray"])
def test_a_buffer_with_a_live_view_is_not_closed(
    bench: Workbench, view: Callable[[Any], Any]
) -> None:
    buffer = bench.floats(3)
    shared = view(buffer)
    with pytest.raises(BufferError, match="1 live view"):
        buffer.close()
    assert buffer.numpy().tolist() == [3.0] * COUNT
    del shared
    buffer.close()
    bench.check_works()
