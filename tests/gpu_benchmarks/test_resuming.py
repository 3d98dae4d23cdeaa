# SPDX-License-Identifier: Apache-2.0
"""A run that was cut short goes on where it was."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import run_parts
from gpu_cases import Case, cases_of
from outcomes import FAILED, NOT_THERE, PASSED, Outcome, Store

CASES = ("one that passes", "one whose peer is missing")


@pytest.fixture(autouse=True)
def few_cases(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NEXUS_GPU_CUBINS", str(tmp_path / "cubins"))

    def of_part(module: str) -> Sequence[Case]:
        wanted = CASES if module == "parts.good" else ("one that fails",)
        return [case for case in cases_of("sample_cases") if case.name in wanted]

    monkeypatch.setattr(run_parts, "PARTS", ("good", "bad"))
    monkeypatch.setattr(run_parts, "cases_of", of_part)


def run(folder: Path, *arguments: str) -> int:
    return run_parts.main(["--out", str(folder), "--device", "cpu:0", *arguments])


def test_a_finished_case_is_not_repeated(tmp_path: Path) -> None:
    assert run(tmp_path, "good") == run_parts.FINISHED
    assert run(tmp_path, "good") == run_parts.FINISHED
    assert (tmp_path / "work" / "files" / "times-run").read_text() == "once\n"


def test_a_case_for_which_no_time_is_left_waits_for_the_next_call(tmp_path: Path) -> None:
    assert run(tmp_path, "--seconds", "100", "good") == run_parts.NOT_FINISHED
    report = json.loads((tmp_path / "report.json").read_text())
    assert len(report["not_run"]) == len(CASES)
    assert run(tmp_path, "--seconds", "500", "good") == run_parts.FINISHED
    assert json.loads((tmp_path / "report.json").read_text())["not_run"] == []


def test_a_gpu_that_does_not_work_any_more_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harmful = [case for case in cases_of("sample_cases") if case.endangers]
    after = [case for case in cases_of("sample_cases") if case.name in CASES]
    monkeypatch.setattr(run_parts, "cases_of", lambda module: [*harmful, *after])
    monkeypatch.setattr(run_parts, "_gpu_state", lambda device, log: (False, "does not work"))
    assert run(tmp_path, "good") == run_parts.NOT_FINISHED
    outcomes = list(Store(tmp_path / "work" / "outcomes"))
    assert [(outcome.status, outcome.gpu_works) for outcome in outcomes] == [(FAILED, False)]


def test_a_failure_is_told_by_the_exit_status(tmp_path: Path) -> None:
    assert run(tmp_path, "bad") == run_parts.SOME_FAILED


def test_an_outcome_that_was_cut_short_counts_as_not_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("a", Outcome("part", "a", PASSED))
    file = tmp_path / "a.json"
    file.write_text(file.read_text()[:20])
    assert not store.has("a")
    assert list(store) == []


def test_what_was_not_there_can_be_run_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "work" / "outcomes")
    cases = [case for case in cases_of("sample_cases") if case.name in CASES]
    for case, status in zip(cases, (PASSED, NOT_THERE), strict=True):
        store.put(case.key, Outcome("good", case.name, status, "before"))
    assert run(tmp_path, "--again", NOT_THERE, "good") == run_parts.FINISHED
    assert [outcome.note == "before" for outcome in store] == [True, False]


def test_another_machine_goes_on_from_the_archive(tmp_path: Path) -> None:
    assert run(tmp_path / "first", "good") == run_parts.FINISHED
    with tarfile.open(tmp_path / "first" / "work.tar.gz") as packed:
        packed.extractall(tmp_path / "second" / "work", filter="data")
    assert run(tmp_path / "second", "good") == run_parts.FINISHED
    times = tmp_path / "second" / "work" / "files" / "times-run"
    assert times.read_text() == "once\n"


def test_without_the_device_nothing_is_run(tmp_path: Path) -> None:
    out = str(tmp_path)
    assert run_parts.main(["--out", out, "--device", "cuda:99", "good"]) == run_parts.NO_DEVICE
    assert not (tmp_path / "work" / "files" / "times-run").exists()


def test_a_part_that_does_not_exist_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path, "benchmark")
    assert "there is no part 'benchmark'; there are good, bad" in capsys.readouterr().err
