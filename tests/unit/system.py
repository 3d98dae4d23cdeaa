# SPDX-License-Identifier: Apache-2.0
"""libnexus in a process of its own: what is given to it, and what it reports."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from native import libnexus
from python_process import run_python

PROBE = Path(__file__).parent / "probe.py"


@dataclass
class Report:
    """Returns the output and stderr of probe.py."""

    backends: list[dict[str, str]]
    runtimes: list[str]
    results: list[dict[str, Any]]
    stderr: str

    def __getitem__(self, name: str) -> dict[str, str]:
        """The only record of that name."""
        (record,) = [b for b in self.backends if b["name"] == name]
        return record


@dataclass
class System:
    """A system to be: manifests, environment and calls, for a process to come."""

    manifests: list[tuple[str, str]] = field(default_factory=list)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    calls: list[list[str]] = field(default_factory=list)
    config: dict[str, str] = field(default_factory=dict)
    discovery: bool = False
    library: Path | None = None

    def add(self, manifest: Path, distribution: str = "") -> None:
        """Names a manifest."""
        self.manifests.append((str(manifest), distribution))

    def report(self) -> Report:
        """Starts the process. It must end well."""
        order = {
            "library": str(self.library or libnexus()), "manifests": self.manifests,
            "failures": self.failures, "config": self.config, "discovery": self.discovery,
            "calls": self.calls,
        }  # fmt: skip
        clean = {k: v for k, v in os.environ.items() if not k.startswith("NEXUS_")}
        done = run_python(
            str(PROBE), env=clean | self.environment, input=json.dumps(order), check=True
        )
        return Report(**json.loads(done.stdout), stderr=done.stderr)

    def call(self, *call: str) -> dict[str, Any]:
        """The result of one call in a fresh process."""
        self.calls = [list(call)]
        (result,) = self.report().results
        return result
