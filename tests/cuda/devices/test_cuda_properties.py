# SPDX-License-Identifier: Apache-2.0
"""Properties of a GPU: the driver's attributes with the catalogue's names and units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cuda_machine
import pytest
from cuda_machine import CudaMachine

# Number of an attribute, the driver's answer, and the property's value.
ATTRIBUTES: list[tuple[int, int, str, object]] = [
    (1, 1024, "MaxThreadsPerBlock", 1024),
    (1, 1024, "MaxThreadsPerThreadgroup", 1024),
    (8, 49152, "DefaultThreadgroupMemorySize", 49152),
    (9, 65536, "MaxConstantMemorySize", 65536),
    (10, 32, "SIMDSize", 32),
    (10, 32, "PreferredGroupMultiple", 32),
    (12, 65536, "MaxRegistersPerBlock", 65536),
    (13, 1980000, "CoreClockRate", 1980),
    (16, 132, "Count", 132),
    (16, 132, "CoreCount", 132),
    (17, 1, "KernelTimeLimit", 1),
    (18, 1, "UnifiedMemory", 1),
    (18, 0, "UnifiedMemory", 0),
    (20, 0, "ComputeMode", "Default"),
    (20, 2, "ComputeMode", "Prohibited"),
    (20, 3, "ComputeMode", "ExclusiveProcess"),
    (31, 1, "ConcurrentKernels", 1),
    (32, 1, "ECC", 1),
    (32, 0, "ECC", 0),
    (36, 2619000, "MemoryClockRate", 2619),
    (37, 5120, "MemoryBusWidth", 5120),
    (39, 2048, "MaxThreadsPerCore", 2048),
    (40, 3, "CopyEngineCount", 3),
    (40, 0, "CopyEngineCount", 0),
    (41, 1, "UnifiedAddressing", 1),
    (81, 233472, "CoreMemorySize", 233472),
    (82, 65536, "CoreRegisterSize", 262144),
    (83, 1, "ManagedMemory", 1),
    (88, 0, "PageableMemoryAccess", 0),
    (89, 1, "ConcurrentManagedAccess", 1),
    (95, 1, "CooperativeLaunch", 1),
    (97, 232448, "MaxThreadgroupMemorySize", 232448),
    (106, 32, "MaxThreadgroupsPerCore", 32),
    (111, 1024, "ReservedThreadgroupMemorySize", 1024),
    (115, 1, "MemoryPools", 1),
    (120, 0, "ClusterLaunch", 0),
    (134, 0, "NumaNode", 0),
    (139, 0x233010DE, "PCIVendorID", 0x10DE),
    (139, 0x233010DE, "PCIDeviceID", 0x2330),
]


FIRST = {number: value for number, value, *_ in reversed(ATTRIBUTES)}


def with_attributes(machine: CudaMachine, **others: str) -> CudaMachine:
    """Returns the machine with other attributes; the first entry of a number counts."""
    told = {f"attribute.{number}": str(value) for number, value in FIRST.items()}
    settings = ",".join(f"{key}={value}" for key, value in {**told, **others}.items())
    return machine.having(FAKE_CUDA=settings)


@pytest.fixture(scope="module")
def answers(driver: Path, nvml: Path) -> dict[str, Any]:
    """Returns the attributes of a device like an H100."""
    return with_attributes(cuda_machine.named(driver, nvml)).device()


@pytest.mark.parametrize(
    ("name", "expected"), [row[2:] for row in ATTRIBUTES if row[1] == FIRST[row[0]]]
)
def test_an_attribute_is_its_property_in_its_unit(
    answers: dict[str, Any], name: str, expected: object
) -> None:
    assert answers[name] == expected


@pytest.mark.parametrize(
    ("number", "told", "name", "expected"), [row for row in ATTRIBUTES if row[1] != FIRST[row[0]]]
)
def test_another_value_is_another_property(
    machine: CudaMachine, number: int, told: int, name: str, expected: object
) -> None:
    changed = with_attributes(machine, **{f"attribute.{number}": str(told)})
    assert changed.device()[name] == expected


def test_attributes_of_three_numbers(machine: CudaMachine) -> None:
    told = (1024, 1023, 64, 2147483647, 65535, 65534)
    numbers = {f"attribute.{number}": str(value) for number, value in enumerate(told, 2)}
    answers = with_attributes(machine, **numbers).device()
    assert answers["MaxGroupSize"] == list(told[:3])
    assert answers["MaxGridSize"] == list(told[3:])


def test_what_tells_the_device_from_others(machine: CudaMachine) -> None:
    answers = machine.having(FAKE_CUDA="devices=2", FAKE_NVML="gpus=2").device(1)
    assert answers["UUID"] == "101112131415161718191a1b1c1d1e1f"
    assert answers["PCIAddress"] == answers["Location"] == "0002:66:1f.0"
    assert answers["Extensions"]["CUDA"]["Ordinal"] == 1


@pytest.mark.parametrize(
    ("architecture", "capability"), [("75", "7.5"), ("90", "9.0"), ("103", "10.3"), ("120", "12.0")]
)
def test_the_architecture_finds_the_device_file(
    machine: CudaMachine, architecture: str, capability: str
) -> None:
    info = machine.having(FAKE_CUDA=f"architecture={architecture}").info()
    assert (info["Vendor"], info["Type"]) == ("NVIDIA", "gpu")
    assert (info["Architecture"], info["ComputeCapability"]) == (f"sm_{architecture}", capability)
    assert info["SpecializedHardware"]["Matrix"]["Name"] == "Tensor Core"


def test_the_device_name_finds_the_variant_of_the_file(machine: CudaMachine) -> None:
    info = with_attributes(machine, name="NVIDIA H100 80GB HBM3").info()
    assert info["MultiDeviceLinks"][0]["Name"] == "NVLink"
    assert info["CoreSubsystem"]["Count"] == 132


def test_the_memories_lie_in_the_order_of_device_files(answers: dict[str, Any]) -> None:
    memory = answers["MemorySubsystem"]
    names = ["Global", "L2", "Local", "Registers"]
    assert memory["SupportedMemoryTypes"] == names
    sizes = {entry["Name"]: entry["Size"] for entry in memory["MemoryTypes"]}
    assert list(sizes) == names
    assert sizes == {"L2": 1038, "Global": 80 << 30, "Local": 233472, "Registers": 262144}
    assert memory["MemoryTypes"][0]["ECC"] == 1


def test_the_bandwidth_is_what_clock_and_bus_make_possible(answers: dict[str, Any]) -> None:
    assert answers["MemoryBandwidth"] == 2619000000 * 2 * 5120 // 8


def test_limits_say_what_the_properties_say(answers: dict[str, Any]) -> None:
    limits = answers["Limits"]
    assert limits["MaxThreadsPerBlock"] == 1024
    assert limits["ReservedThreadgroupMemorySize"] == 1024
    assert all(answers[name] == limit for name, limit in limits.items())


@pytest.mark.parametrize(
    ("version", "architecture", "size"),
    [("12000", "90", 4096), ("12010", "90", 32764), ("13000", "75", 32764), ("12040", "61", 4096)],
)
def test_arguments_may_be_larger_since_cuda_12_1_and_volta(
    machine: CudaMachine, version: str, architecture: str, size: int
) -> None:
    settings = f"driver={version},architecture={architecture}"
    assert machine.having(FAKE_CUDA=settings).device()["MaxArgumentSize"] == size


def test_what_the_catalogue_lacks_stands_in_extensions(answers: dict[str, Any]) -> None:
    attributes = answers["Extensions"]["CUDA"]["Attributes"]
    assert attributes["TextureAlignment"] == 1014
    assert attributes["MaxPersistingL2CacheSize"] == 1108
    assert attributes["StreamAtomicReduction"] == 1148


def test_every_attribute_of_cuda_is_told_once(answers: dict[str, Any]) -> None:
    other = {told - 1000 for told in answers["Extensions"]["CUDA"]["Attributes"].values()}
    in_the_catalogue = {number for number, *_ in ATTRIBUTES} | {2, 3, 4, 5, 6, 7}
    of_several = {33, 34, 38, 50, 75, 76}  # PCIAddress, the size of L2, ComputeCapability
    deprecated = {15, 92, 93, 94, 96}
    all_told = other | in_the_catalogue | of_several
    assert not other & (in_the_catalogue | of_several)
    assert all_told == set(range(1, 149)) - deprecated


def test_what_the_driver_does_not_know_is_left_out(machine: CudaMachine) -> None:
    refused = {f"attribute.{number}": "refused" for number in (32, 81, 134, 139, 14)}
    without = with_attributes(machine.having(FAKE_NVML="refuse=DeviceGetPciInfo_v3"), **refused)
    told = without.device()
    assert not {"ECC", "CoreMemorySize", "NumaNode", "PCIVendorID", "PCIDeviceID"} & told.keys()
    assert "TextureAlignment" not in told["Extensions"]["CUDA"]["Attributes"]
    assert told["MemorySubsystem"]["SupportedMemoryTypes"] == ["Global", "L2", "Registers"]


def test_no_numa_node_is_no_node(machine: CudaMachine) -> None:
    assert "NumaNode" not in with_attributes(machine, **{"attribute.134": "-1"}).device()


def test_a_driver_that_tells_no_uuid_has_none(machine: CudaMachine) -> None:
    assert "UUID" not in machine.having(FAKE_CUDA="uuid=0").device()


def test_an_older_driver_has_its_pci_numbers_from_nvml(machine: CudaMachine) -> None:
    answers = with_attributes(machine, **{"attribute.139": "refused"}).device()
    assert (answers["PCIVendorID"], answers["PCIDeviceID"]) == (0x10DE, 0x2330)


def test_data_types_follow_the_architecture(machine: CudaMachine) -> None:
    def types(architecture: str) -> set[str]:
        return set(machine.having(FAKE_CUDA=f"architecture={architecture}").device()["DataTypes"])

    assert {"float16", "int4"} <= types("75")
    assert types("90") - types("75") == {"bfloat16", "tfloat32", "float8"}
    assert types("120") - types("90") == {"float6", "float4"}
