# SPDX-License-Identifier: Apache-2.0
"""Prints the summary at the end of a run."""

from __future__ import annotations

from collections import Counter

import pytest

from nexus._units import counted
from nexus.conformance._report import OUTCOMES, Result, counts
from nexus.conformance._subject import Subject


def write(terminal: pytest.TerminalReporter, subject: Subject, results: list[Result]) -> None:
    """Prints the counts of each group, the failures, and why tests did not apply."""
    device = subject.device
    terminal.section(f"conformance of {subject.backend} {subject.record.version}")
    terminal.line(f"{device.selector}: {device.get_property_str('Name')}")
    terminal.line(f"claims {', '.join(sorted(subject.capabilities)) or 'no capability'}")
    terminal.line("")
    for line in table(results):
        terminal.line(line)
    for outcome, title in (
        ("failed", "Failed"),
        ("expected failure", "Expected failures"),
        ("skipped", "Skipped, which proves nothing"),
    ):
        _list(terminal, title, [each for each in results if each.outcome == outcome])
    reasons = Counter(each.reason for each in results if each.outcome == "not applicable")
    if reasons:
        terminal.line("")
        terminal.line("Not applicable:")
        for reason, count in sorted(reasons.items()):
            terminal.line(f"  {count:4}  {reason}")
    terminal.line("")
    terminal.line(_verdict(subject, results))


def table(results: list[Result]) -> list[str]:
    """Returns the lines of a table with a row for each group, and the totals."""
    groups = sorted({result.group for result in results})
    shown = [name for name in OUTCOMES if any(each.outcome == name for each in results)]
    rows = [["group", *shown]]
    for group in groups:
        numbers = counts([result for result in results if result.group == group])
        rows.append([group, *(str(numbers[name] or "-") for name in shown)])
    totals = counts(results)
    rows.append(["all", *(str(totals[name]) for name in shown)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _list(terminal: pytest.TerminalReporter, title: str, results: list[Result]) -> None:
    if results:
        terminal.line("")
        terminal.line(f"{title}:")
        for result in results:
            terminal.line(f"  {result.test}")
            terminal.line(f"      {first_line(result.reason)}")


def first_line(text: str) -> str:
    """Returns the part of a reason that the summary shows."""
    return text.strip().partition("\n")[0][:200]


def _verdict(subject: Subject, results: list[Result]) -> str:
    numbers = counts(results)
    bad, tests = numbers["failed"], counted(len(results), "test")
    if bad:
        return f"{subject.backend} does not conform: {bad} of {tests} failed."
    known = numbers["expected failure"]
    but = f", except for {counted(known, 'expected failure')}" if known else ""
    return f"{subject.backend} conforms in the {tests} of this run{but}."
