# SPDX-License-Identifier: Apache-2.0
"""Past versions of the plug-in interface are kept; today's needs no copy."""

from __future__ import annotations

from pathlib import Path

import freeze


def contents(folder: Path) -> dict[Path, bytes]:
    """Each file of a folder with its bytes."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def test_the_versions_before_todays_are_frozen_and_no_other() -> None:
    major, minor = freeze.api_version().split(".")
    assert set(freeze.frozen_versions()) == {f"{major}.{past}" for past in range(int(minor))}


def test_a_frozen_version_thaws_as_it_was(tmp_path: Path) -> None:
    freeze.copy_current(tmp_path / "frozen", ".txt")
    freeze.thaw(tmp_path / "frozen", tmp_path / "thawed")
    freeze.copy_current(tmp_path / "today")
    assert {path.suffix for path in contents(tmp_path / "frozen")} == {".txt"}
    assert contents(tmp_path / "thawed") == contents(tmp_path / "today") != {}
