# SPDX-License-Identifier: Apache-2.0
"""A case runs in a process of its own, and whatever happens there becomes an outcome."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gpu_cases import PARTS, Case, cases_of
from outcomes import FAILED, NOT_THERE, PASSED, Outcome
from single_case import run_case


def sample(name: str) -> Case:
    (found,) = (each for each in cases_of("sample_cases") if each.name == name)
    return found


def run(name: str, folder: Path) -> Outcome:
    return run_case(sample(name), "cpu:0", folder, None)


@pytest.mark.parametrize(
    ("name", "status", "note"),
    [
        ("one that passes", PASSED, "all is well"),
        ("one that fails", FAILED, "AssertionError: two is not three"),
        ("one whose peer is missing", NOT_THERE, "needs a peer"),
        ("one that is not measured", NOT_THERE, "needs a device"),
    ],
)
def test_a_case_tells_its_outcome(name: str, status: str, note: str, tmp_path: Path) -> None:
    outcome = run(name, tmp_path)
    assert (outcome.status, outcome.note) == (status, note)


def test_a_case_that_falls_has_failed_with_the_signals_name(tmp_path: Path) -> None:
    outcome = run("one that falls", tmp_path)
    assert outcome.status == FAILED
    assert "SIGSEGV" in outcome.note


def test_a_case_that_hangs_is_ended(tmp_path: Path) -> None:
    start = time.monotonic()
    outcome = run("one that hangs", tmp_path)
    assert outcome.status == FAILED
    assert "did not end in time" in outcome.note
    assert time.monotonic() - start < 300


def test_a_case_can_be_ended_as_soon_as_it_has_told_its_result(tmp_path: Path) -> None:
    assert run("one that is ended after its result", tmp_path).status == PASSED


def test_a_process_that_falls_after_its_result_has_failed(tmp_path: Path) -> None:
    outcome = run("one that falls after its result", tmp_path)
    assert outcome.status == FAILED
    assert "ended with status 7" in outcome.note


@pytest.mark.parametrize(("works", "status"), [(True, PASSED), (False, FAILED)])
def test_the_state_of_the_gpu_counts(works: bool, status: str, tmp_path: Path) -> None:
    case = sample("one that endangers the gpu")
    outcome = run_case(case, "cpu:0", tmp_path, lambda log: (works, "was looked at"))
    assert (outcome.status, outcome.gpu_after) == (status, "was looked at")


@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_cases_with_names_of_their_own(part: str) -> None:
    keys = [case.key for case in cases_of(f"parts.{part}")]
    assert keys
    assert len(set(keys)) == len(keys)


def test_every_case_fits_into_one_call() -> None:
    limits = [case.limit for part in PARTS for case in cases_of(f"parts.{part}")]
    assert max(limits) + 60 < 540


def test_what_may_harm_the_gpu_is_followed_by_a_look_at_it() -> None:
    harmful = ("bad_sizes", "bad_use", "exhausted", "faults", "managed")
    cases = [case for part in harmful for case in cases_of(f"parts.{part}")]
    assert all(case.endangers for case in cases)
