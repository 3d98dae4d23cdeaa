# SPDX-License-Identifier: Apache-2.0
"""Properties: values have the catalogue's types, and unknown ones are absent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nexus
from nexus.conformance.api.workbench import LONG, Workbench

TYPES: dict[str, type | tuple[type, ...]] = {
    "str": str, "int": int, "flt": (float, int), "obj": dict,
}  # fmt: skip
# Of a device, its parts and its tree: 0 can only mean that the backend does not know.
NEVER_ZERO = {
    "GlobalMemorySize", "MaxThreadsPerBlock", "MaxThreadsPerThreadgroup", "MaxBufferSize",
    "MaxThreadgroupMemorySize", "CoreCount", "ThreadCount", "CacheLineSize", "MaxArguments",
    "BufferOffsetAlignment", "BufferAlignment", "CoreClockRate", "MemoryClockRate", "PageSize",
    "MemoryBusWidth", "MaxGroupSize", "MaxGridSize", "PreferredGroupMultiple", "SIMDSize",
    "UsableThreadCount",
}  # fmt: skip


def objects(work: Workbench) -> dict[str, Any]:
    """Makes one object of each kind."""
    schedule = work.device.create_schedule()
    command = work.fill(schedule, work.ints(), 1)
    schedule.run(timeout=LONG)
    return {
        "runtime": work.device.runtime,
        "device": work.device,
        "buffer": work.ints(),
        "library": work.library("elements"),
        "kernel": work.kernels["fill_i32"],
        "stream": work.device.create_stream(),
        "event": work.device.create_event(),
        "schedule": schedule,
        "command": command,
    }


KINDS = [
    "runtime",
    "device",
    "buffer",
    "library",
    "kernel",
    "stream",
    "event",
    "schedule",
    "command",
]


def check_type(name: str, told: str, value: Any) -> None:
    """Checks that the value has the catalogue's type."""
    if told == "obj_vec" and isinstance(value, dict):
        return  # a subsystem, of which there is only one
    if told.endswith("_vec"):
        assert isinstance(value, list), name
        for each in value:
            check_type(name, told.removesuffix("_vec"), each)
    else:
        assert isinstance(value, TYPES[told]), f"{name} is {value!r}, no {told}"
        assert not isinstance(value, bool), name


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_that_is_listed_answers_in_the_catalogues_type(
    work: Workbench, kind: str
) -> None:
    each = objects(work)[kind]
    keys = each.get_property_keys()
    assert len(set(keys)) == len(keys)
    assert {"ID", "Keys"} <= set(keys)
    known = nexus.property.Property.__members__
    for key in keys:
        value = each.get_property(key)
        if key in known:
            check_type(key, known[key].value_type, value)
            assert kind in known[key].objects, f"{key} is not a property of a {kind}"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_listed_is_not_found(work: Workbench, kind: str) -> None:
    each = objects(work)[kind]
    listed = set(each.get_property_keys())
    for name, key in nexus.property.Property.__members__.items():
        if name in listed:
            continue
        with pytest.raises(nexus.PropertyNotFoundError) as error:
            each.get_property(key)
        assert error.value.status == nexus.status.NXS_InvalidProperty
    with pytest.raises(nexus.PropertyNotFoundError):
        each.get_property("NoSuchProperty")


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_is_not_given_as_another_type(work: Workbench, kind: str) -> None:
    each = objects(work)[kind]
    readers: dict[str, Callable[[Any], Any]] = {
        "str": each.get_property_str,
        "int": each.get_property_int,
        "str_vec": each.get_property_str_vec,
        "int_vec": each.get_property_int_vec,
    }
    for name in each.get_property_keys():
        key = nexus.property.Property.__members__.get(name)
        if key is None or key.value_type not in readers:
            continue
        before = each.get_property(key)
        value = readers[key.value_type](key)
        changes = before != each.get_property(key)  # a live value
        assert value == before or (changes and type(value) is type(before)), name
        for told, read in readers.items():
            if value == [] and told.endswith("_vec"):
                assert read(key) == []  # an empty list is one of any type
            elif told != key.value_type:
                with pytest.raises(nexus.PropertyNotFoundError):
                    read(key)


@pytest.mark.parametrize("kind", ["runtime", "device", "library", "kernel"])
def test_what_is_constant_stays(work: Workbench, kind: str) -> None:
    each = objects(work)[kind]
    for name in ("ID", "Name", "Vendor", "Type", "Architecture", "MaxThreadsPerBlock", "Count"):
        if name in each.properties:
            assert each.get_property(name) == each.get_property(name)


def test_a_device_tells_what_every_device_tells(work: Workbench) -> None:
    for key in ("Name", "Vendor", "Type", "Architecture"):
        assert work.device.get_property_str(key).strip()
    assert work.device.get_property_str("Type") in ("cpu", "gpu", "accelerator")
    assert work.device.runtime.get_property_str("Version")[0].isdigit()
    assert work.device.runtime.get_property_int("Size") == len(work.device.runtime.get_devices())


def test_nothing_answers_0_for_what_is_not_known(work: Workbench) -> None:
    def look(tree: Any, at: str) -> None:
        for name, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            if isinstance(value, (dict, list)) and name != "Sources":
                look(value, f"{at}/{name}")
            assert value not in ("", [], {}), f"{at}/{name} is empty"
            if name in NEVER_ZERO:
                assert value != 0, f"{at}/{name} is 0"
                assert not isinstance(value, int) or value > 0, f"{at}/{name} is {value}"

    look({key: work.device.get_property(key) for key in work.device.get_property_keys()}, "device")
    look(work.device.get_info().to_dict(), "info")


def test_values_of_the_device_come_from_the_driver(work: Workbench) -> None:
    info = work.device.get_info()
    for key in ("Name", "Vendor", "Type"):
        assert info.get_str(key) == work.device.get_property_str(key)
        assert info.source(key).kind == "driver"


def test_ids_are_of_one_object_each(work: Workbench) -> None:
    made = [work.ints() for _ in range(20)] + list(objects(work).values())
    numbers = [each.get_property_int("ID") for each in made]
    assert len(set(numbers)) == len(numbers)
    assert all(numbers)


def test_capabilities_are_bits_with_names(work: Workbench) -> None:
    bits = work.device.runtime.get_property_int("Capabilities")
    assert bits & ~sum(nexus.capability.Capability) == 0


def test_objects_tell_what_they_were_made_with(work: Workbench) -> None:
    buffer = work.device.create_buffer((3, 5), dtype="int16")
    assert buffer.get_property("Size") == 30
    assert buffer.get_property("Shape") == [3, 5]
    assert buffer.get_property("DataType") == "int16"
    assert work.kernels["fill_i32"].get_property("Name") == "fill_i32"
    schedule = work.device.create_schedule()
    command = schedule.create_command(work.kernels["write_ids"])
    assert schedule.get_property("Size") == 1
    command.set_buffer(0, work.ints(0, 4096))
    command.finalize((4, 2), (9, 3))
    assert command.get_property("GroupSize") == [4, 2, 1]
    assert command.get_property("GridSize") == [9, 3, 1]
    assert command.get_property("GroupCount") == [3, 2, 1]
    names = [each.name for each in work.library("groups").get_kernels()]
    assert names == sorted(names)
    assert {"write_ids", "group_sum", "reverse_groups"} <= set(names)
