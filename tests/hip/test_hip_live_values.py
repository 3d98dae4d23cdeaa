# SPDX-License-Identifier: Apache-2.0
"""Current values of an AMD GPU, from the files of the kernel's driver amdgpu."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hip_machine import HipMachine

# Each file, its text, and the property that it becomes. Files below hwmon3 are the monitor's.
FILES: list[tuple[str, str, str, object]] = [
    ("mem_info_vram_total", "4000000000", "GlobalMemoryFree", 3000000000),
    ("mem_info_vram_used", "1000000000", "GlobalMemoryUsed", 1000000000),
    ("mem_info_vram_used", "1000000000", "MemoryUtilization", 25),
    ("gpu_busy_percent", "0", "CoreUtilization", 0),
    ("mem_busy_percent", "12", "MemoryBusUtilization", 12),
    ("current_link_speed", "16.0 GT/s PCIe", "CurrentLinkGeneration", 4),
    ("current_link_width", "8", "CurrentLinkWidth", 8),
    ("max_link_speed", "32.0 GT/s PCIe", "PCIExpress", {"Generation": 5, "Lanes": 16}),
    ("max_link_width", "16", "PCIExpress", {"Generation": 5, "Lanes": 16}),
    ("hwmon/hwmon3/freq1_input", "2100000000", "CurrentClock", 2100),
    ("hwmon/hwmon3/freq2_input", "1300000000", "CurrentMemoryClock", 1300),
    ("hwmon/hwmon3/temp1_input", "47500", "Temperature", 47.5),
    ("hwmon/hwmon3/power1_average", "250500000", "PowerDraw", 250.5),
    ("hwmon/hwmon3/power1_cap", "700000000", "PowerLimit", 700),
    ("hwmon/hwmon3/power1_cap_max", "750000000", "MaxPower", 750),
    ("hwmon/hwmon3/pwm1", "51", "FanSpeed", 20),
    ("ras/umc_err_count", "ue: 2\nce: 31", "CorrectedMemoryErrors", 31),
    ("ras/umc_err_count", "ue: 2\nce: 31", "UncorrectedMemoryErrors", 2),
]
POWER = {"MaxPower": 750, "MaxTemperature": 100.0}


def write(root: Path, file: str, text: str) -> None:
    """Writes a file of the second device."""
    path = root / "sys/bus/pci/devices/0000:1c:00.0" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


@pytest.fixture(scope="module")
def answers(rocm: HipMachine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The properties of a device with all files."""
    root = tmp_path_factory.mktemp("all")
    for file, text, *_ in FILES:
        write(root, file, text)
    write(root, "hwmon/hwmon3/temp1_crit", "100000")
    return rocm.having(NEXUS_HIP_ROOT=str(root)).device(1)


@pytest.mark.parametrize(("name", "expected"), [row[2:] for row in FILES])
def test_a_file_is_its_property_in_its_unit(
    answers: dict[str, Any], name: str, expected: object
) -> None:
    assert answers[name] == expected


def test_the_range_of_power(answers: dict[str, Any]) -> None:
    assert answers["Power"] == POWER


def test_a_gpu_without_an_average_tells_the_power_at_the_moment(
    rocm: HipMachine, tmp_path: Path
) -> None:
    write(tmp_path, "hwmon/hwmon0/power1_input", "90000000")
    told = rocm.having(NEXUS_HIP_ROOT=str(tmp_path)).device(1)
    assert told["PowerDraw"] == 90
    assert "Temperature" not in told


def test_a_gpu_without_a_sensor_at_the_edge_tells_the_hottest_place(
    rocm: HipMachine, tmp_path: Path
) -> None:
    write(tmp_path, "hwmon/hwmon0/temp2_input", "61000")
    write(tmp_path, "hwmon/hwmon0/temp2_crit", "105000")
    told = rocm.having(NEXUS_HIP_ROOT=str(tmp_path)).device(1)
    assert (told["Temperature"], told["Power"]) == (61, {"MaxTemperature": 105})


def test_without_files_there_are_no_such_properties(rocm: HipMachine) -> None:
    told = rocm.device(1)
    assert not {name for *_, name, _ in FILES} & told.keys()
    assert "Power" not in told
