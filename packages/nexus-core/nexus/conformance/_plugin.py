# SPDX-License-Identifier: Apache-2.0
"""The suite's pytest hooks: selection of tests, expected failures, report and summary."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from nexus.conformance import _applies, _expected, _identity, _report, _summary
from nexus.conformance._subject import Subject


def make(config: pytest.Config) -> Plugin:
    """Makes the hooks for one run. Raises UsageError if there is nothing to test."""
    config.addinivalue_line(
        "markers", "needs(*names): capability bits that the backend has to claim"
    )
    scratch = Path(tempfile.mkdtemp(prefix="nexus-conformance-"))
    try:
        # Compiled kernels are cached for this run and its child processes only.
        os.environ.setdefault("NEXUS_CACHE_DIR", str(scratch / "cache"))
        return Plugin(config, scratch)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


class Plugin:
    """Records the result of each test of the suite."""

    def __init__(self, config: pytest.Config, scratch: Path) -> None:
        self._scratch = scratch
        self.subject = Subject(config, scratch)
        report = config.getoption("nexus_report")
        self._report = Path(report) if report else None
        self._results: dict[str, _report.Result] = {}

    def pytest_report_header(self) -> str:
        """Prints the backend, device and settings under test."""
        subject = self.subject
        name = subject.device.get_property_str("Name")
        settings = subject.settings.path or "none"
        return (
            f"nexus: backend {subject.backend} {subject.record.version}, device "
            f"{subject.device.selector} ({name}), settings {settings}"
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        _expected.mark([item for item in items if _identity.is_ours(item)], self.subject.settings)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Ends tests that do not apply."""
        if _identity.is_ours(item):
            _applies.require(item, self.subject.capabilities)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        """Adds the data for the results to a report, which may be sent to another process."""
        report = yield
        if _identity.is_ours(item):
            if call.excinfo and call.excinfo.errisinstance(_applies.NotApplicable):
                report.nexus_not_applicable = str(call.excinfo.value)
            report.nexus_test = _identity.test_id(item)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Records a test's result."""
        test = getattr(report, "nexus_test", None) or _identity.test_of_node(report.nodeid)
        if test is not None:
            self._note(test, report)

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Counts tests that do not apply separately from skipped tests."""
        if getattr(report, "nexus_not_applicable", None):
            return "not applicable", "n", "NOT APPLICABLE"
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        results = sorted(self._results.values(), key=lambda each: each.test)
        if results:
            _summary.write(terminalreporter, self.subject, results)
        if self._report is not None:
            _report.write(self._report, self.subject, results)
            terminalreporter.line(f"The report is in {self._report}.")

    def pytest_unconfigure(self) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _note(self, test: str, report: pytest.TestReport) -> None:
        before = self._results.get(test)
        outcome, reason = _outcome(report)
        if before is not None:
            before.duration = round(before.duration + report.duration, 4)
            if before.outcome != "passed" or outcome == "passed":
                return
            duration = before.duration
        else:
            duration = report.duration
        self._results[test] = _report.result(test, outcome, duration, reason)


def _outcome(report: pytest.TestReport) -> tuple[str, str]:
    """Returns the outcome of one phase of a test, and the reason."""
    not_applicable = getattr(report, "nexus_not_applicable", None)
    if not_applicable:
        return "not applicable", not_applicable
    if report.skipped:
        expected = getattr(report, "wasxfail", None)
        if expected is not None:
            return "expected failure", str(expected).removeprefix("reason: ")
        return "skipped", _skip_reason(report)
    if report.failed:
        return "failed", _failure(report)
    return "passed", ""


def _skip_reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def _failure(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message) if crash is not None else report.longreprtext
