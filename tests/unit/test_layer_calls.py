# SPDX-License-Identifier: Apache-2.0
"""NEXUS_LAYERS=calls shows every call of a plug-in with its arguments and results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from native import Install
from python_process import run_python
from system import System

STREAM = (
    "nexus: calls: acme: nxsCreateStream(device=device#0.1, priority=0)"
    " -> NXS_Success, out_stream=stream#7.1"
)


@pytest.fixture
def traced(system: System, install: Install) -> System:
    """A system with the backend acme and the layer, in which a stream is made and released."""
    install("acme")
    system.environment = {"NEXUS_LAYERS": "calls"}
    system.calls = [["create_stream", "acme"]]
    return system


def test_a_call_is_one_line_with_arguments_and_results(traced: System) -> None:
    lines = traced.report().stderr.splitlines()
    assert STREAM in lines
    assert "nexus: calls: acme: nxsReleaseStream(stream=stream#7.1) -> NXS_Success" in lines


def test_properties_have_names_and_values(traced: System) -> None:
    lines = traced.report().stderr.splitlines()
    assert (
        "nexus: calls: acme: nxsGetRuntimeProperty(runtime=runtime#0.1, property=Size)"
        " -> NXS_Success, out_value=1"
    ) in lines


def test_a_failing_call_shows_why(traced: System) -> None:
    lines = traced.report().stderr.splitlines()
    assert any(
        line.endswith('-> NXS_InvalidProperty: "there is no such property"') for line in lines
    )


def test_lines_go_to_the_end_of_a_file(traced: System, tmp_path: Path) -> None:
    file = tmp_path / "calls.txt"
    file.write_text("before\n")
    traced.environment["NEXUS_CALLS_FILE"] = str(file)
    assert traced.report().stderr == ""
    lines = file.read_text().splitlines()
    assert lines[0] == "before"
    assert STREAM in lines


def test_a_file_that_cannot_be_opened_is_named(traced: System, tmp_path: Path) -> None:
    traced.environment["NEXUS_CALLS_FILE"] = str(tmp_path)
    stderr = traced.report().stderr
    assert f"NEXUS_CALLS_FILE is '{tmp_path}', which can't be opened for writing" in stderr
    assert STREAM in stderr


def test_an_unknown_layer_is_named_once(traced: System) -> None:
    traced.environment["NEXUS_LAYERS"] = "trac"
    assert traced.report().stderr == (
        "nexus: warning: NEXUS_LAYERS names 'trac', which is not a layer; "
        "there are 'calls', 'sync', 'trace' and 'validate'.\n"
    )


def test_without_the_layer_there_are_no_lines(traced: System) -> None:
    del traced.environment["NEXUS_LAYERS"]
    assert traced.report().stderr == ""


PROGRAM = """
import nexus
device = nexus.get_device("cpu")
buffer = device.create_buffer(64)
buffer.fill(7)
device.default_stream.add_callback(print)
"""


def test_each_step_of_a_program_is_shown() -> None:
    shown = run_python("-c", PROGRAM, more={"NEXUS_LAYERS": "calls"}, check=True).stderr
    calls = re.findall(r"^nexus: calls: cpu: (nxs\w+)\(.*\) -> NXS_Success", shown, re.MULTILINE)
    steps = ["nxsGetDevice", "nxsCreateBuffer", "nxsFillBuffer", "nxsEnqueueHostCallback",
             "nxsReleaseBuffer"]  # fmt: skip
    assert [call for call in calls if call in steps] == steps
    assert ", callback=a function, context=0x" in shown
