# SPDX-License-Identifier: Apache-2.0
"""Creates a page that compares backends, from their reports.

python -m nexus.conformance.matrix REPORT.json... > docs/vendors/matrix.md
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from nexus.conformance._report import VERSION

_HEAD = """\
<!-- Made by `python -m nexus.conformance.matrix`. Do not edit. -->
# Backends and what they passed

Each column is a report of `pytest --pyargs nexus.conformance` ([conformance.md](conformance.md)). A
cell has the tests that passed; after it, those that **failed**, those that are *known* to fail, and
those that do not apply (n/a), since the backend does not claim what they test.
"""


def read(path: Path) -> dict[str, Any]:
    """Reads a report. Raises ValueError if the file is not a report."""
    try:
        report = json.loads(path.read_text("utf-8"))
        version = report["report_version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no report of the conformance suite: {error}") from error
    if version != VERSION:
        raise ValueError(f"{path} has report_version {version}; this nexus-core reads {VERSION}")
    return dict(report)


def page(reports: list[dict[str, Any]]) -> str:
    """Returns the page: the runs, the table of groups, and the reasons."""
    ordered = sorted(reports, key=lambda each: (each["backend"]["name"], each["device"]["Name"]))
    ordered = [
        {**report, "label": label} for report, label in zip(ordered, _labels(ordered), strict=True)
    ]
    parts = [_HEAD, _runs(ordered), _groups(ordered)]
    for outcome, title in (
        ("failed", "Failed"),
        ("expected failure", "Known to fail"),
        ("not applicable", "Not applicable"),
    ):
        parts.append(_reasons(ordered, outcome, title))
    return "\n".join(part for part in parts if part)


def _labels(reports: list[dict[str, Any]]) -> list[str]:
    """Returns the backends' names, numbered if a backend has several reports."""
    names = [report["backend"]["name"] for report in reports]
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(f"{name} ({seen[name]})" if names.count(name) > 1 else name)
    return labels


def _runs(reports: list[dict[str, Any]]) -> str:
    rows = [
        [
            each["label"],
            each["backend"]["version"],
            each["device"]["Name"],
            f"{each['nexus']} / {each['abi']}",
            each["platform"].partition("-")[0],
            each["date"].partition("T")[0],
            ", ".join(each["capabilities"]) or "-",
        ]
        for each in reports
    ]
    head = ["Backend", "Version", "Device", "nexus-core / C-API", "System", "Date", "Capabilities"]
    return _table(head, rows)


def _groups(reports: list[dict[str, Any]]) -> str:
    groups = sorted({test["group"] for report in reports for test in report["tests"]})
    rows = []
    for group in [*groups, "**All**"]:
        row = [group]
        for report in reports:
            tests = [each for each in report["tests"] if group in (each["group"], "**All**")]
            row.append(_cell(Counter(each["outcome"] for each in tests)))
        rows.append(row)
    return _table(["Group", *(report["label"] for report in reports)], rows)


def _cell(counts: Counter[str]) -> str:
    parts = [str(counts["passed"])] if counts["passed"] or not counts else []
    if counts["failed"]:
        parts.append(f"**{counts['failed']} failed**")
    if counts["expected failure"]:
        parts.append(f"*{counts['expected failure']} known*")
    if counts["not applicable"]:
        parts.append(f"{counts['not applicable']} n/a")
    if counts["skipped"]:
        parts.append(f"{counts['skipped']} skipped")
    return ", ".join(parts)


def _reasons(reports: list[dict[str, Any]], outcome: str, title: str) -> str:
    rows = []
    for report in reports:
        found = [each for each in report["tests"] if each["outcome"] == outcome]
        if outcome == "not applicable":
            counted = Counter(each["reason"] for each in found)
            rows += [[report["label"], f"{count} tests", reason]
                     for reason, count in sorted(counted.items())]  # fmt: skip
        else:
            rows += [[report["label"], f"`{each['test']}`", each["reason"]]
                     for each in found]  # fmt: skip
    return f"## {title}\n\n{_table(['Backend', 'Tests', 'Reason'], rows)}" if rows else ""


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"{' | '.join(_plain(cell) for cell in line)}\n" for line in lines)


def _plain(text: str) -> str:
    """Returns a text as a cell: on one line, with vertical bars escaped."""
    return " ".join(text.split()).replace("|", "\\|")[:300]


def main(arguments: list[str]) -> int:
    """Prints the page of the named reports."""
    if not arguments:
        print(
            "Name the reports: python -m nexus.conformance.matrix REPORT.json...", file=sys.stderr
        )
        return 2
    try:
        reports = [read(Path(each)) for each in arguments]
    except ValueError as error:
        print(f"{error}.", file=sys.stderr)
        return 1
    sys.stdout.write(page(reports))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
