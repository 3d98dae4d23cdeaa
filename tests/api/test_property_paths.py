# SPDX-License-Identifier: Apache-2.0
"""Paths into a device's properties: existing values are read, others are not found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nexus

Path = list[str | int]

INFO = nexus.get_device().get_info()
TREE: dict[str, Any] = {key: INFO[key] for key in INFO.get_keys()}
READERS = {str: INFO.get_str, int: INFO.get_int, float: INFO.get_flt}


def paths_below(value: Any, path: Path) -> Iterator[Path]:
    """Yields the paths of all values below a value."""
    steps: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        steps = enumerate(value)
    for step, part in steps:
        yield [*path, step]
        yield from paths_below(part, [*path, step])


PATHS = list(paths_below(TREE, []))
INT64 = st.integers(-(2**63), 2**63 - 1)


def follow(path: Path) -> Any:
    """Returns the value at a path of plain Python objects; raises KeyError."""
    value: Any = TREE
    for depth, step in enumerate(path):
        if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
            continue
        if isinstance(step, int) and not isinstance(value, list):
            known = [member.name for member in nexus.property.Property if member == step]
            step = known[0] if known else ""
        if not isinstance(value, dict) or step not in value:
            raise KeyError(depth)
        value = value[step]
    return value


@settings(deadline=None)
@given(st.sampled_from(PATHS))
def test_a_path_that_is_there_reads_what_is_there(path: Path) -> None:
    value = follow(path)
    assert INFO[path] == value
    assert INFO[tuple(path)] == value
    if type(value) in READERS:
        assert READERS[type(value)](path) == value


@settings(deadline=None)
@given(st.sampled_from(PATHS))
def test_enums_read_what_their_names_read(path: Path) -> None:
    members = [
        getattr(nexus.property, step, step) if isinstance(step, str) else step for step in path
    ]
    assert INFO[members] == INFO[path]


@settings(deadline=None)
@given(st.lists(st.one_of(st.sampled_from(sorted(TREE)), st.text(max_size=8), INT64), min_size=1))
def test_any_path_in_a_device_file_reads_a_value_or_is_not_found(path: Path) -> None:
    try:
        value = follow(path)
    except KeyError:
        with pytest.raises(nexus.PropertyNotFoundError, match="was not found"):
            INFO[path]
    else:
        assert INFO[path] == value


@pytest.mark.parametrize(("name", "shown"), [("", "''"), ("a\0b", r"'a\\0b'")])
def test_an_odd_name_is_shown_whole(name: str, shown: str) -> None:
    with pytest.raises(nexus.PropertyNotFoundError, match=f"Property {shown} was not found"):
        INFO[name]


@settings(deadline=None)
@given(st.sampled_from(PATHS))
def test_a_value_of_another_type_is_never_converted(path: Path) -> None:
    value = follow(path)
    for kind, read in READERS.items():
        if type(value) is kind or (kind is float and type(value) is int):
            continue
        with pytest.raises(nexus.PropertyNotFoundError):
            read(path)


@pytest.mark.parametrize("member", list(nexus.property.Property), ids=lambda member: member.name)
def test_every_property_of_the_catalogue_by_its_number(member: nexus.property.Property) -> None:
    device = nexus.get_device()
    objects: list[Any] = [device, device.runtime, device.create_buffer(64), device.default_stream]
    objects += [device.create_event(), device.create_schedule()]
    for each in objects:
        if member.name in each.get_property_keys():
            by_name = each.get_property(member.name)
            assert each.get_property(member) == each.get_property(int(member)) == by_name
        else:
            with pytest.raises(nexus.PropertyNotFoundError, match=member.name):
                each.get_property(member)
