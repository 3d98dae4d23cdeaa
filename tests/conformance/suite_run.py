# SPDX-License-Identifier: Apache-2.0
"""The outcome of the suite in a child process."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Protocol

PYTEST = [
    *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
    *("-p", "no:hypothesispytest", "-p", "no:xdist", "-p", "no:xdist.looponfail"),
]
"""pytest without the plug-ins that take most of the time of a short run."""


@dataclass
class Run:
    """The outcome of a run of the suite."""

    status: int
    output: str
    report: dict[str, Any]

    def outcomes(self) -> dict[str, str]:
        """The outcome of each test."""
        return {each["test"]: each["outcome"] for each in self.report["tests"]}


class RunSuite(Protocol):
    """Runs tests of the suite on the reference backend."""

    def __call__(self, *arguments: str, settings: str | None = None) -> Run: ...
