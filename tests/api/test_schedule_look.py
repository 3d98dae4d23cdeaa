# SPDX-License-Identifier: Apache-2.0
"""Schedules as text, as DOT and as pictures."""

from __future__ import annotations

import os
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pydot
import pytest

import nexus

pytestmark = pytest.mark.smoke

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def no_dot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def name_of(schedule: nexus.Schedule) -> str:
    return schedule.get_property_str("Name")


def picture(shown: Any) -> list[str]:
    """Returns the texts of a schedule's picture, which has to be valid XML."""
    root = ET.fromstring(shown._repr_svg_())
    assert root.tag == f"{SVG}svg"
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


def test_print_lists_the_commands(
    device: nexus.Device, outer: nexus.Schedule, doubling: nexus.Schedule
) -> None:
    assert str(outer).splitlines() == [
        f"{name_of(outer)} on {device.selector}",
        f"  0 {name_of(doubling)}",
        "    0 kernel 'scale' grid 1024 group 32 (buffer 0, 2.0)",
        "    1 fill buffer 1 with 7",
        "  1 copy buffer 3 to buffer 2",
        "  2 signal event 0 value 3 step 2",
        "  3 wait event 0 value 3 step 2",
        f"  4 {name_of(doubling)} (as above)",
        "buffer 0: float32 (1024,)",
        "buffer 1: int32 (16,) at byte 0 of memory 0",
        "buffer 2: float32 (16,) at byte 0 of memory 0",
        "buffer 3: float32 (16,) at byte 64 of memory 0",
    ]
    assert repr(outer).startswith("<nexus.Schedule of 5 commands on ")


def test_what_a_command_lacks_is_told(
    schedule: nexus.Schedule, library: nexus.Library, buffer: nexus.Buffer
) -> None:
    command = schedule.create_command(library.get_kernel("scale"))
    assert "0 kernel 'scale' not finalized ()" in str(schedule)
    command.set_arg(1, 1.5)
    assert "0 kernel 'scale' not finalized (not set, 1.5)" in str(schedule)
    command.set_buffer(0, buffer)
    command.finalize(grid_size=(16, 8))  # the backend chooses the group
    assert re.search(r"0 kernel 'scale' grid 16 x 8 group \d.* \(buffer 0, 1.5\)", str(schedule))


def test_buffers_of_other_places_name_them(device: nexus.Device, schedule: nexus.Schedule) -> None:
    shared = nexus.create_buffer((4, 4))
    schedule.create_copy_command(shared, device.create_buffer(64))
    assert str(schedule).splitlines()[2:] == [
        "buffer 0: float32 (4, 4) on system",
        "buffer 1: bytes (64,)",
    ]


def test_conditions_have_the_schedules_that_they_run(
    device: nexus.Device, schedule: nexus.Schedule, doubling: nexus.Schedule, no_dot: None
) -> None:
    number, outer, empty = (
        device.create_buffer((1,), "int32"),
        *(device.create_schedule() for _ in range(2)),
    )
    outer.create_if_command(number, doubling, empty)
    outer.create_while_command(number, doubling, max_count=3).enabled = False
    outer.create_switch_command(number, [empty, doubling])
    lines = [
        "0 if buffer 0",
        f"  then {name_of(doubling)}",
        "    0 kernel 'scale' grid 1024 group 32 (buffer 1, 2.0)",
        f"  otherwise {name_of(empty)}",
        "1 while buffer 0 at most 3 turns (disabled)",
        f"  body {name_of(doubling)} (as above)",
        "2 switch buffer 0",
        f"  case 0 {name_of(empty)} (as above)",
        f"  case 1 {name_of(doubling)} (as above)",
    ]
    assert str(outer).splitlines()[1:-2] == [f"  {line}" for line in lines]
    assert [line.strip() for line in lines] == picture(outer)[3:]
    graph = outer.to_dot()
    assert f'subgraph "cluster_0.0" {{\n      label="then\\n{name_of(doubling)}";' in graph
    assert '"2.1" [label="case 1' in graph
    assert '"0.1" -> "1.0" [ltail="cluster_0", lhead="cluster_1"];' in graph
    assert '"0.0" -> "0.1"' not in graph


def test_a_closed_schedule_is_told_as_closed(
    outer: nexus.Schedule, doubling: nexus.Schedule, no_dot: None
) -> None:
    name = name_of(doubling)
    doubling.close()
    assert str(outer).splitlines()[1] == f"  0 {name} (closed)"
    assert f"{name} (closed)" in " ".join(picture(outer))
    outer.close()
    assert str(outer) == "<nexus.Schedule closed>"
    assert picture(outer) == ["<nexus.Schedule closed>"]
    with pytest.raises(nexus.NexusError, match="is closed; create a new schedule"):
        outer.to_dot()


def test_dot_has_a_node_for_each_command_and_an_edge_to_the_next(
    outer: nexus.Schedule, doubling: nexus.Schedule
) -> None:
    graph = outer.to_dot()
    assert graph.startswith(f'digraph "{name_of(outer)} on ')
    nodes = dict(re.findall(r'"([\d.]+)" \[label="(.*)"\];', graph))
    assert list(nodes) == ["0.0", "0.1", "1", "2", "3", "4"]
    assert nodes["0.0"] == r"0 kernel 'scale'\ngrid 1024 group 32\n(buffer 0, 2.0)"
    assert nodes["4"] == rf"4 {name_of(doubling)}\n(as above)"
    assert f'subgraph "cluster_0" {{\n    label="0 {name_of(doubling)}";' in graph
    edges = re.findall(r'"([\d.]+)" -> "([\d.]+)"(?: \[(.*)\])?;', graph)
    assert edges == [
        ("0.0", "0.1", ""),
        ("0.1", "1", 'ltail="cluster_0"'),
        ("1", "2", ""),
        ("2", "3", ""),
        ("3", "4", ""),
    ]


def test_names_are_escaped_in_dot() -> None:
    from nexus._schedule import _look

    assert _look._quoted('a "b" \\ c\nd') == r'"a \"b\" \\ c\nd"'


@pytest.mark.filterwarnings("ignore:.* deprecated - use:DeprecationWarning")  # pydot's own
def test_dot_is_valid(outer: nexus.Schedule) -> None:
    (graph,) = pydot.graph_from_dot_data(outer.to_dot())
    assert [each.get_name() for each in graph.get_subgraphs()] == ['"cluster_0"']
    edges = [(edge.get_source(), edge.get_destination()) for edge in graph.get_edges()]
    assert edges[-1] == ('"3"', '"4"')


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs dot of the package graphviz")
def test_graphviz_draws_the_picture(outer: nexus.Schedule) -> None:
    assert "0 kernel 'scale'" in picture(outer)


def test_without_graphviz_the_picture_is_a_column(outer: nexus.Schedule, no_dot: None) -> None:
    told = picture(outer)
    assert told == [
        line.strip()
        for line in [
            *str(outer).splitlines()[:1],
            *str(outer).splitlines()[-4:],
            *str(outer).splitlines()[1:-4],
        ]
    ]


@pytest.mark.parametrize(
    ("script", "drawn"),
    [
        (
            'echo \'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><text>drawn</text></svg>\'',
            True,
        ),
        ("exit 1", False),
        ("echo nothing", False),
        ("sleep 60", False),
    ],
)
def test_the_picture_is_that_of_graphviz_if_it_draws_one(
    outer: nexus.Schedule,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    script: str,
    drawn: bool,
) -> None:
    from nexus._schedule import _look

    program = tmp_path / "dot"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(_look, "_DOT_SECONDS", 1)
    assert (picture(outer) == ["drawn"]) == drawn


def test_a_large_schedule_has_a_small_picture(
    schedule: nexus.Schedule, buffer: nexus.Buffer, no_dot: None
) -> None:
    for _ in range(500):
        schedule.create_fill_command(buffer, 1)
    assert picture(schedule)[-1] == "and more"
    assert str(schedule).count("fill") == 500


@pytest.mark.unsanitized("a thread may hold 64 locks, and each schedule has one", by="thread")
def test_deep_and_repeated_nesting_is_shown_once(
    device: nexus.Device, doubling: nexus.Schedule, no_dot: None
) -> None:
    schedule = doubling
    for _ in range(200):
        outer = device.create_schedule()
        for _ in range(2):
            outer.create_schedule_command(schedule)
        schedule = outer
    assert len(str(schedule).splitlines()) < 250
    assert schedule.to_dot().count("subgraph") == 49
    picture(schedule)


def test_an_empty_schedule(device: nexus.Device, no_dot: None) -> None:
    schedule = device.create_schedule()
    assert str(schedule) == f"{name_of(schedule)} on {device.selector}"
    assert "->" not in schedule.to_dot()
    assert picture(schedule) == [str(schedule)]
