# SPDX-License-Identifier: Apache-2.0
"""Properties of an AMD GPU: HIP's attributes in the catalogue's words and units."""

from __future__ import annotations

from typing import Any

import hip_machine
import pytest
from hip_machine import HipMachine

pytestmark = pytest.mark.usefixtures("rocm")

# Each attribute's number, what HIP answers, and what the property is then.
ATTRIBUTES: list[tuple[int, int, str, object]] = [
    (0, 1, "ECC", 1),
    (2, 3, "CopyEngineCount", 3),
    (5, 2100000, "CoreClockRate", 2100),
    (6, 3, "ComputeMode", "ExclusiveProcess"),
    (8, 1, "ConcurrentKernels", 1),
    (9, 1, "ConcurrentManagedAccess", 1),
    (10, 1, "CooperativeLaunch", 1),
    (16, 1, "UnifiedMemory", 1),
    (18, 1, "KernelTimeLimit", 1),
    (24, 0, "ManagedMemory", 0),
    (25, 33, "MaxThreadgroupsPerCore", 33),
    (56, 1023, "MaxThreadsPerBlock", 1023),
    (56, 1023, "MaxThreadsPerThreadgroup", 1023),
    (57, 2047, "MaxThreadsPerCore", 2047),
    (59, 4096, "MemoryBusWidth", 4096),
    (60, 1600000, "MemoryClockRate", 1600),
    (65, 1, "PageableMemoryAccess", 1),
    (71, 65535, "MaxRegistersPerBlock", 65535),
    (72, 65534, "CoreRegisterSize", 262136),
    (74, 65532, "MaxThreadgroupMemorySize", 65532),
    (74, 65532, "DefaultThreadgroupMemorySize", 65532),
    (83, 65531, "MaxConstantMemorySize", 65531),
    (85, 1, "UnifiedAddressing", 1),
    (87, 32, "SIMDSize", 32),
    (87, 32, "PreferredGroupMultiple", 32),
    (88, 0, "MemoryPools", 0),
    (92, 5, "NumaNode", 5),
    (10002, 131072, "CoreMemorySize", 131072),
    (10015, 96, "Count", 96),
    (10015, 96, "CoreCount", 96),
    (10020, 0x744C, "PCIDeviceID", 0x744C),
]


@pytest.fixture(scope="module")
def answers(rocm: HipMachine) -> dict[str, Any]:
    """What a device with these attributes says."""
    told = {number: value for number, value, *_ in ATTRIBUTES}
    sizes = {number: 100 + number for number in range(26, 32)}
    return hip_machine.with_attributes({**told, **sizes}).device()


@pytest.mark.parametrize(("name", "expected"), [row[2:] for row in ATTRIBUTES])
def test_an_attribute_is_its_property_in_its_unit(
    answers: dict[str, Any], name: str, expected: object
) -> None:
    assert answers[name] == expected


def test_attributes_of_three_numbers(answers: dict[str, Any]) -> None:
    assert answers["MaxGroupSize"] == [126, 127, 128]
    assert answers["MaxGridSize"] == [129, 130, 131]


def test_limits_say_what_the_properties_say(answers: dict[str, Any]) -> None:
    limits = answers["Limits"]
    assert limits["MaxThreadsPerBlock"] == 1023
    assert limits["MaxSubgroupsPerCore"] == 2047 // 32
    assert all(answers[name] == limit for name, limit in limits.items())


def test_the_memories_lie_in_the_order_of_device_files(answers: dict[str, Any]) -> None:
    memory = answers["MemorySubsystem"]
    names = ["Global", "L2", "Local", "Registers"]
    assert memory["SupportedMemoryTypes"] == names
    sizes = {entry["Name"]: entry["Size"] for entry in memory["MemoryTypes"]}
    assert sizes == {"Global": 4 << 30, "L2": 4194304, "Local": 131072, "Registers": 262136}


def test_what_tells_the_device_from_others(rocm: HipMachine) -> None:
    second = rocm.device(1)
    assert second["UUID"] == "00000000d0c5a001"
    assert second["PCIAddress"] == second["Location"] == "0000:1c:00.0"
    assert second["PCIVendorID"] == 0x1002
    assert second["Extensions"]["HIP"]["Ordinal"] == second["NativeHandle"] == 1
    assert second["DLPackDevice"] == [10, 1]


def test_the_version_is_hip_s(rocm: HipMachine) -> None:
    assert rocm.device()["Version"] == "7.0.51831"
    older = hip_machine.of_rocm(5, driver=50221153)
    assert older.device()["Version"] == "5.2.21153"


@pytest.mark.parametrize(
    ("architecture", "wave", "units"), [(942, 64, 304), (906, 64, 304), (1100, 32, 96)]
)
def test_the_architecture_finds_the_device_file(
    rocm: HipMachine, architecture: int, wave: int, units: int
) -> None:
    info = hip_machine.of_rocm(architecture=architecture).info()
    assert (info["Vendor"], info["Type"]) == ("AMD", "gpu")
    assert info["Architecture"] == f"gfx{architecture}"
    assert info["CoreSubsystem"]["SIMDSize"] == wave
    assert info["CoreSubsystem"]["Count"] == units  # compute units, not pairs of them
    assert info["Description"]


def test_what_the_catalogue_lacks_stands_in_extensions(answers: dict[str, Any]) -> None:
    attributes = answers["Extensions"]["HIP"]["Attributes"]
    assert attributes["TextureAlignment"] == 256
    assert attributes["LargeBAR"] == 1
    assert attributes["XCDs"] == 8


def test_no_numa_node_is_no_node(rocm: HipMachine) -> None:
    assert "NumaNode" not in hip_machine.with_attributes({92: -1}).device()
