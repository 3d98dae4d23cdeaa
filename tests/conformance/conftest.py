# SPDX-License-Identifier: Apache-2.0
"""Runs the conformance suite in child processes, on a few of its tests."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from built_plugin import build_plugin
from suite_run import PYTEST, Run, RunSuite

# All of it takes seconds to collect.
PART = ["nexus.conformance.capi.test_properties", "nexus.conformance.capi.memory.test_foreign"]
SOURCE = Path(__file__).resolve().parents[1] / "plugins" / "nexus-reference"


@pytest.fixture(scope="session")
def reference_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the reference plug-in and its manifest."""
    folder = tmp_path_factory.mktemp("reference")
    build_plugin("reference", SOURCE / "nexus_reference.cpp", folder)
    return folder


@pytest.fixture
def run_suite(reference_folder: Path, tmp_path: Path) -> RunSuite:
    """Runs the suite in an empty folder, as a vendor does."""
    (tmp_path / "here").mkdir()

    def run(*arguments: str, settings: str | None = None) -> Run:
        report = tmp_path / "report.json"
        command = [*PYTEST, "--pyargs", *PART, "--report", str(report), *arguments]
        if "--nexus-backend" not in arguments:
            command += ["--nexus-backend", "reference"]
        if settings is not None:
            (tmp_path / "settings.toml").write_text(settings, encoding="utf-8")
            command += ["--nexus-settings", str(tmp_path / "settings.toml")]
        environment = {**os.environ, "NEXUS_PLUGIN_PATH": str(reference_folder)}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=tmp_path / "here",
            env=environment,
        )  # fmt: skip
        made = json.loads(report.read_text("utf-8")) if report.exists() else {"tests": []}
        return Run(done.returncode, done.stdout + done.stderr, made)

    return run
