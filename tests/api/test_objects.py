# SPDX-License-Identifier: Apache-2.0
"""All objects: no construction, equality, hash, weak references, a helpful repr."""

from __future__ import annotations

import gc
import inspect
import weakref
from typing import Any

import pytest

import nexus

CLASSES = [
    nexus.Runtime, nexus.Device, nexus.Buffer, nexus.Library, nexus.Kernel, nexus.Stream,
    nexus.Event, nexus.Schedule, nexus.Command, nexus.ObjectCode, nexus.Properties,
]  # fmt: skip


@pytest.fixture
def objects(
    device: nexus.Device, doubling: nexus.Schedule, buffer: nexus.Buffer, library: nexus.Library
) -> list[Any]:
    """Returns one object of each class."""
    return [
        device.runtime, device, buffer, library, library.get_kernel("add"),
        device.create_stream(), device.create_event(), doubling, doubling.get_commands()[0],
        device.get_info(),
    ]  # fmt: skip


@pytest.mark.parametrize("cls", CLASSES)
def test_construction_names_the_factory(cls: Any) -> None:
    with pytest.raises(
        TypeError, match=rf"nexus\.{cls.__name__} objects can't be created .*use .*\("
    ):
        cls()
    with pytest.raises(TypeError, match=r"use .*\("):
        cls.__new__(cls)


@pytest.mark.parametrize("cls", CLASSES)
def test_classes_are_final(cls: Any) -> None:
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Mine", (cls,), {})


@pytest.mark.parametrize("cls", CLASSES)
def test_classes_live_in_nexus(cls: Any) -> None:
    assert (cls.__module__, getattr(nexus, cls.__name__)) == ("nexus", cls)


@pytest.mark.parametrize("cls", CLASSES)
def test_everything_public_has_a_docstring(cls: Any) -> None:
    assert inspect.getdoc(cls)
    for name, member in vars(cls).items():
        if not name.startswith("_"):
            assert "\n\n" in (member.__doc__ or ""), name


def test_equal_is_the_same_object(device: nexus.Device, objects: list[Any]) -> None:
    for each in objects:
        assert each == each
        assert each != object()
        assert not each == 1  # noqa: SIM201
    assert device.runtime == device.runtime
    assert device.create_buffer(8) != device.create_buffer(8)


def test_hash_goes_by_the_object(device: nexus.Device, objects: list[Any]) -> None:
    assert len(set(objects)) == len(objects)
    assert hash(device) == hash(nexus.get_device(device.selector))


def test_objects_have_weak_references(device: nexus.Device) -> None:
    buffer = device.create_buffer(8)
    reference = weakref.ref(buffer)
    assert reference() is buffer
    del buffer
    gc.collect()
    assert reference() is None


def test_a_repr_names_class_and_what_it_is(objects: list[Any]) -> None:
    for each in objects:
        assert repr(each).startswith(f"<nexus.{type(each).__name__} ")


def test_reprs_tell(
    device: nexus.Device, buffer: nexus.Buffer, library: nexus.Library, doubling: nexus.Schedule
) -> None:
    assert repr(buffer) == f"<nexus.Buffer float32 (1024,) on {device.selector}>"
    assert repr(library.get_kernel("add")) == "<nexus.Kernel 'add'>"
    assert repr(doubling) == f"<nexus.Schedule of 1 command on {device.selector}>"
    assert repr(doubling.get_commands()[0]) == "<nexus.Command kernel 'scale'>"
    assert device.selector in repr(device)
    assert repr(device.runtime).startswith(f"<nexus.Runtime {device.runtime.name}, ")


def test_the_repr_of_a_stream_and_of_its_events_tells_how_they_are(device: nexus.Device) -> None:
    stream = device.create_stream()
    gate = device.create_event()
    shared, once = device.create_event(), device.create_event(nexus.event_type.Signal)
    assert repr(stream) == f"<nexus.Stream on {device.selector}, idle>"
    stream.wait(gate)
    stream.signal(shared)
    stream.signal(once)
    assert repr(stream) == f"<nexus.Stream on {device.selector}, busy>"
    assert repr(once) == "<nexus.Event Signal, value 0, pending>"
    gate.close()  # what waits for it fails
    assert repr(stream) == f"<nexus.Stream on {device.selector}, failed>"
    assert repr(shared) == "<nexus.Event Shared, value 0, failed>"
    assert repr(once) == "<nexus.Event Signal, value 0, failed>"


def test_a_closed_object_says_so(buffer: nexus.Buffer, doubling: nexus.Schedule) -> None:
    buffer.close()
    doubling.close()
    assert repr(buffer) == "<nexus.Buffer closed>"
    assert repr(doubling) == "<nexus.Schedule closed>"


def test_attributes_can_not_be_added(device: nexus.Device) -> None:
    with pytest.raises(AttributeError):
        device.colour = "red"  # type: ignore[attr-defined]
