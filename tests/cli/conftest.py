# SPDX-License-Identifier: Apache-2.0
"""Device files of a vendor that there is not, and the command run in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from example_device import CPU, GPU

from nexus.cli import main

Nexus = Callable[..., tuple[int, str, str]]


@pytest.fixture
def example_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with example-gpu-ex1.json and example-cpu-ex2.json, which Nexus finds."""
    folder = tmp_path / "devices"
    folder.mkdir()
    (folder / "example-gpu-ex1.json").write_text(json.dumps(GPU))
    (folder / "example-cpu-ex2.json").write_text(json.dumps(CPU))
    monkeypatch.setenv("NEXUS_DEVICE_PATH", str(folder))
    return folder


@pytest.fixture
def run_nexus(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Nexus:
    """`nexus` with some words, whose output is not a terminal: status, output, errors."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*words: str) -> tuple[int, str, str]:
        try:
            status = main(words)
        except SystemExit as end:
            status = int(str(end.code))
        told = capsys.readouterr()
        return status, told.out, told.err

    return run
