# SPDX-License-Identifier: Apache-2.0
"""The report says what was found, what was missed, and what was not measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpu_report import markdown, write_report
from harness import Timing
from measurement import Measurement
from outcomes import FAILED, NOT_THERE, PASSED, Outcome

ABOUT: dict[str, Any] = {
    "date": "2026-11-22T12:00:00Z",
    "gpus": [{"name": "NVIDIA H200", "driver_version": "580.159.04"}],
    "packages": {"cuda-core": "1.2.2"},
}


def timing(label: str, microseconds: float) -> Timing:
    return Timing(label, microseconds * 1e-6, 0, 0, 3)


def line(met: bool | None, goal: str = "fast") -> dict[str, Any]:
    timings = [timing("nexus", 2.0), timing("C", 1.5)]
    return Measurement("a|b", goal, timings, "ours / C 1.333", met, ["a note"]).as_json()


def text_of(*outcomes: Outcome, missing: tuple[str, ...] = ()) -> str:
    return "\n".join(markdown(ABOUT, outcomes, missing))


def test_the_report_names_gpu_driver_peers_and_date() -> None:
    text = text_of()
    for word in ("NVIDIA H200", "580.159.04", "cuda-core 1.2.2", "2026-11-22T12:00:00Z"):
        assert word in text


def test_a_simulated_driver_is_no_gpu() -> None:
    about = ABOUT | {"simulated_driver": "libcuda.so.1"}
    assert "driver was simulated" in "\n".join(markdown(about, [], []))


@pytest.mark.parametrize(
    ("row", "mark"),
    [
        (line(met=True), "| met |"),
        (line(met=False), "| **MISSED** |"),
        (Measurement.missing("a", "fast", "no GPU").as_json(), "| not measured |"),
        (line(None, "none: shown beside"), "| no goal |"),
    ],
)
def test_a_line_of_the_table_has_its_verdict(row: dict[str, Any], mark: str) -> None:
    text = text_of(Outcome("benchmarks", "row", PASSED, data={"rows": [row]}))
    assert mark in text


def test_a_line_shows_all_sides_and_its_notes() -> None:
    text = text_of(Outcome("benchmarks", "row", PASSED, data={"rows": [line(met=True)]}))
    assert "| a\\|b | 2.000 us | C: 1.500 us | ours / C 1.333 | fast | met |" in text
    assert "a note" in text


def test_failures_and_what_did_not_run_are_counted() -> None:
    outcomes = [Outcome("p", name, name) for name in (PASSED, FAILED, FAILED, NOT_THERE)]
    assert "1 passed, 2 failed, 1 not there, 3 not run" in text_of(
        *outcomes, missing=("a", "b", "c")
    )


def test_the_json_has_every_outcome(tmp_path: Path) -> None:
    write_report(tmp_path, ABOUT, [Outcome("p", "n", PASSED, "note")], ["q.m"])
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["outcomes"][0]["note"] == "note"
    assert report["not_run"] == ["q.m"]
    assert report["about"]["date"] == ABOUT["date"]


def test_a_run_makes_the_rows_of_the_page_on_hardware(tmp_path: Path) -> None:
    about = {
        "date": "2026-11-27T10:00:00Z",
        "device": "metal:0",
        "gpus": [{"name": "Apple M9"}],
        "machine": {"processor": "Apple M9, macOS 27.0", "cores": 8, "system": "Darwin 26"},
    }
    outcomes = [
        Outcome("conformance", "suite", PASSED, "7 passed, 1 not applicable"),
        Outcome("gallery", "a", PASSED),
        Outcome("gallery", "b", FAILED, "a wrong value"),
    ]
    write_report(tmp_path, about, outcomes, ["benchmarks.launch"])
    machine, run = (tmp_path / "hardware_rows.md").read_text().splitlines()
    assert machine == "| NAME | Apple M9, macOS 27.0, 8 cores | Apple M9 | Darwin 26, |"
    assert run == (
        "| 2026-11-27 | NAME | metal | `benchmarks/gpu/run_all.sh WHEELS OUT conformance gallery` "
        "| conformance 7 passed, 1 not applicable. gallery 1 passed, 1 failed; b: a wrong value. "
        "1 cases not run |"
    )


def test_the_rows_of_a_simulated_driver_are_not_for_the_page(tmp_path: Path) -> None:
    write_report(tmp_path, ABOUT | {"simulated_driver": "libdouble.so"}, [], [])
    first = (tmp_path / "hardware_rows.md").read_text().splitlines()[0]
    assert first == "Not for docs/hardware.md: the driver was simulated by libdouble.so."
