# SPDX-License-Identifier: Apache-2.0
"""nexus.compat: each name of the original, and its meaning."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from example_catalog import write_catalog
from original_names import python_names

import nexus
import nexus.compat as original
from nexus.compat import _objects, _wrapping

Check = tuple[Callable[[Any], Any], Any]
"""What to do with the objects, and the result."""


@pytest.fixture(scope="module")
def objects(
    device: nexus.Device,
    build_library: Callable[[Path], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """Objects of the original: a schedule whose command adds 32 groups of 4 work items."""
    path = build_library(Path(__file__).parent / "kernels.c")
    made = original.get_device(device.selector)
    library = made.load_library(str(path))
    host = np.arange(128, dtype=np.float32)
    buffers = [made.create_buffer(host) for _ in range(3)]
    schedule = made.create_schedule()
    command = schedule.create_command(library.get_kernel("add"))
    for index, value in enumerate([*buffers, 128]):
        command.set_arg(index, value)
    catalog = original.load_catalog(write_catalog(tmp_path_factory.mktemp("catalog")))
    return SimpleNamespace(
        catalog=catalog,
        from_catalog=made.load_library(catalog, "vector"),
        runtime=original.get_runtime(device.backend),
        device=made,
        path=path,
        library=library,
        kernel=library.get_kernel("add"),
        plain=library.get_kernel("plain_saxpy"),
        host=host,
        buffer=buffers[0],
        buffers=buffers,
        layout=made.create_buffer(np.zeros((2, 3), np.float16)).layout(),
        schedule=schedule,
        command=command,
        info=made.get_info(),
    )


def class_of(name: str) -> Callable[[Any], bool]:
    """Whether the class has the original's name, and ours."""

    def check(o: Any) -> bool:
        cls = getattr(original, name)
        made = {
            "stream": lambda: o.device.create_stream(),
            "event": lambda: o.device.create_event(),
        }.get(name, lambda: getattr(o, name))()
        return type(made) is cls and cls is getattr(original, name.capitalize())

    return check


def list_of(name: str) -> Callable[[Any], Any]:
    """Whether lists of objects are of that class, and have its functions."""

    def check(o: Any) -> Any:
        found = original.get_runtimes()
        return (
            isinstance(found, getattr(original, name)),
            found.size() > 0,
            found[0] == found.get(0),
        )

    return check


def stays(value: Any) -> Any:
    """A result that is only to be true."""
    return bool(value)


def finalized(o: Any) -> Any:
    status = o.command.finalize([32], [4], 0)
    return status, o.command.group_count, o.command.group_size, o.command.grid_size


def recorded(o: Any) -> Any:
    command = o.device.create_schedule().create_command(o.kernel, [*o.buffers, 128], [[32], [4]])
    return command.group_count, command.group_size


def set_plain(o: Any, method: str) -> Any:
    """A kernel that does not describe itself: its float is a float32."""
    x, y = (o.device.create_buffer(make(4, np.float32)) for make in (np.ones, np.zeros))
    schedule = o.device.create_schedule()
    command = schedule.create_command(o.plain, [x, y])
    status = getattr(command, method)(2, 3.0, "a")
    command.finalize([4])
    schedule.run()
    return status, y.numpy().tolist()


def copied(o: Any) -> Any:
    out = np.zeros_like(o.host)
    return o.buffer.copy(out), out.tolist() == o.host.tolist()


def run(o: Any) -> Any:
    o.command.finalize([32], [4])
    return o.schedule.run(None, True)


def signalled(o: Any) -> Any:
    """A schedule that waits, started before the one that signals."""
    first, second = o.device.create_schedule(), o.device.create_schedule()
    event = first.create_signal().get_event()
    done = o.device.create_event()
    second.create_wait(event)
    second.create_signal(done, signal_value=3)
    streams = [o.device.create_stream(), o.device.create_stream()]
    second.run(streams[0], False)
    first.run(streams[1], False)
    return done.wait(wait_value=3), event.type.name


OK = nexus.status.NXS_Success
F32 = nexus.data_type.F32

CHECKS: dict[str, Check] = {
    "nexus.get_runtime": (lambda o: original.get_runtime("cpu").name, "cpu"),
    "nexus.create_buffer": (lambda o: original.create_buffer([4, 8]).nbytes, 32),
    "nexus.get_device_info": (
        lambda o: original.get_device_info()["nvidia-gpu-sm_90"].get(["Architecture"]),
        "sm_90",
    ),
    "nexus.lookup_device_info": (
        lambda o: [
            original.lookup_device_info(n).get(["Name"])
            for n in ("m1", "m1m", "m2", "m3", "m4", "M4P", "H200")
        ],
        ["M1", "M1 Max", "M2", "M3", "M4", "M4 Pro", "H200"],
    ),
    "nexus.load_catalog": (
        lambda o: original.load_catalog(o.catalog.path).get(["Name"]),
        "example",
    ),
    "nexus.get_catalogs": (
        lambda o: o.catalog.path in [each.path for each in original.get_catalogs()],
        True,
    ),
    "nexus.version_info": (
        lambda o: original.version_info(),
        {"version": nexus.__version__, "python_version": sys.version, "platform": sys.platform},
    ),
    "nexus.format_device_info": (
        lambda o: o.device.name in original.format_device_info(o.device),
        True,
    ),
    "nexus.get_data_type": (
        lambda o: [original.get_data_type(x) for x in (o.buffer, o.host, o.host.dtype, F32)],
        [F32] * 4,
    ),
    "utils.get_data_type_size": (
        lambda o: [
            original.utils.get_data_type_size(getattr(original.data_type, name))
            for name in ("float32", "bfloat16", "float8", "int4", "uint64", "bool")
        ],
        [4, 2, 1, 1, 8, 1],
    ),
    "nexus.layout": (lambda o: isinstance(o.layout, original.layout), True),
    "nexus.info": (lambda o: isinstance(o.info, original.info), True),
    "runtime.get_device": (lambda o: o.runtime.get_device(0) == o.device, True),
    "device.create_buffer": (
        lambda o: (
            o.device.create_buffer(shape=[4, 8], settings=original.buffer_settings.OnHost).shape(),
            o.device.create_buffer((4, 8), dtype="fp16").nbytes,
            o.device.create_buffer(64).nbytes,
        )[1:],
        (64, 64),
    ),
    "device.load_library": (
        lambda o: (
            stays(o.device.load_library(o.path.read_bytes() + b"more", o.path.stat().st_size)),
            o.device.load_library(o.catalog, "vector", version="1.0.0").get_kernel("scale").name,
        ),
        (True, "scale"),
    ),
    "buffer.layout": (
        lambda o: [(each.dtype, each.rank, each.numel) for each in [o.layout]],
        [(nexus.data_type.F16, 2, 6)],
    ),
    "buffer.shape": (lambda o: o.buffer.shape().dim(0), 128),
    "buffer.numel": (lambda o: o.buffer.numel(), 128),
    "buffer.element_size": (
        lambda o: [
            o.device.create_buffer(8, dtype=t).element_size() for t in ("f32", "int4", "bool", None)
        ],
        [32, 4, 8, 0],
    ),
    "buffer.data_type": (lambda o: o.buffer.data_type(), F32),
    "buffer.dtype": (lambda o: (o.buffer.dtype, o.device.create_buffer(4).dtype), (F32, 0)),
    "buffer.size_bytes": (lambda o: o.buffer.size_bytes, 512),
    "buffer.data_ptr": (lambda o: o.buffer.data_ptr() == o.buffer.native_handle, True),
    "buffer.copy": (copied, (OK, True)),
    "bool": (lambda o: bool(o.device.create_buffer(np.zeros(2, np.int32))), True),
    "layout.data_type": (lambda o: o.layout.data_type(), nexus.data_type.F16),
    "layout.dtype": (lambda o: o.layout.dtype, nexus.data_type.F16),
    "layout.rank": (lambda o: o.layout.rank, 2),
    "layout.dim": (lambda o: [o.layout.dim(i) for i in range(3)], [2, 3, 0]),
    "layout.stride": (lambda o: [o.layout.stride(i) for i in range(3)], [3, 1, 0]),
    "layout.numel": (lambda o: o.layout.numel, 6),
    "library.get_info": (lambda o: o.from_catalog.get_info().get(["Name"]), "vector"),
    "kernel.get_info": (
        lambda o: o.from_catalog.get_kernel("scale").get_info().get(["Name"]),
        "scale",
    ),
    "catalog.get": (
        lambda o: (
            o.catalog.get(["Libraries", "0", "Name"]),
            o.catalog.get(["None"], 1),
            o.catalog.get() == o.catalog.to_dict(),
        ),
        ("vector", 1, True),
    ),
    "library.get_kernel": (lambda o: o.library.get_kernel("add").name, "add"),
    "event.signal": (lambda o: o.device.create_event().signal(signal_value=2), OK),
    "event.wait": (
        lambda o: [(e.signal(2), e.wait(wait_value=2)) for e in [o.device.create_event()]],
        [(OK, OK)],
    ),
    "command.set_arg": (lambda o: set_plain(o, "set_arg"), (OK, [3.0] * 4)),
    "command.set_const": (lambda o: set_plain(o, "set_const"), (OK, [3.0] * 4)),
    "command.finalize": (finalized, (OK, (32, 1, 1), (4, 1, 1), (128, 1, 1))),
    "schedule.create_command": (recorded, ((32, 1, 1), (4, 1, 1))),
    "schedule.create_signal": (signalled, (OK, "Shared")),
    "schedule.create_wait": (signalled, (OK, "Shared")),
    "schedule.run": (run, OK),
    "info.get": (
        lambda o: (o.info.get(["Type"]), o.info.get().keys() == set(o.info.get_keys())),
        ("cpu", True),
    ),
    "object.get_property_keys": (
        lambda o: original.property.Name in o.device.get_property_keys(),
        True,
    ),
    "property.get_count": (lambda o: original.property.get_count(), len(nexus.property.Property)),
    "property.get_name": (lambda o: original.property.get_name(12), "Vendor"),
    "property.get_enum": (lambda o: original.property.get_enum("Vendor"), nexus.property.Vendor),
    "property.get": (lambda o: original.property.get(12), nexus.property.Vendor),
    "property.get_type": (lambda o: original.property.get_type(8), "int_vec"),
    "property.nxs_property": (lambda o: original.property.nxs_property(12).name, "Vendor"),
    "status.nxs_status": (lambda o: original.status.nxs_status(0), OK),
    "status.Success": (lambda o: (original.status.Success, original.status.NXS_Success), (OK, OK)),
    "event_type.nxs_event_type": (lambda o: original.event_type.nxs_event_type(1).name, "Signal"),
    "data_type.nxs_data_type": (lambda o: original.data_type.nxs_data_type(1), F32),
    "data_type.float32": (
        lambda o: [
            getattr(original.data_type, name).name
            for name in ("undefined", "float32", "bfloat16", "float8", "int4", "uint64", "bool")
        ],
        ["Undefined", "F32", "BF16", "F8", "I4", "U64", "Bool"],
    ),
    "nexus.lookup_chip_info": (
        lambda o: original.lookup_chip_info("apple-gpu-m4").get_int("ReleaseYear"),
        2024,
    ),
    "device.load_library_file": (lambda o: stays(o.device.load_library_file(o.path)), True),
    "buffer.get_size": (lambda o: o.buffer.get_size(), 512),
    "buffer.get_data": (lambda o: o.buffer.get_data() == o.host.tobytes(), True),
    "runtime.create_buffer": (lambda o: o.runtime.create_buffer(o.host).device, None),
    "runtime.copy_buffer": (
        lambda o: o.runtime.copy_buffer(o.buffer, o.device).get_data() == o.host.tobytes(),
        True,
    ),
    "object.get_property": (
        lambda o: (o.device.get_property("Type").get_value(), o.device.get_property("Shape")),
        ("cpu", None),
    ),
    "info.get_property": (
        lambda o: (o.info.get_property(["Type"]).get_value(), o.info.get_property("None")),
        ("cpu", None),
    ),
}
for _name in ("device", "buffer", "library", "kernel", "stream", "event", "schedule", "command"):
    CHECKS[f"nexus.{_name}"] = (class_of(_name), True)
CHECKS["nexus.runtime"] = (class_of("runtime"), True)
for _name in ("runtimes", "devices", "buffers", "librarys", "kernels", "streams", "events"):
    CHECKS[f"nexus.{_name}"] = (list_of(_name), (True, True, True))
for _name in ("schedules", "commands", "infos"):
    CHECKS[f"nexus.{_name}"] = (list_of(_name), (True, True, True))


@pytest.mark.parametrize("name", python_names())
def test_a_name_of_the_original(name: str, objects: Any) -> None:
    found, expected = CHECKS[name]
    assert found(objects) == expected


def is_added(member: Any) -> bool:
    """Whether a member of a class is written there, and does not just call plain Nexus."""
    function = member.fget if isinstance(member, property) else member
    return getattr(function, "__module__", None) == _objects.__name__


def test_the_table_has_a_row_for_each_name_and_a_check() -> None:
    rows = set(python_names())
    added = {
        f"{cls.__name__}.{name}"
        for cls in _wrapping.CLASSES.values()
        for name, member in vars(cls).items()
        if not name.startswith("_") and is_added(member)
    }
    assert added <= rows
    assert rows == CHECKS.keys()


@pytest.mark.parametrize(
    ("find", "name"),
    [
        (lambda o: original.get_runtime("warp"), "warp"),
        (lambda o: o.runtime.get_device(99), "99"),
        (lambda o: o.library.get_kernel("none"), "none"),
        (lambda o: original.lookup_device_info("no-such-chip"), "no-such-chip"),
    ],
    ids=["runtime", "device", "kernel", "info"],
)
def test_what_does_not_exist_is_false_and_raises_when_used(
    find: Callable[[Any], Any], name: str, objects: Any
) -> None:
    empty = find(objects)
    assert not empty
    with pytest.raises(nexus.NexusError, match=name):
        empty.get_property_str("Name") if hasattr(empty, "properties") else empty.get()


def test_all_of_plain_nexus_is_there() -> None:
    assert set(nexus.__all__) <= set(dir(original))
    for name in original.__all__:
        assert getattr(original, name) is not None


def test_objects_go_through_the_functions_of_plain_nexus(objects: Any) -> None:
    total = original.algorithms.sum(objects.buffer)
    made = original.zeros((2,))
    assert (float(total), type(made)) == (objects.host.sum(), original.Buffer)


def test_a_buffer_is_an_array_for_other_libraries(objects: Any) -> None:
    assert np.asarray(objects.buffer).tolist() == objects.host.tolist()
    assert np.from_dlpack(objects.buffer).tolist() == objects.host.tolist()


def test_objects_are_equal_by_what_they_stand_for(objects: Any) -> None:
    again = objects.runtime.get_device(0)
    assert again == objects.device
    assert len({again, objects.device}) == 1
    assert objects.device != objects.runtime


def test_an_array_is_an_argument_in_place(objects: Any) -> None:
    values = objects.host.copy()
    schedule = objects.device.create_schedule()
    schedule.create_command(objects.kernel, [values, values, values, 128], [[1], [128]])
    schedule.run()
    assert values.tolist() == (2 * objects.host).tolist()


REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "a grid of text": (lambda o: o.command.finalize("8"), TypeError, "grid"),
    "a grid of four": (lambda o: o.command.finalize([1, 1, 1, 1]), ValueError, "grid"),
    "a grid below 0": (lambda o: o.command.finalize([-1]), ValueError, "grid"),
    "a block of 0": (lambda o: o.command.finalize([1], [0]), ValueError, "block"),
    "no memory": (lambda o: o.command.finalize([1], [1], -1), ValueError, "shared_memory_size"),
    "memory of text": (
        lambda o: o.command.finalize([1], [1], "1"),
        TypeError,
        "shared_memory_size",
    ),
    "a name of bytes": (lambda o: o.command.set_arg(3, 128, b"n"), TypeError, "name"),
    "one size": (
        lambda o: o.schedule.create_command(o.kernel, [], [[1]]),
        ValueError,
        "dims",
    ),
    "sizes of text": (
        lambda o: o.schedule.create_command(o.kernel, [], "ab"),
        TypeError,
        "dims",
    ),
    "a wait for nothing": (lambda o: o.schedule.create_wait(None), TypeError, "event"),
    "a number to block": (lambda o: o.schedule.run(None, 2), TypeError, "blocking"),
    "nothing to create": (lambda o: o.device.create_buffer(), TypeError, "data"),
    "two to create": (lambda o: o.device.create_buffer(4, shape=[4]), TypeError, "shape"),
    "more than the bytes": (lambda o: o.device.load_library(b"12", 3), ValueError, "size"),
    "no property": (lambda o: original.property.get(10_000), RuntimeError, "number is 10000"),
    "no such property": (lambda o: original.property.get_enum("Nmae"), ValueError, "'Name'"),
    "a device's type": (lambda o: original.get_data_type("float99"), ValueError, "float99"),
    "an undefined type": (
        lambda o: original.utils.get_data_type_size(original.data_type.undefined),
        ValueError,
        "obj",
    ),
    "no device": (lambda o: original.format_device_info(None), TypeError, "device"),
    "no value": (lambda o: o.info.get(["None"]), RuntimeError, "None"),
    "no value of a catalog": (lambda o: o.catalog.get(["Libraries", "x"]), KeyError, "'x'"),
    "a path of a number": (lambda o: o.catalog.get(1), TypeError, "path"),
    "a dimension": (lambda o: o.layout.dim("x"), TypeError, "index"),
    "a name of a number": (lambda o: original.lookup_device_info(1), TypeError, "name"),
    "an index of a list": (lambda o: original.get_runtimes().get(99), IndexError, "index"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused(case: str, objects: Any) -> None:
    call, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text):
        call(objects)


def test_a_command_that_is_refused_is_not_added(objects: Any) -> None:
    schedule = objects.device.create_schedule()
    with pytest.raises(ValueError, match="argument 0"):
        schedule.create_command(objects.kernel, [objects.device.create_buffer(4, dtype="int8")])
    assert schedule.get_commands().size() == 0
