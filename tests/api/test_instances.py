# SPDX-License-Identifier: Apache-2.0
"""Each object of libnexus has one Python object; pickling, copying, and tables in notebooks."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from example_catalog import write_catalog

import nexus
from nexus._units import size_text


def test_a_getter_gives_the_instance_that_lives(
    device: nexus.Device, library: nexus.Library, doubling: nexus.Schedule
) -> None:
    assert nexus.get_device(device.selector) is device
    assert device.runtime.get_device(0).default_stream is device.default_stream
    assert doubling.device is device
    assert doubling.get_commands()[0] is doubling.get_commands()[0]
    kernel = library.get_kernel("scale")
    assert doubling.create_command(kernel).get_kernel() is kernel


def test_an_object_without_an_instance_gets_a_new_equal_one(doubling: nexus.Schedule) -> None:
    command = doubling.get_commands()[0]
    key = hash(command)
    reference = weakref.ref(command)
    del command
    gc.collect()
    assert reference() is None
    assert hash(doubling.get_commands()[0]) == key


@pytest.mark.parametrize("action", [pickle.dumps, copy.copy, copy.deepcopy])
def test_objects_are_not_pickled_or_copied(
    device: nexus.Device, buffer: nexus.Buffer, action: Callable[[Any], Any]
) -> None:
    for each in (device, buffer, device.get_info()):
        name = type(each).__name__
        with pytest.raises(TypeError, match=rf"nexus\.{name} objects can't be pickled or copied"):
            action(each)


def test_a_constant_property_is_the_same_text_each_time(device: nexus.Device) -> None:
    assert device.get_property_str("Vendor") is device.get_property_str("Vendor")
    assert device.get_property_str(nexus.property.Vendor) == device.get_property_str("Vendor")


def test_a_constant_of_one_type_is_refused_as_another(device: nexus.Device) -> None:
    assert device.get_property_str("Vendor")
    with pytest.raises(
        nexus.PropertyNotFoundError, match="'Vendor' is a str, and an int was wanted"
    ):
        device.get_property_int("Vendor")


def test_an_int_is_read_as_a_float_before_and_after_it_was_read(buffer: nexus.Buffer) -> None:
    for _ in range(2):
        wide = buffer.get_property_flt("Size")
        assert (type(wide), wide) == (float, 4096.0)
        assert buffer.get_property_int("Size") == 4096


def test_a_bool_is_no_key_though_it_equals_one(device: nexus.Device) -> None:
    assert device.get_property_str(1) == device.get_property_str("Type")
    with pytest.raises(TypeError, match="key"):
        device.get_property_str(True)


def test_a_changing_property_is_read_each_time(
    schedule: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    assert schedule.get_property_int("Size") == 0
    schedule.create_fill_command(buffer, 0)
    assert schedule.get_property_int("Size") == 1


def test_a_closed_object_forgets_its_constants(buffer: nexus.Buffer) -> None:
    assert buffer.get_property_int("Size") == 4096
    buffer.close()
    with pytest.raises(nexus.NexusError) as error:
        buffer.get_property_int("Size")
    assert error.value.status == nexus.status.NXS_InvalidBuffer


def test_lists_are_the_programs_own(device: nexus.Device) -> None:
    device.get_property_keys().clear()
    assert "Name" in device.get_property_keys()


CELLS = {"b", "code", "meter", "summary", "td"}


class Shown(HTMLParser):
    """Parses the texts of HTML, and checks that its tags are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        if tag in CELLS:
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in CELLS:
            self.cells[-1] += data


def html(shown: Any) -> list[str]:
    return Shown(shown._repr_html_()).cells


def test_notebooks_show_devices(device: nexus.Device) -> None:
    name = device.get_property_str("Name")
    assert html(device)[:2] == [name, device.selector]
    for shown in (device, device.properties):
        assert f"{size_text(device.properties['GlobalMemorySize'])} of memory in use" in " ".join(
            html(shown)
        )
    assert "Name" in html(device.properties)
    assert {device.selector, name} <= set(html(device.runtime))
    assert {device.selector, name} <= set(html(nexus.get_devices()))
    assert html(device.get_info())[0] == name
    assert html(device.runtime.get_devices()[:1])[0] == "1 Device"
    assert html(nexus.get_runtimes()) != html(nexus.get_runtimes()[:0])


def test_notebooks_show_the_first_values_of_a_buffer(device: nexus.Device) -> None:
    values = np.arange(400, dtype=np.int32).reshape(2, 10, 20)
    assert html(device.create_buffer(values))[2:11] == [*map(str, range(8)), "…"]
    assert html(device.create_buffer(values[0, 0])[::2])[2:11] == [*map(str, range(0, 16, 2)), "…"]
    for small in (np.array(1.5, np.float32), np.zeros((0, 3), np.float32)):
        assert html(device.create_buffer(small))[:2] == ["Buffer", device.selector]
    assert html(nexus.create_buffer(values[0, 0]))[:3] == ["Buffer", "host", "0"]
    closed = device.create_buffer(values)
    closed.close()
    assert "closed" in closed._repr_html_()  # type: ignore[attr-defined]


def test_notebooks_show_backends_as_a_table(device: nexus.Device) -> None:
    shown = html(nexus.get_backends())
    assert shown[0].endswith("Backend" if len(nexus.get_backends()) == 1 else "Backends")
    assert {device.runtime.name, "PASS"} <= set(shown)


def test_a_view_of_a_closed_object_is_shown(device: nexus.Device) -> None:
    stream = device.create_stream()
    view = stream.properties
    stream.close()
    assert "closed" in view._repr_html_()


UNESCAPED = "<i>&"
# Classes that notebooks show as text: a str, arguments of a call, and a class to derive from.
SHOWN_AS_TEXT = {"DType", "In", "InOut", "MemoryResource", "Out"}


def objects_of(device: nexus.Device, folder: Path) -> Iterator[Any]:
    """Yields an object of each class; where it can have one, with a name that needs escaping."""
    text = "NEXUS_KERNEL(k, (NEXUS_GLOBAL float *, x)) { x[0] = 1; }"
    options = nexus.ProgramOptions(defines={"M": UNESCAPED})
    program = nexus.Program(text, name=f"{UNESCAPED}.c", options=options)
    code = nexus.Program(text, name=f"{UNESCAPED}.c").compile(device)
    library = device.load_library(code)
    schedule, buffer = device.create_schedule(), device.create_buffer((4,))
    catalog = nexus.load_catalog(write_catalog(folder, Description=UNESCAPED))
    yield from (device, device.runtime, device.get_info(), device.properties, buffer)
    yield from (device.create_stream(), device.create_event(), schedule)
    yield from (schedule.create_fill_command(buffer, 0), library, library.get_kernel("k"))
    yield from (device.memory_resource, device.create_memory_pool(), nexus.get_devices())
    yield from (options, program, code, nexus.Linker(code, name=UNESCAPED))
    yield from (catalog, catalog.libraries[0]._replace(description=UNESCAPED))
    citation = nexus.Citation(*[UNESCAPED] * 7)
    argument = nexus.Argument(UNESCAPED, "buffer", None)
    attributes = nexus.KernelAttributes(local_memory_size=2048)
    yield from (citation, argument, attributes, nexus.Occupancy(1, 2, 3, 1024, 5, 6))
    yield nexus.KernelDescription(UNESCAPED, (argument,), attributes)
    yield nexus.PropertySource("device file", UNESCAPED, (citation,), ())
    yield nexus.Backend(*[UNESCAPED] * 7)
    yield nexus.DeviceFileProblem(UNESCAPED, 1, 2, UNESCAPED)
    yield nexus.CacheInfo(UNESCAPED, "", 1, 2048, 4096, 0, 0, 0)


def test_notebooks_show_an_object_of_each_class(device: nexus.Device, tmp_path: Path) -> None:
    shown = set()
    for each in objects_of(device, tmp_path):
        kind = type(each).__name__
        text = each._repr_html_()
        head = text.partition("</div>")[0]
        assert ("Device" if kind == "ObjectList" else kind) in head
        assert not html(each)[0].startswith("<nexus."), kind
        assert UNESCAPED not in text, kind
        shown.add(kind)
    public = (getattr(nexus, name) for name in nexus.__all__)
    classes = {each.__name__ for each in public
               if isinstance(each, type) and not issubclass(each, Exception)}  # fmt: skip
    assert shown == classes - SHOWN_AS_TEXT


def test_notebooks_show_a_schedule_as_a_picture(device: nexus.Device) -> None:
    assert "<svg" in device.create_schedule()._repr_html_()  # type: ignore[attr-defined]


def test_notebooks_show_sizes_in_units(device: nexus.Device) -> None:
    pool = device.create_memory_pool()
    address = pool.allocate(1024)
    assert f"1 KiB of {size_text(pool.reserved)} held" in html(pool)
    pool.deallocate(address, 1024)
    assert "2 KiB" in html(nexus.KernelAttributes(local_memory_size=2048))


def test_a_list_names_the_index_and_its_length() -> None:
    runtimes = nexus.get_runtimes()
    count = len(runtimes)
    for index in (count, 2**31, 2**70):
        text = f"index is {index}: the list has {count} object"
        with pytest.raises(IndexError, match=text):
            runtimes[index]
        with pytest.raises(IndexError, match=text):
            runtimes.get(index)
    with pytest.raises(IndexError, match="index is -1"):
        runtimes.get(-1)
    with pytest.raises(TypeError, match="index has to be an int, not str"):
        runtimes.get("cpu")  # type: ignore[arg-type]
    assert runtimes[-1] is runtimes[count - 1]
    assert runtimes.get(np.int64(0)) is runtimes[0]
    assert isinstance(runtimes[:1], nexus.ObjectList)
