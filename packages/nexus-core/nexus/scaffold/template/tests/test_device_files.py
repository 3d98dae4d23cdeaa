# SPDX-License-Identifier: Apache-2.0
"""The device files have the form that Nexus reads, and a source for each value."""

from __future__ import annotations

from pathlib import Path

import pytest

from nexus.cli import main

FILES = sorted((Path(__file__).parent.parent / "devices").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_device_file_has_no_problem(file: Path) -> None:
    """Runs the check of `nexus db validate`."""
    assert main(["db", "validate", str(file)]) == 0
