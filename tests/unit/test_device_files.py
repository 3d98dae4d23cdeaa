# SPDX-License-Identifier: Apache-2.0
"""The device files: named after what they describe, with the source of what they say."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "devices").glob("*.json"))


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    """Each device file."""
    found: Path = request.param
    return found


@pytest.fixture
def device(path: Path) -> dict[str, Any]:
    """What it says."""
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded


def test_there_are_device_files() -> None:
    assert FILES


def test_a_device_file_is_named_after_the_device(path: Path, device: dict[str, Any]) -> None:
    parts = (device["Vendor"], device["Type"], device["Architecture"])
    assert path.stem == "-".join(parts).lower()


def test_a_device_file_has_a_name_for_people(device: dict[str, Any]) -> None:
    assert device["Name"]


def test_a_device_file_says_where_it_is_from(device: dict[str, Any]) -> None:
    assert device["Sources"]
    for source in device["Sources"]:
        assert sorted(source) == ["date", "publisher", "read", "section", "title"]
        assert all(isinstance(text, str) and text for text in source.values())
        assert re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", source["date"])
        assert date.fromisoformat(source["read"]).isoformat() == source["read"]


def test_a_device_file_of_the_cpu_is_in_its_package(path: Path, device: dict[str, Any]) -> None:
    packaged = ROOT / "packages/nexus-cpu/devices" / path.name
    assert packaged.is_file() == (device["Type"] == "cpu")
