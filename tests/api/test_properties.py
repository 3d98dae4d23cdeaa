# SPDX-License-Identifier: Apache-2.0
"""Properties by name, by enum and by path, on every object."""

from __future__ import annotations

import pytest

import nexus

pytestmark = pytest.mark.smoke


@pytest.fixture
def info(device: nexus.Device) -> nexus.Properties:
    return device.get_info()


def test_by_name_by_enum_and_by_path(device: nexus.Device) -> None:
    name = device.get_property_str("Name")
    assert device.get_property_str(nexus.property.Name) == name
    assert device.get_property_str(["Name"]) == name
    assert device.get_property_str((nexus.property.Name,)) == name


def test_the_info_says_what_the_device_says(device: nexus.Device, info: nexus.Properties) -> None:
    for key in ("Name", "Vendor", "Type", "Architecture"):
        assert info.get_str(key) == device.get_property_str(key)


def test_an_int_is_read_as_a_float_too(buffer: nexus.Buffer) -> None:
    assert buffer.get_property_flt("Size") == 4096.0
    assert buffer.get_property_flt_vec("Shape") == [1024.0]


def test_a_value_in_its_own_type(buffer: nexus.Buffer) -> None:
    assert buffer.get_property("Size") == 4096
    assert buffer.get_property("DataType") == "float32"
    assert buffer.get_property("Shape") == [1024]


def test_the_memories_by_path(info: nexus.Properties) -> None:
    kinds = info.get_str_vec(["MemorySubsystem", "SupportedMemoryTypes"])
    memories = info.get(["MemorySubsystem", "MemoryTypes"])
    assert len(memories) >= 1
    for index, memory in enumerate(memories):
        path: list[str | int] = ["MemorySubsystem", "MemoryTypes", index]
        assert info.get_str([*path, "Name"]) == memory["Name"]
        assert info.get([*path, "Size"], 0) == memory.get("Size", 0)  # some tell a MaxSize
    assert len(kinds) >= 1
    assert [each["Name"] for each in memories[:2]] == ["Global", "L2"]
    told = [each["Name"] for each in memories if len(each) > 1]
    assert kinds == told


def test_a_device_and_its_info_have_the_memories_in_one_order(
    device: nexus.Device, info: nexus.Properties
) -> None:
    names = [
        [memory["Name"] for memory in of["MemorySubsystem", "MemoryTypes"]]
        for of in (device.properties, info)
    ]
    assert names[0][:2] == names[1][:2] == ["Global", "L2"]
    assert [name for name in names[1] if name in names[0]] == names[0]


def test_what_is_not_found_is_a_runtime_error_with_near_keys(device: nexus.Device) -> None:
    with pytest.raises(RuntimeError, match=r"Nane.*Name") as error:
        device.get_property_str("Nane")
    assert isinstance(error.value, nexus.PropertyNotFoundError)
    assert error.value.status == nexus.status.NXS_InvalidProperty


def test_a_path_that_ends_early_says_where(info: nexus.Properties) -> None:
    with pytest.raises(nexus.PropertyNotFoundError, match="MemorySubsystem"):
        info.get_int(["MemorySubsystem", "Nothing", 1])


def test_a_commands_arguments_are_the_ids_of_its_buffers(
    doubling: nexus.Schedule, buffer: nexus.Buffer
) -> None:
    command = doubling.get_commands()[0]
    assert command.get_property_int_vec("Arguments") == [buffer.get_property_int("ID"), 0]


def test_where_a_slice_begins(buffer: nexus.Buffer) -> None:
    assert buffer.get_property_int("Offset") == 0
    assert buffer[256:512].get_property_int("Offset") == 1024


def test_how_often_a_schedule_ran_and_whether_it_is_done(doubling: nexus.Schedule) -> None:
    assert doubling.get_property_int("RunCount") == 0
    assert doubling.get_property_str("Status") == "Submitted"
    doubling.run()
    doubling.run()
    assert doubling.get_property_int("RunCount") == 2
    for each in (doubling, doubling.get_commands()[0]):
        assert each.get_property_str("Status") == "Complete"


def test_what_a_command_adds_to_its_value(device: nexus.Device, schedule: nexus.Schedule) -> None:
    command = schedule.create_signal_command(device.create_event(), 5)
    assert (command.properties["Value"], command.properties["Step"]) == (5, 1)
    command.set_value(7, 3)
    assert (command.properties["Value"], command.properties["Step"]) == (7, 3)
