# SPDX-License-Identifier: Apache-2.0
"""`nexus devices`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import nexus

Nexus = Callable[..., tuple[int, str, str]]


@pytest.mark.smoke
def test_each_device_has_a_line_with_its_selector_and_name(run_nexus: Nexus) -> None:
    status, out, err = run_nexus("devices")
    assert (status, err) == (0, "")
    (line,) = (line for line in out.splitlines() if line.startswith("cpu:0 "))
    device = nexus.get_device("cpu:0")
    assert device.get_property_str("Name") in line
    assert f" {device.get_property_str('Architecture')} " in line


def test_the_last_word_of_a_line_is_the_device_file(run_nexus: Nexus) -> None:
    (line,) = (line for line in run_nexus("devices")[1].splitlines() if line.startswith("cpu:0 "))
    device = nexus.get_device("cpu:0")
    try:
        file = nexus.lookup_device_info(device).source("Architecture").file
    except ValueError:  # this processor has none
        file = "-"
    assert line.split()[-1] == Path(file).stem


def test_the_devices_as_json(run_nexus: Nexus) -> None:
    (told,) = (d for d in json.loads(run_nexus("devices", "--json")[1]) if d["selector"] == "cpu:0")
    assert list(told) == [
        "selector", "Name", "Type", "Architecture", "CoreCount", "GlobalMemorySize", "DeviceFile",
    ]  # fmt: skip
    assert told["Type"] == "cpu"
    assert told["CoreCount"] == nexus.get_device("cpu:0").get_property_int("CoreCount")


def test_with_the_core_alone_it_says_what_to_install(
    run_nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nexus.get_backends", list)
    monkeypatch.setattr("nexus.get_devices", list)
    status, out, _ = run_nexus("devices")
    assert status == 0
    assert "pip install nexus-cpu" in out


def test_a_surplus_word_is_misuse(run_nexus: Nexus) -> None:
    assert run_nexus("devices", "cpu:0")[0] == 2
