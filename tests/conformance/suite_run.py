# SPDX-License-Identifier: Apache-2.0
"""What a run of the suite in a child process left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass
class Run:
    """What a run of the suite left."""

    status: int
    output: str
    report: dict[str, Any]

    def outcomes(self) -> dict[str, str]:
        """The outcome of each test."""
        return {each["test"]: each["outcome"] for each in self.report["tests"]}


class RunSuite(Protocol):
    """Runs tests of the suite on the reference backend."""

    def __call__(self, *arguments: str, settings: str | None = None) -> Run: ...
