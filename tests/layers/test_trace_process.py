# SPDX-License-Identifier: Apache-2.0
"""The file of a trace, whatever becomes of the process: it is whole, and its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from python_process import run_python
from trace_format import Event, check_trace, of_phase

from nexus._trace._file import read_trace

Run = Callable[..., subprocess.CompletedProcess[str]]

FILL = "import nexus; b = nexus.get_device('cpu').create_buffer(64); b.fill(7);"
KILLED = FILL + "import os, time; time.sleep(0.5); os.kill(os.getpid(), 9)"
FORKING = """
import os, warnings, nexus
warnings.simplefilter("ignore", DeprecationWarning)  # of fork() beside threads
nexus.get_device("cpu").create_buffer(64).fill(7)
child = os.fork()
if child == 0:
    with nexus.trace.range("in the child"):
        nexus.get_device("cpu").create_buffer(32).fill(5)
    nexus._core.detach()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
nexus.get_device("cpu").create_buffer(16).fill(3)
"""
STARTING = """
import subprocess, sys, nexus
nexus.get_device("cpu").create_buffer(64).fill(7)
code = "import nexus; nexus.get_device('cpu').create_buffer(32).fill(7)"
subprocess.run([sys.executable, "-c", code], check=True)
"""


def events_of(file: Path) -> list[Event]:
    """The events, which are a trace."""
    events: list[Event] = json.loads(file.read_text())
    check_trace(events)
    return events


def filled(events: list[Event]) -> list[int]:
    """The bytes of each fill."""
    return [each["args"]["bytes"] for each in of_phase(events, "X") if each["cat"] == "fill"]


def test_a_process_that_is_killed_leaves_a_whole_file(run_traced: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    assert run_traced(file, "-c", KILLED).returncode == -signal.SIGKILL
    assert filled(json.loads(file.read_text())) == [64]


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_file_that_was_cut_is_read_as_far_as_it_goes(
    run_traced: Run, tmp_path: Path, keep: float
) -> None:
    file = tmp_path / "trace.json"
    run_traced(file, "-c", FILL)
    text = file.read_text()
    file.write_text(text[: int(len(text) * keep)])
    assert len(read_trace(file).calls) > 0


def test_the_child_of_a_fork_has_a_file_of_its_own(run_traced: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    done = run_traced(file, "-c", FORKING)
    assert (done.returncode, done.stderr) == (0, "")
    (other,) = tmp_path.glob("trace.*.json")
    assert filled(events_of(file)) == [64, 16]
    child = events_of(other)
    assert filled(child) == [32]
    assert {each["pid"] for each in of_phase(child, "X")}.isdisjoint(
        {each["pid"] for each in of_phase(events_of(file), "X")}
    )
    (shown,) = [each for each in of_phase(child, "X") if each["cat"] == "range"]
    assert shown["name"] == "in the child"
    assert other.name == f"trace.{shown['pid']}.json"


def test_a_process_that_is_started_does_not_write_over_it(run_traced: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    assert run_traced(file, "-c", STARTING).returncode == 0
    (other,) = tmp_path.glob("trace.*.json")
    assert (filled(events_of(file)), filled(events_of(other))) == ([64], [32])


def test_an_earlier_trace_is_replaced(run_traced: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text("x" * 1_000_000)
    run_traced(file, "-c", FILL)
    assert filled(events_of(file)) == [64]


@pytest.mark.parametrize(
    ("file", "told"), [("/", "can't be opened for writing"), ("/dev/null", "is not a regular file")]
)
def test_a_file_that_cannot_be_written_is_named_and_the_program_runs(
    run_traced: Run, file: str, told: str
) -> None:
    done = run_traced(Path(file), "-c", FILL + "print(b.numpy()[0])")
    assert (done.returncode, done.stdout) == (0, "7\n")
    assert f"NEXUS_TRACE_FILE is '{file}', which {told}" in done.stderr


def test_a_trace_ends_at_its_limit_and_the_program_runs(run_traced: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    code = FILL + "[nexus.trace.mark('x' * 2**16) for _ in range(32)]; print(b.numpy()[0])"
    done = run_traced(file, "-c", code, environment={"NEXUS_TRACE_LIMIT": "1"})
    assert (done.returncode, done.stdout) == (0, "7\n")
    assert "is cut off here: its size has reached NEXUS_TRACE_LIMIT" in (done.stderr)
    assert file.stat().st_size <= 2**20
    assert 0 < len(of_phase(json.loads(file.read_text()), "i")) < 32


def test_a_limit_that_is_no_number_is_named(run_traced: Run, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    done = run_traced(file, "-c", FILL, environment={"NEXUS_TRACE_LIMIT": "1 GB"})
    assert done.returncode == 0
    assert "NEXUS_TRACE_LIMIT is '1 GB'; give MiB from 1 to" in done.stderr
    assert not file.exists()


def test_without_the_layer_nothing_is_written(tmp_path: Path) -> None:
    code = FILL + "nexus.trace.mark('x')\nwith nexus.trace.range('y'): print(nexus.trace.is_on())"
    done = run_python(
        "-c",
        code,
        env={key: value for key, value in os.environ.items() if key != "NEXUS_LAYERS"},
        cwd=tmp_path,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("False\n", "")
    assert list(tmp_path.iterdir()) == []


def test_without_a_name_the_file_is_in_the_working_folder(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", FILL],
        cwd=tmp_path,
        env=os.environ | {"NEXUS_LAYERS": "trace"},
        check=True,
    )
    assert filled(events_of(tmp_path / "nexus-trace.json")) == [64]


@pytest.mark.parametrize("layers", ["trace,sync", "sync,trace", "trace,calls"])
def test_other_layers_lie_above_or_below_it(run_traced: Run, tmp_path: Path, layers: str) -> None:
    file = tmp_path / "trace.json"
    more = {"NEXUS_LAYERS": layers, "NEXUS_CALLS_FILE": str(tmp_path / "calls.txt")}
    assert run_traced(file, "-c", FILL, environment=more).returncode == 0
    assert filled(events_of(file)) == [64]


def test_a_name_that_is_no_text_is_refused() -> None:
    import nexus

    for use in (nexus.trace.range, nexus.trace.mark):
        with pytest.raises(TypeError, match=r"name has to be a str, not int \(3\)"):
            use(3)  # type: ignore[arg-type]
