# SPDX-License-Identifier: Apache-2.0
"""Schedule.describe(), Schedule.from_description() and Command.get_buffer()."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from python_process import run_python

import nexus

pytestmark = pytest.mark.smoke

Description = dict[str, Any]
Remake = nexus.Schedule.from_description


def plain(value: Any) -> bool:
    """Returns whether a value has only types of pickle and JSON, and bytes."""
    if isinstance(value, dict):
        return all(type(key) is str for key in value) and all(map(plain, value.values()))
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or type(value) in (str, int, float, bool, bytes)


def test_a_description_is_plain_data(outer: nexus.Schedule) -> None:
    told = outer.describe()
    assert plain(told)
    assert pickle.loads(pickle.dumps(told)) == told
    assert (told["version"], told["backend"]) == (1, outer.device.runtime.name)
    assert (len(told["codes"]), len(told["memories"]), len(told["events"])) == (1, 1, 1)
    assert told["buffers"][1] == {
        "memory": 0, "offset": 0, "bytes": 64, "shape": [16], "dtype": "int32",
    }  # fmt: skip
    assert [each["type"] for each in told["schedules"][0]["commands"]] == [
        "Schedule", "Copy", "Signal", "Wait", "Schedule",
    ]  # fmt: skip
    assert told["schedules"][1]["commands"][0] == {
        "type": "Dispatch",
        "kernel": "scale",
        "code": 0,
        "arguments": [{"buffer": 0}, {"scalar": 2.0, "dtype": "float32"}],
        "launch": {
            "group_size": [32, 1, 1],
            "grid_size": [1024, 1, 1],
            "local_memory": 0,
            "cluster_size": None,
            "cooperative_launch": False,
            "programmatic_launch": False,
        },
        "enabled": True,
        "after": None,
    }


def test_the_schedule_that_is_made_of_it_does_the_same(
    device: nexus.Device, outer: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    made = Remake(device, outer.describe())
    assert made.describe() == outer.describe()
    kernel = made.get_commands()[0].get_schedule().get_commands()[0]
    x = kernel.get_buffer(0)
    assert (x.shape, x.dtype, x.device) == (buffer.shape, buffer.dtype, device)
    assert not x.numpy().any()  # contents are not part of a description
    x.copy_from(buffer.numpy())
    for _ in range(2):
        outer.run()
        made.run()
    np.testing.assert_array_equal(x.numpy(), buffer.numpy())
    assert made.get_commands()[2].get_event().value == 5


def test_slices_of_one_memory_stay_slices_of_one(
    device: nexus.Device, buffer: nexus.Buffer, schedule: nexus.Schedule
) -> None:
    schedule.create_copy_command(buffer[:4], buffer[4:8])
    made = Remake(device, schedule.describe())
    (copy_command,) = made.get_commands()
    copy_command.get_buffer(1).copy_from(np.arange(4, dtype=np.float32))
    made.run()
    assert copy_command.get_buffer(0).numpy().tolist() == [0, 1, 2, 3]
    ids = [copy_command.get_buffer(each).get_property_int("ID") for each in (0, 1)]
    assert ids[0] == ids[1]


def test_scratch_memory_stays_scratch_memory(
    device: nexus.Device, schedule: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    inner = device.create_schedule()
    for each in (inner, schedule):
        scratch = each.create_buffer(buffer.shape, buffer.dtype)
        each.create_copy_command(scratch[:4], buffer[:4])
        each.create_copy_command(buffer[4:8], scratch[:4])
    schedule.create_schedule_command(inner)
    described = schedule.describe()
    assert plain(described)
    assert [each["place"] for each in described["memories"]].count("scratch") == 2
    assert "in scratch memory" in str(schedule)
    made = Remake(device, described)
    assert made.describe() == described
    copies = made.get_commands()
    copies[0].get_buffer(1).copy_from(np.arange(4, dtype=np.float32))
    made.run()
    assert copies[1].get_buffer(0).numpy().tolist() == [0, 1, 2, 3]
    sizes = [each.get_property_int("ScratchSize") for each in (schedule, made)]
    assert sizes[0] == sizes[1] >= buffer.nbytes


def test_disabled_commands_stay_so(
    device: nexus.Device, schedule: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    schedule.create_fill_command(buffer, 1).enabled = False
    schedule.create_fill_command(buffer, 2)
    made = Remake(device, schedule.describe())
    assert [each.enabled for each in made.get_commands()] == [False, True]
    assert str(made).count("(disabled)") == 1


def test_branches_stay_so(
    device: nexus.Device, schedule: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    with schedule.parallel():
        schedule.create_fill_command(buffer, 1)
        schedule.create_fill_command(buffer[:2], 2)
    schedule.create_fill_command(buffer, 3)
    described = schedule.describe()
    after = [each["after"] for each in described["schedules"][0]["commands"]]
    assert after == [None, [], [0, 1]]
    made = Remake(device, described)
    assert made.describe() == described
    assert "after 0, 1" in str(made)
    assert '"0" -> "2"' in made.to_dot()


def test_conditions_stay_so(
    device: nexus.Device, schedule: nexus.Schedule, doubling: nexus.Schedule
) -> None:
    number, outer, empty = (
        device.create_buffer((1,), "int32"),
        *(device.create_schedule() for _ in range(2)),
    )
    scratch = outer.create_buffer((1,), "int32")
    outer.create_fill_command(scratch, 1)
    outer.create_if_command(scratch, doubling, empty)
    outer.create_while_command(number, doubling)
    outer.create_while_command(number, empty, max_count=2)
    outer.create_switch_command(number, [empty, doubling])
    told = outer.describe()
    assert plain(told)
    assert [[*each.values()] for each in told["schedules"][0]["commands"][1:]] == [
        ["If", 0, [2, 1], True, None],
        ["While", 2, [2], None, True, None],
        ["While", 2, [1], 2, True, None],
        ["Switch", 2, [1, 2], True, None],
    ]
    made = Remake(device, told)
    assert made.describe() == told
    then = made.get_commands()[1].get_bodies()[0].get_commands()[0].get_buffer(0)
    then.fill(1)
    made.run()
    assert set(then.numpy()) == {2}


@pytest.mark.parametrize(
    ("command", "key", "value", "text"),
    [
        (0, "bodies", [], r"\['bodies'\] is \[\]: an If has one or two"),
        (1, "bodies", [1, 1], r"\['bodies'\] is \[1, 1\]: .* a While one"),
        (0, "bodies", [0], r"\['bodies'\]\[0\] is 0: .* later"),
        (1, "max_count", -1, r"\['max_count'\] is -1"),
        (2, "buffer", 1, r"\['commands'\]\[2\]: selector is a buffer of float32"),
    ],
)
def test_a_mistake_in_a_condition_is_told_with_its_place(
    device: nexus.Device,
    doubling: nexus.Schedule,
    command: int,
    key: str,
    value: object,
    text: str,
) -> None:
    number, outer = device.create_buffer((1,), "int32"), device.create_schedule()
    outer.create_if_command(number, doubling)
    outer.create_while_command(number, doubling)
    outer.create_switch_command(number, [doubling])
    told = outer.describe()
    told["schedules"][0]["commands"][command][key] = value
    with pytest.raises(ValueError, match=text):
        Remake(device, told)


def test_a_host_function_is_shown_and_can_not_be_described(schedule: nexus.Schedule) -> None:
    schedule.create_host_command(print, "done")
    assert "0 host function print" in str(schedule)
    with pytest.raises(ValueError, match=r"Command 0 of schedule .* is a Host command"):
        schedule.describe()


def test_another_process_makes_it(
    device: nexus.Device, doubling: nexus.Schedule, tmp_path: Path
) -> None:
    (tmp_path / "description").write_bytes(pickle.dumps(doubling.describe()))
    program = f"""
import pickle, numpy, nexus
with open({str(tmp_path / "description")!r}, "rb") as file:
    description = pickle.load(file)
schedule = nexus.Schedule.from_description(nexus.get_device({device.selector!r}), description)
x = schedule.get_commands()[0].get_buffer(0)
x.copy_from(numpy.ones(x.shape, numpy.float32))
schedule.run()
print(x.numpy().sum())
"""
    assert run_python("-c", program, check=True).stdout.split() == ["2048.0"]


def test_code_is_there_once(
    device: nexus.Device, kernel_file: Path, buffer: nexus.Buffer, schedule: nexus.Schedule
) -> None:
    for source in (kernel_file, kernel_file, kernel_file.read_bytes()):
        library = device.load_library(source)
        schedule.create_command(library.get_kernel("scale"), (buffer, 2.0), 32, 1024)
        library.close()
    told = schedule.describe()
    assert told["codes"] == [kernel_file.read_bytes()]
    assert [each["code"] for each in told["schedules"][0]["commands"]] == [0, 0, 0]


def test_the_file_of_a_library_that_is_gone_is_named(
    device: nexus.Device, kernel_file: Path, schedule: nexus.Schedule, tmp_path: Path
) -> None:
    path = tmp_path / "kernels.so"
    path.write_bytes(kernel_file.read_bytes())
    schedule.create_command(device.load_library(path).get_kernel("scale"))
    path.unlink()
    assert str(schedule)  # needs no code
    with pytest.raises(ValueError, match=rf"loaded from the file '{path}', which can't be read"):
        schedule.describe()


def test_compiled_code_is_described(device: nexus.Device, schedule: nexus.Schedule) -> None:
    source = """
NEXUS_KERNEL_BOUNDED(fill, (n), (NEXUS_GLOBAL float *, x), (int, n)) {
  x[nexus_global_id(0)] = 5;
}
"""
    x = device.create_buffer((8,))
    schedule.create_command(device.compile(source).get_kernel("fill"), (x, 8), grid_size=8)
    made = Remake(device, schedule.describe())
    made.run()
    assert made.get_commands()[0].get_buffer(0).numpy().tolist() == [5] * 8


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("float32", np.float32("nan")), ("float32", -0.0), ("float16", 0.5), ("float64", 1e300),
        ("int8", -3), ("uint64", 2**64 - 1), ("bool", True), ("bfloat16", 1.5), ("float32", np.inf),
        ("float8_e5m2", 2.0), (None, 255),
    ],
)  # fmt: skip
def test_fills_keep_their_pattern(
    device: nexus.Device, schedule: nexus.Schedule, dtype: Any, value: Any
) -> None:
    x = device.create_buffer((8,), dtype) if dtype else device.create_buffer(8)
    schedule.create_fill_command(x, value)
    told = schedule.describe()
    assert str(schedule)
    made = Remake(device, told)
    assert made.describe() == told
    schedule.run()
    made.run()
    same = made.get_commands()[0].get_buffer(0)
    np.testing.assert_array_equal(same.view("uint8").numpy(), x.view("uint8").numpy())


def test_scalars_of_all_types_come_back(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    out = device.create_buffer(np.zeros(64, np.uint8))
    values = (-1, 200, -300, 60000, -70000, 4000000000, -(2**62), 2**63)
    schedule.create_command(library.get_kernel("integers"), (out, *values), 1, 1)
    schedule.create_command(library.get_kernel("numbers"), (out, 1.5, 2.5, True), 1, 1)
    told = schedule.describe()
    assert [each["scalar"] for each in told["schedules"][0]["commands"][0]["arguments"][1:]] == [
        *values
    ]
    made = Remake(device, told)
    schedule.run()
    made.run()
    assert made.describe() == told
    np.testing.assert_array_equal(made.get_commands()[0].get_buffer(0).numpy(), out.numpy())


def test_what_is_not_finished_stays_so(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library
) -> None:
    command = schedule.create_command(library.get_kernel("scale"))
    command.set_arg(1, 3.0)
    made = Remake(device, schedule.describe())
    assert made.describe() == schedule.describe()
    with pytest.raises(nexus.NexusError, match="not finalized"):
        made.run()


def test_the_backend_chooses_the_group_again(
    device: nexus.Device, schedule: nexus.Schedule, library: nexus.Library, buffer: nexus.Buffer
) -> None:
    command = schedule.create_command(library.get_kernel("scale"), (buffer, 2.0), grid_size=1000)
    made = Remake(device, schedule.describe())
    assert made.get_commands()[0].group_size == command.group_size
    command.finalize(8, group_count=(125, 1, 1), local_memory=64)
    made = Remake(device, schedule.describe())
    assert made.get_commands()[0].group_count == (125, 1, 1)
    assert made.describe() == schedule.describe()


def test_empty_and_system_buffers(device: nexus.Device, schedule: nexus.Schedule) -> None:
    schedule.create_copy_command(device.create_buffer((0, 3)), device.create_buffer((0,)))
    shared = nexus.create_buffer((4,))
    schedule.create_fill_command(shared, 2)
    told = schedule.describe()
    assert [each["place"] for each in told["memories"]] == ["device", "device", "system"]
    made = Remake(device, told)
    made.run()
    assert made.describe() == told
    assert made.get_commands()[0].get_buffer(0).shape == (0, 3)
    assert made.get_commands()[1].get_buffer(0).device is None
    assert made.get_commands()[1].get_buffer(0).numpy().tolist() == [2] * 4


def test_a_closed_nested_schedule_is_refused(
    outer: nexus.Schedule, doubling: nexus.Schedule
) -> None:
    doubling.close()
    with pytest.raises(nexus.NexusError, match="is closed"):
        outer.describe()


def test_get_buffer_gives_the_newest_argument(
    device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    (command,) = doubling.get_commands()
    bound = command.get_buffer(0)
    assert bound.get_property_int("ID") == buffer.get_property_int("ID")
    assert (bound.shape, bound.dtype, bound.nbytes) == ((1024,), "float32", 4096)
    part = device.create_buffer((2, 4, 8))[1:]
    command.set_buffer(0, part)
    assert (command.get_buffer(0).shape, command.get_buffer(0).nbytes) == ((1, 4, 8), 128)
    buffer.close()
    part.close()
    assert command.get_buffer(0).nbytes == 128  # the schedule keeps the memory
    for index in (1, 2, 63):
        with pytest.raises(ValueError, match=f"index is {index}, and the command"):
            command.get_buffer(index)
    with pytest.raises(ValueError, match="at most 64"):
        command.get_buffer(64)


def test_get_buffer_of_copies_fills_and_others(
    device: nexus.Device, schedule: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    copied = schedule.create_copy_command(buffer[:8], buffer[8:16])
    assert [copied.get_buffer(each).get_property_int("Offset") for each in (0, 1)] == [0, 32]
    filled = schedule.create_fill_command(buffer, 1)
    assert filled.get_buffer(0).shape == buffer.shape
    signal = schedule.create_signal_command(device.create_event())
    for command, index in ((copied, 2), (filled, 1), (signal, 0)):
        with pytest.raises(
            ValueError, match=f"index is {index}, and the command .* index of a buffer"
        ):
            command.get_buffer(index)


# ---- Descriptions that do not fit ----


def test_another_backend_or_architecture_is_named(
    device: nexus.Device, doubling: nexus.Schedule
) -> None:
    told = doubling.describe()
    for key in ("backend", "architecture"):
        with pytest.raises(
            ValueError, match=rf"description\['{key}'\] is 'z80': .*'?{device.selector}"
        ):
            Remake(device, {**told, key: "z80"})
    with pytest.raises(ValueError, match=r"description\['version'\] is 2: .* reads 1"):
        Remake(device, {**told, "version": 2})
    with pytest.raises(TypeError, match=r"description has to be the result of Schedule\.describe"):
        Remake(device, [])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"device has to be a nexus\.Device"):
        Remake("cpu", told)  # type: ignore[arg-type]


CHANGES: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "code": (("codes", 0), b"\0" * 100, r"description\['codes'\]\[0\]"),
    "code type": (("codes", 0), "text", r"\['codes'\]\[0\] is 'text': it has to be bytes"),
    "memory": (("buffers", 0, "memory"), 9, r"\['buffers'\]\[0\]\['memory'\] is 9: .* 1 memories"),
    "outside": (("buffers", 0, "offset"), 5000, r"\['buffers'\]\[0\]: offset is 5000"),
    "shape": (("buffers", 0, "shape"), [3], r"\['buffers'\]\[0\]: size is"),
    "length": (("buffers", 0, "shape"), [-3], r"\['shape'\]\[0\] is -3"),
    "dtype": (("buffers", 0, "dtype"), "float33", r"\['buffers'\]\[0\]: dtype is 'float33'"),
    "bytes": (("memories", 0, "bytes"), 0, r"\['memories'\]\[0\]\['bytes'\] is 0"),
    "place": (("memories", 0, "place"), "mars:0", r"\['place'\]: .*mars"),
    "event": (("events", 0, "type"), "Alarm", r"\['events'\]\[0\]\['type'\] is 'Alarm'"),
    "none": (("schedules",), [], r"description\['schedules'\] is \[\]: it needs a schedule"),
    "type": (("schedules", 0, "commands", 1, "type"), "Jump", r"\[1\]\['type'\] is 'Jump'"),
    "circle": (("schedules", 0, "commands", 0, "schedule"), 0, r"\['schedule'\] is 0: .* later"),
    "value": (("schedules", 0, "commands", 2, "value"), -1, r"\[2\]\['value'\] is -1"),
    "buffer": (("schedules", 0, "commands", 1, "src"), "0", r"\[1\]\['src'\] is '0'"),
    "sizes": (("schedules", 0, "commands", 1, "src"), 0, r"\['commands'\]\[1\]: "),
    "pattern": (("schedules", 1, "commands", 1, "value"), 1.5, r"\['value'\]: it is not a number"),
    "kernel": (("schedules", 1, "commands", 0, "kernel"), "scael", r"\['kernel'\]: .*'scale'"),
    "scalar": (
        ("schedules", 1, "commands", 0, "arguments", 1), {"scalar": 2, "dtype": "int32"},
        r"\['arguments'\]\[1\]: ",
    ),
    "missing argument": (
        ("schedules", 1, "commands", 0, "arguments"), [None], r"\['commands'\]\[0\]: argument 0"
    ),
    "group": (
        ("schedules", 1, "commands", 0, "launch", "group_size"), [1, 2], "a list of three ints"
    ),
    "grid": (
        ("schedules", 1, "commands", 0, "launch", "grid_size"), [2**63, 9, 1], r"\[0\]: grid_size"
    ),
    "unknown key": (("schedules", 0, "speed"), 1, r"\[0\] has the unknown key 'speed'"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_mistake_is_told_with_its_place(
    device: nexus.Device, outer: nexus.Schedule, change: tuple[tuple[Any, ...], Any, str]
) -> None:
    path, value, text = change
    told = outer.describe()
    at: Any = told
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(ValueError, match=text):
        Remake(device, told)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Returns each dict or list in a description with each of its keys."""
    if isinstance(value, (dict, list)):
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        return [*((value, key) for key in keys), *(p for key in keys for p in places(value[key]))]
    return []


# None that makes a large memory that the machine has.
NUMBERS = st.integers(-(2**65), 5000) | st.integers(2**62, 2**65) | st.integers(-3, 3)
OTHERS = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats() | st.text(max_size=5) | st.binary(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)  # fmt: skip


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_any_change_is_refused_or_works(
    device: nexus.Device, outer: nexus.Schedule, data: st.DataObject
) -> None:
    told = outer.describe()
    for _ in range(data.draw(st.integers(1, 3))):
        found = places(told)
        if not found:
            return
        at, key = data.draw(st.sampled_from(found))
        how = data.draw(st.sampled_from(["remove", "replace", "swap"]))
        if how == "remove":
            del at[key]
        elif how == "replace":
            at[key] = data.draw(OTHERS)
        else:
            other, there = data.draw(st.sampled_from(found))
            at[key], other[there] = copy.deepcopy(other[there]), copy.deepcopy(at[key])
    try:
        made = Remake(device, told)
    except (ValueError, nexus.NexusError) as error:
        failure = error
    else:
        assert plain(made.describe())
        return
    if isinstance(failure, ValueError):
        assert str(failure).startswith("description")
    else:  # a memory that is too large
        assert failure.status.name in {"NXS_MemObjectAllocationFailure", "NXS_OutOfResources"}


@pytest.mark.unsanitized("a thread may hold 64 locks, and each schedule has one", by="thread")
def test_nesting_as_deep_as_can_be_recorded(device: nexus.Device, doubling: nexus.Schedule) -> None:
    schedule = doubling
    for _ in range(300):
        outer = device.create_schedule()
        outer.create_schedule_command(schedule)
        schedule = outer
    told = schedule.describe()
    assert len(told["schedules"]) == 301
    assert Remake(device, told).describe() == told
