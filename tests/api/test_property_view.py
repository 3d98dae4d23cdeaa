# SPDX-License-Identifier: Apache-2.0
"""The properties of objects as mappings."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import pytest

import nexus

pytestmark = pytest.mark.smoke


@pytest.fixture
def view(buffer: nexus.Buffer) -> nexus.PropertyView:
    return buffer.properties


@pytest.fixture
def info(device: nexus.Device) -> nexus.Properties:
    return device.get_info()


def test_it_is_a_mapping_of_names_to_values(buffer: nexus.Buffer, view: nexus.PropertyView) -> None:
    assert isinstance(view, Mapping)
    assert view["Size"] == 4096
    assert view[nexus.property.DataType] == "float32"
    assert view["Shape", 0] == 1024
    assert dict(view)["Rank"] == 1
    assert set(view) == set(buffer.get_property_keys()) - {"Keys"}
    assert len(view) == len(list(view))


@pytest.mark.parametrize(
    ("key", "there"),
    [("Size", True), ("Sise", False), (["Shape", 0], True), (["Shape", 1], False), (None, False)],
    ids=str,
)
def test_in_says_whether_it_is_there(view: nexus.PropertyView, key: Any, there: bool) -> None:
    assert (key in view) is there


def test_a_name_that_is_not_there_is_a_key_error_with_near_names(view: nexus.PropertyView) -> None:
    with pytest.raises(KeyError, match=r"'Sise' was not found.*'Size'"):
        view["Sise"]
    assert view.get("Sise") is None
    assert view.get("Sise", 7) == 7


def test_the_values_are_read_when_they_are_asked_for(device: nexus.Device) -> None:
    event = device.create_event()
    view = event.properties
    assert view["Value"] == 0
    event.signal(3)
    assert view["Value"] == 3


def test_as_a_dict_and_as_json(view: nexus.PropertyView) -> None:
    assert view.to_dict()["DataType"] == "float32"
    assert json.loads(view.to_json()) == view.to_dict()
    assert view.to_json(indent=2).startswith('{\n  "')


def test_every_object_has_them(
    device: nexus.Device, buffer: nexus.Buffer, library: nexus.Library, doubling: nexus.Schedule
) -> None:
    command = doubling.get_commands()[0]
    objects: list[Any] = [device.runtime, device, buffer, library, command.get_kernel()]
    objects += [device.default_stream, device.create_event(), doubling, command]
    for each in objects:
        assert each.properties["ID"] == each.get_property_int("ID")


def test_a_closed_object_offers_no_keys_to_complete(device: nexus.Device) -> None:
    buffer = device.create_buffer(16)
    view = buffer.properties
    assert "Size" in view._ipython_key_completions_()
    buffer.close()
    assert view._ipython_key_completions_() == []
    assert "closed" in repr(view)
    with pytest.raises(nexus.NexusError):
        view["Size"]


def test_a_tree_is_a_mapping_too(info: nexus.Properties) -> None:
    tree: Any = info
    assert tree._ipython_key_completions_() == info.get_keys()
    assert isinstance(tree, Mapping)
    assert info["Type"] == info.get_str("Type")
    assert ["MemorySubsystem", "MemoryTypes", 0, "Name"] in info
    assert ["MemorySubsystem", "MemoryTypes", 99] not in info
    assert set(info) == set(info.get_keys()) == set(info.keys())
    assert len(info) == len(info.get_keys())
    assert dict(info) == info.to_dict() == json.loads(info.to_json())
    assert ("Type", info["Type"]) in info.items()
    assert info["Type"] in info.values()


def test_what_a_tree_lacks_has_a_default(info: nexus.Properties) -> None:
    assert info.get("Colour") is None
    assert info.get("Colour", "red") == "red"
    assert info.get("Type", "red") == info["Type"]
    with pytest.raises(KeyError, match="'Colour' was not found"):
        info["Colour"]


@pytest.mark.parametrize("key", [1.5, None, True, {"Name"}, ["Name", None]])
def test_what_is_no_key_is_in_no_tree_and_a_type_error_to_read(
    info: nexus.Properties, key: Any
) -> None:
    assert key not in info
    for read in (info.get, info.__getitem__, info.source):
        with pytest.raises(TypeError, match="key has to be"):
            read(key)


def test_a_path_of_ten_thousand_names_ends_where_it_fails(info: nexus.Properties) -> None:
    with pytest.raises(nexus.PropertyNotFoundError, match="'Name' is a string"):
        info.get_str(["Name"] * 10_000)
    assert ["Name"] * 10_000 not in info


@pytest.mark.parametrize("index", [-1, 2**62, -(2**62)])
def test_an_index_beyond_the_list_says_how_long_it_is(info: nexus.Properties, index: int) -> None:
    with pytest.raises(nexus.PropertyNotFoundError, match="entries, counted from 0"):
        info["MemorySubsystem", "MemoryTypes", index]


def test_another_case_is_another_name(info: nexus.Properties) -> None:
    assert "name" not in info
    with pytest.raises(nexus.PropertyNotFoundError, match="'Name'"):
        info["name"]


def test_a_key_tells_of_itself() -> None:
    key = nexus.property.GlobalMemorySize
    assert (key.value_type, key.unit, key.objects) == ("int", "B", ("device",))
    assert nexus.property.LineSize.within == "MemorySubsystem / MemoryTypes"
    assert nexus.property.Name.unit == ""
    assert nexus.property.Name.since == "1.0"
    assert nexus.property.Name.description == "The object's name."


def test_a_devices_memory_and_limits_are_drawn(device: nexus.Device) -> None:
    pytest.importorskip("matplotlib", reason='draws the figure: pip install "nexus-core[plot]"')
    figure = device.properties.plot()
    assert device.name in figure.get_suptitle()
    assert [axes.get_title(loc="left").split(",")[0] for axes in figure.axes] == [
        "Memory",
        "Limits",
    ]
    assert "MaxGridSize" in [label.get_text() for label in figure.axes[1].get_yticklabels()]


def test_a_notebook_shows_the_figure_without_pyplot(device: nexus.Device) -> None:
    pytest.importorskip("matplotlib", reason='draws the figure: pip install "nexus-core[plot]"')
    assert device.properties.plot()._repr_svg_().startswith("<svg")


def test_an_object_without_memory_and_limits_is_not_drawn(view: nexus.PropertyView) -> None:
    pytest.importorskip("matplotlib", reason='draws the figure: pip install "nexus-core[plot]"')
    with pytest.raises(
        nexus.NexusError, match=r"<properties of .*> have neither memory nor limits"
    ):
        view.plot()


def test_without_matplotlib_the_error_has_the_command_that_installs_it(
    device: nexus.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(nexus.NexusError, match=r'matplotlib.*pip install "nexus-core\[plot\]"'):
        device.properties.plot()
