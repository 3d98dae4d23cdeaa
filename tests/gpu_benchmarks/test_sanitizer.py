# SPDX-License-Identifier: Apache-2.0
"""Reports of compute-sanitizer become outcomes; here a script stands for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpu_cases import NotThere
from parts import sanitizer

CLEAN = "========= ERROR SUMMARY: 0 errors"
NO_HAZARDS = "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
FOUND = "========= Invalid __global__ write of size 4 bytes\n========= ERROR SUMMARY: 1 error"


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, said: str, status: int) -> str:
    """The case's sentence, where the tool says that and ends so."""
    tool = folder / "compute-sanitizer"
    tool.write_text(f"#!/bin/sh\necho '{said}'\nexit {status}\n")
    tool.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(tool))
    return sanitizer._run_under("memcheck", ["a-program"])


@pytest.mark.parametrize("said", [CLEAN, NO_HAZARDS])
def test_a_clean_summary_passes(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(tmp_path, monkeypatch, said, 0) == said[10:]


@pytest.mark.parametrize(
    ("said", "status"), [(FOUND, 86), (FOUND, 0), (CLEAN, 1), ("it fell", 139)]
)
def test_what_is_not_clean_fails(
    said: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AssertionError, match=r"SUMMARY|no summary"):
        run(tmp_path, monkeypatch, said, status)


def test_a_device_that_it_does_not_support_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotThere, match="Device not supported"):
        run(tmp_path, monkeypatch, "Error: Device not supported", 1)


def test_without_the_tool_nothing_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(sanitizer, "_PLACES", ())
    with pytest.raises(NotThere, match="needs compute-sanitizer"):
        sanitizer._run_under("memcheck", ["a-program"])
