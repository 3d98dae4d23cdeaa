# SPDX-License-Identifier: Apache-2.0
"""The matrix of backends is made from reports of the suite."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from suite_run import RunSuite

from nexus.conformance import matrix


def report(name: str, outcomes: list[str]) -> dict[str, Any]:
    """A small report."""
    return {
        "report_version": 1,
        "date": "2026-01-02T03:04:05+00:00",
        "nexus": "0.1.0",
        "abi": "1.0",
        "platform": "Linux-6.1-x86_64",
        "backend": {"name": name, "version": "1.2"},
        "device": {"Name": f"{name}'s | device"},
        "capabilities": ["Timing"],
        "tests": [
            {"test": f"api/test_a.py::test_{number}", "group": "Python API: a",
             "outcome": outcome, "duration": 0.1, "reason": f"why {outcome}"}
            for number, outcome in enumerate(outcomes)
        ],
    }  # fmt: skip


def test_reports_of_the_suite_become_a_page(
    run_suite: RunSuite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / f"report-{number}.json" for number in (1, 2)]
    for path, name in zip(paths, ("runtime_counts", "streams_of_one_handle"), strict=True):
        path.write_text(json.dumps(run_suite("-k", name).report), encoding="utf-8")
    assert matrix.main([str(path) for path in paths]) == 0
    page = capsys.readouterr().out
    assert "Group | reference (1) | reference (2)\n" in page
    assert "**All** | 1 | 1 n/a\n" in page
    assert "reference (2) | 1 test | the backend does not claim ForeignStream\n" in page


def test_several_reports_of_a_backend_are_numbered() -> None:
    page = matrix.page([report("a", ["passed"]), report("b", ["passed"]), report("a", ["failed"])])
    assert "Group | a (1) | a (2) | b\n" in page
    assert "a (2) | `api/test_a.py::test_0` | why failed\n" in page


def test_the_order_of_the_reports_does_not_count() -> None:
    reports = [report("b", ["passed"]), report("a", ["failed"])]
    assert matrix.page(reports) == matrix.page(copy.deepcopy(reports)[::-1])


def test_a_cell_tells_each_outcome() -> None:
    outcomes = ["passed", "passed", "failed", "expected failure", "not applicable"]
    page = matrix.page([report("a", outcomes), report("b", ["passed"])])
    assert "Python API: a | 2, **1 failed**, *1 known*, 1 n/a | 1\n" in page
    assert "**All** | 2, **1 failed**, *1 known*, 1 n/a | 1\n" in page
    assert "a | `api/test_a.py::test_2` | why failed\n" in page
    assert "a | 1 test | why not applicable\n" in page


def test_a_backend_without_a_group_has_an_empty_count() -> None:
    first, second = report("a", ["passed"]), report("b", ["passed"])
    second["tests"][0]["group"] = "Python API: b"
    assert "Python API: a | 1 | 0\n" in matrix.page([first, second])


def test_versions_and_the_date_are_told() -> None:
    assert "a | 1.2 | a's \\| device | 0.1.0 / 1.0 | Linux | 2026-01-02 | Timing" in matrix.page(
        [report("a", ["passed"])]
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [("no json", "is not a report"), ("[]", "is not a report"), ("{}", "is not a report"),
     ('{"report_version": 99}', "report_version 99; this nexus-core reads 1")],
)  # fmt: skip
def test_a_file_that_is_no_report_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    assert matrix.main([str(path)]) == 1
    assert words in capsys.readouterr().err


def test_no_report_is_told_what_to_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix.main([]) == 2
    assert "Name the reports" in capsys.readouterr().err
