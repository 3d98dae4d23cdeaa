# SPDX-License-Identifier: Apache-2.0
"""`nexus info cpu:0`: the page about a device of this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nexus

Nexus = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cpu() -> nexus.Device:
    return nexus.get_device("cpu:0")


@pytest.fixture
def cpu_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpu: nexus.Device) -> Path:
    """A device file of the processor here, which Nexus finds before its own."""
    parts = {key: cpu.get_property_str(key) for key in ("Vendor", "Type", "Architecture")}
    tree: dict[str, Any] = {
        "Name": "The processor of the tests",
        **parts,
        "FabricationProcess": "Paper 1",
        "DieSize": 100,
        "MultiDeviceLinks": [{"Name": "Wire", "Count": 3}],
        "Sources": [
            {
                "Title": "Guide", "Publisher": "Example Works", "Date": "2025",
                "Section": "Table 1", "Read": "2026-01-02",
                "Values": ["Name", "FabricationProcess", "DieSize", "MultiDeviceLinks"],
            }
        ],
    }  # fmt: skip
    file = tmp_path / f"{'-'.join(parts.values()).lower().replace(' ', '_')}.json"
    file.write_text(json.dumps(tree))
    monkeypatch.setenv("NEXUS_DEVICE_PATH", str(tmp_path))
    return file


def section(text: str, title: str) -> list[str]:
    """The lines of a section."""
    lines = text.splitlines()
    begin = lines.index(title) + 1
    return lines[begin : lines.index("", begin) if "" in lines[begin:] else None]


def section_with_label(text: str, title: str, label: str) -> str:
    """The value of a line of a section."""
    (value,) = (
        line[24:] for line in section(text, title) if line.startswith(f"  {label}".ljust(24))
    )
    return value


@pytest.mark.smoke
def test_the_first_line_has_the_name_and_the_selector(run_nexus: Nexus, cpu: nexus.Device) -> None:
    status, out, err = run_nexus("info", "cpu:0")
    assert (status, err) == (0, "")
    first = out.splitlines()[0]
    assert first.startswith(cpu.get_property_str("Name"))
    assert first.endswith(" cpu:0")


def test_the_second_line_has_vendor_and_architecture(run_nexus: Nexus, cpu: nexus.Device) -> None:
    vendor, architecture = (cpu.get_property_str(key) for key in ("Vendor", "Architecture"))
    second = run_nexus("info", "cpu:0")[1].splitlines()[1]
    assert second.startswith(f"{vendor}, cpu, {architecture}")


def test_the_cores_are_those_of_the_device(run_nexus: Nexus, cpu: nexus.Device) -> None:
    told = section_with_label(run_nexus("info", "cpu:0")[1], "Cores", "Cores")
    assert told == str(cpu.get_property_int("CoreCount"))


def test_the_memory_has_a_row_for_each_level(run_nexus: Nexus, cpu: nexus.Device) -> None:
    levels = cpu.get_info().get("MemorySubsystem")["MemoryTypes"]
    rows = section(run_nexus("info", "cpu:0")[1], "Memory")
    assert [row.split()[0] for row in rows[: len(levels)]] == [level["Name"] for level in levels]


def test_how_much_memory_is_used_is_told(run_nexus: Nexus) -> None:
    told = section_with_label(run_nexus("info", "cpu:0")[1], "Now", "Memory used")
    assert " of " in told


def test_the_values_of_the_device_file_have_a_star(run_nexus: Nexus, cpu_file: Path) -> None:
    out = run_nexus("info", "cpu:0")[1]
    assert section_with_label(out, "Chip", "Process") == "Paper 1 *"
    assert section_with_label(out, "Links", "Wire") == "3 links *"
    assert f"Values with * come from {cpu_file.name}" in " ".join(out.split())


def test_what_the_device_says_itself_has_no_star(
    run_nexus: Nexus, cpu_file: Path, cpu: nexus.Device
) -> None:
    assert cpu_file.exists()
    out = run_nexus("info", "cpu:0")[1]
    assert out.splitlines()[0].split("  ")[0] == cpu.get_property_str("Name")


def test_the_sources_are_numbered_and_listed(run_nexus: Nexus, cpu_file: Path) -> None:
    status, out, _ = run_nexus("info", "cpu:0", "--sources")
    assert status == 0
    assert section_with_label(out, "Chip", "Die") == "100 mm² [1]"
    assert section(out, "Sources") == [
        "  [1] Guide. Example Works, 2025: Table 1. (read 2026-01-02)"
    ]
    assert cpu_file.name in out


def test_sources_of_no_device_are_misuse(run_nexus: Nexus) -> None:
    assert run_nexus("info", "--sources") == (
        2,
        "",
        "nexus info: --sources needs a device, such as cpu:0.\n",
    )


def test_a_value_that_is_not_known_has_no_line(run_nexus: Nexus) -> None:
    assert "None" not in run_nexus("info", "cpu:0")[1]


def test_outside_a_terminal_nothing_is_bold(run_nexus: Nexus) -> None:
    assert "\x1b[" not in run_nexus("info", "cpu:0")[1]
