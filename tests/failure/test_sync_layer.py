# SPDX-License-Identifier: Apache-2.0
"""NEXUS_LAYERS=sync: each command completes before the next is submitted, so errors name it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from python_process import run_python

PROGRAM = Path(__file__).with_name("sync_program.py")


@pytest.fixture(scope="session", params=["sync", "calls,sync", "sync,calls"])
def told(request: pytest.FixtureRequest, manifest: Path) -> dict[str, Any]:
    """Returns the program's output with these layers, and its trace."""
    trace = manifest.parent / f"{request.param}.txt"
    done = run_python(
        PROGRAM,
        manifest,
        more={"NEXUS_LAYERS": request.param, "NEXUS_CALLS_FILE": str(trace)},
        check=True,
    )
    said: dict[str, Any] = json.loads(done.stdout)
    said["layers"] = request.param
    said["trace"] = trace.read_text().splitlines() if trace.exists() else []
    return said


def test_results_are_the_same(told: dict[str, Any]) -> None:
    assert told["result"] == [12.0] * 16
    assert told["values"] == [2, 4]


def test_the_guilty_command_is_named(told: dict[str, Any]) -> None:
    error = told["guilty"]
    place = f"{told['name']}, run 1: command 2 (kernel 'fail') is not known complete"
    assert place in error
    assert "NEXUS_LAYERS" not in error
    assert error.count("fail always fails") == 1


def test_the_guilty_command_of_a_nested_schedule_is_named(told: dict[str, Any]) -> None:
    outer, nested = told["nested names"]
    place = f"{outer.capitalize()}, run 1: command 1 ({nested}: command 0 (kernel 'fail'))"
    assert f"{place} is not known complete" in told["nested"]


def test_what_came_before_it_was_done_and_what_comes_after_was_not(told: dict[str, Any]) -> None:
    assert told["before"] == [1.0] * 16
    assert told["after"] == [0.0] * 16


def test_the_newest_run_is_the_one_that_failed(told: dict[str, Any]) -> None:
    assert f"{told['late name']}, run 40: command 0" in told["late"]


def test_work_is_done_when_its_submission_returns(told: dict[str, Any]) -> None:
    assert told["idle"] == [True, True, True]


def test_each_command_is_a_submission_of_its_own(told: dict[str, Any]) -> None:
    if "calls" not in told["layers"]:
        assert told["trace"] == []
        return
    runs = [line for line in told["trace"] if ": nxsRunSchedule(" in line]
    # Two runs of three kernels, one of four of which the last is refused, one of two, 40 of one,
    # and one.
    assert len(runs) == 2 * 3 + 4 + 2 + 40 + 1


def test_the_waits_are_traced_where_trace_lies_below(told: dict[str, Any]) -> None:
    lines = [line for line in told["trace"] if "nxsFillBuffer" in line or "nxsWaitStream" in line]
    fills = [place for place, line in enumerate(lines) if "nxsFillBuffer" in line]
    waited = [place for place in fills if "nxsWaitStream" in (*lines, "")[place + 1]]
    assert (waited == fills) == (told["layers"] != "calls,sync")
