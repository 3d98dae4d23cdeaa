# SPDX-License-Identifier: Apache-2.0
"""nexus.trace.read() and the timeline that a notebook shows."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import nexus
from nexus._trace._timeline import svg

Run = Callable[..., subprocess.CompletedProcess[str]]

SVG = "{http://www.w3.org/2000/svg}"
OWN = """
import nexus
buffer = nexus.get_device("cpu").create_buffer(64)
buffer.fill(7)
buffer.numpy()
import time
time.sleep(0.2)
trace = nexus.trace.read()
print(trace.path)
print("fill" in trace._repr_html_())
"""


def slice_of(name: str, begin: float, length: float, **more: Any) -> dict[str, Any]:
    """An event of a stream's work, unless more says otherwise."""
    event = {"ph": "X", "pid": 2, "tid": 1, "name": name, "cat": "kernel"}
    return event | {"ts": begin, "dur": length} | more


def named(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    """An event that names a process or a thread."""
    return {"ph": "M", "pid": process, "tid": thread, "name": kind, "args": {"name": name}}


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., nexus.trace.Trace]:
    """Writes the events to a file and reads it."""

    def written(*events: dict[str, Any]) -> nexus.trace.Trace:
        file = tmp_path / "trace.json"
        file.write_text(json.dumps(events))
        return nexus.trace.read(file)

    return written


Read = Callable[..., nexus.trace.Trace]


def drawn(trace: nexus.trace.Trace) -> ElementTree.Element:
    """The timeline, which is well-formed."""
    return ElementTree.fromstring(svg(trace._parts))


def tooltips(trace: nexus.trace.Trace) -> list[str]:
    return [each.text or "" for each in drawn(trace).iter(f"{SVG}title")]


def test_a_slice_has_its_name_times_and_details(read: Read) -> None:
    trace = read(
        slice_of("saxpy", 100, 2000, args={"size": "grid 64"}),
        slice_of("copy", 2100, 1000, cat="copy", args={"copied": 2048}),
    )
    assert tooltips(trace) == [
        "saxpy\n2.00 ms kernel\nat 0.00 us\nsize: grid 64",
        "copy\n1.00 ms copy\nat 2.00 ms\ncopied: 2 KiB",
    ]


def test_the_program_is_above_the_devices(read: Read) -> None:
    trace = read(
        named("process_name", 2, 0, "cpu:0"),
        named("process_name", 1, 0, "python"),
        named("thread_name", 2, 1, "stream 1"),
        named("thread_name", 1, 1, "main"),
        slice_of("saxpy", 0, 10),
        slice_of("nxsRunSchedule", 0, 5, pid=1, cat="call"),
    )
    texts = [each.text or "" for each in drawn(trace).iter(f"{SVG}text")]
    names = [each for each in texts if each in ("python", "main", "cpu:0", "stream 1")]
    assert names == ["python", "main", "cpu:0", "stream 1"]


def test_nested_slices_are_below_each_other(read: Read) -> None:
    trace = read(
        slice_of("outer", 0, 100, cat="range"),
        slice_of("inner", 10, 50, cat="call"),
        slice_of("next", 60, 40, cat="call"),
    )
    heights = [
        float(group.find(f"{SVG}rect").get("y", ""))  # type: ignore[union-attr]
        for group in drawn(trace).iter(f"{SVG}g")
    ]
    assert heights[0] < heights[1] == heights[2]


def test_a_call_is_cut_at_the_work_of_the_devices(read: Read) -> None:
    trace = read(
        slice_of("compile", 0, 10_000, pid=1, cat="call"),
        slice_of("load", 0, 10, pid=1, tid=2, cat="call"),
        slice_of("saxpy", 9000, 1000),
    )
    assert [each.partition("\n")[0] for each in tooltips(trace)] == ["compile", "saxpy"]
    assert "spans 1.00 ms" in trace._repr_html_()


def test_slices_that_are_too_narrow_to_see_are_one(read: Read) -> None:
    many = [slice_of("tiny", 1000 + 0.01 * number, 0.005) for number in range(1000)]
    trace = read(slice_of("long", 0, 1000), *many)
    shown = tooltips(trace)
    assert len(shown) < 20
    assert sum(int(each.split()[0]) for each in shown if "times kernel: tiny" in each) > 980


def test_a_trace_of_many_tracks_says_how_many_are_left_out(read: Read) -> None:
    trace = read(*(slice_of("saxpy", 0, 10, tid=number) for number in range(50)))
    assert "and 20 more tracks" in svg(trace._parts)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a & b", "\x07\x1b[0m", "处理器"])
def test_any_name_is_escaped(read: Read, name: str) -> None:
    trace = read(
        named("process_name", 2, 0, name),
        named("thread_name", 2, 1, name),
        slice_of(name, 0, 1000, cat=name, args={name: name}),
        slice_of(name, 0, 100, pid=1, cat="call"),
    )
    shown = drawn(trace)
    wanted = "".join(each if each.isprintable() else "?" for each in name)
    assert any((each.text or "").startswith(wanted) for each in shown.iter(f"{SVG}title"))
    assert "<script>" not in trace._repr_html_()


def test_the_page_loads_nothing(read: Read) -> None:
    html = read(slice_of("saxpy", 0, 10))._repr_html_()
    assert re.findall(r"https?://[^\"]*", html) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in html


def test_a_trace_without_slices_says_so(read: Read) -> None:
    trace = read()
    assert "The trace holds no work." in trace._repr_html_()
    assert repr(trace).endswith("work 0, calls 0>")


def test_a_program_reads_its_own_trace(run_traced: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    done = run_traced(file, "-c", OWN)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [str(file), "True"]


def test_a_program_that_left_the_folder_of_its_trace_is_told(
    run_traced: Run, tmp_path: Path
) -> None:
    moved = (
        "import os, sys; os.chdir(sys.argv[1])\n"
        "import nexus; nexus.get_device('cpu'); os.chdir('/'); nexus.trace.read()"
    )
    done = run_traced(Path("trace.json"), "-c", moved, tmp_path)
    assert "was not found in 'trace.json'" in done.stderr


def test_a_program_that_is_not_traced_has_no_trace_of_its_own() -> None:
    with pytest.raises(nexus.NexusError, match="path is None, and this process is not traced"):
        nexus.trace.read()


@pytest.mark.parametrize("text", ["something else", "{}", "[1]", '[{"ph": "X"}]'])
def test_a_file_that_is_no_trace_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(nexus.NexusValueError, match=r"path is '.*other.json'"):
        nexus.trace.read(file)
