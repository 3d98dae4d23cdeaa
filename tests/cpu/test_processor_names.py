# SPDX-License-Identifier: Apache-2.0
"""What processors are called, by the numbers that tell them apart (those of LLVM's Host.cpp)."""

from __future__ import annotations

from pathlib import Path

import pytest
from building import ROOT
from machine_trees import ask

pytestmark = pytest.mark.long

V2 = ["cx16", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"]
V3 = [*V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"]
V4 = [*V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]

AMD, INTEL = "AuthenticAMD", "GenuineIntel"

X86_64 = [
    (AMD, 0x17, 0x01, "znver1"),
    (AMD, 0x17, 0x08, "znver1"),
    (AMD, 0x17, 0x11, "znver1"),
    (AMD, 0x17, 0x18, "znver1"),
    (AMD, 0x17, 0x20, "znver1"),
    (AMD, 0x17, 0x31, "znver2"),
    (AMD, 0x17, 0x47, "znver2"),
    (AMD, 0x17, 0x60, "znver2"),
    (AMD, 0x17, 0x68, "znver2"),
    (AMD, 0x17, 0x71, "znver2"),
    (AMD, 0x17, 0x84, "znver2"),
    (AMD, 0x17, 0x90, "znver2"),
    (AMD, 0x17, 0xA0, "znver2"),
    (AMD, 0x19, 0x01, "znver3"),
    (AMD, 0x19, 0x08, "znver3"),
    (AMD, 0x19, 0x21, "znver3"),
    (AMD, 0x19, 0x44, "znver3"),
    (AMD, 0x19, 0x50, "znver3"),
    (AMD, 0x19, 0x11, "znver4"),
    (AMD, 0x19, 0x18, "znver4"),
    (AMD, 0x19, 0x61, "znver4"),
    (AMD, 0x19, 0x74, "znver4"),
    (AMD, 0x19, 0x78, "znver4"),
    (AMD, 0x19, 0xA0, "znver4"),
    (AMD, 0x1A, 0x02, "znver5"),
    (AMD, 0x1A, 0x11, "znver5"),
    (AMD, 0x1A, 0x24, "znver5"),
    (AMD, 0x1A, 0x44, "znver5"),
    (AMD, 0x1A, 0x60, "znver5"),
    (AMD, 0x1A, 0x70, "znver5"),
    (INTEL, 6, 0x3F, "haswell"),
    (INTEL, 6, 0x4F, "broadwell"),
    (INTEL, 6, 0x5E, "skylake"),
    (INTEL, 6, 0x9E, "skylake"),
    (INTEL, 6, 0xA5, "skylake"),
    (INTEL, 6, 0xA7, "rocketlake"),
    (INTEL, 6, 0x7E, "icelake-client"),
    (INTEL, 6, 0x6A, "icelake-server"),
    (INTEL, 6, 0x6C, "icelake-server"),
    (INTEL, 6, 0x8C, "tigerlake"),
    (INTEL, 6, 0x97, "alderlake"),
    (INTEL, 6, 0x9A, "alderlake"),
    (INTEL, 6, 0xBE, "gracemont"),
    (INTEL, 6, 0xB7, "raptorlake"),
    (INTEL, 6, 0xBA, "raptorlake"),
    (INTEL, 6, 0xBF, "raptorlake"),
    (INTEL, 6, 0xAA, "meteorlake"),
    (INTEL, 6, 0xAC, "meteorlake"),
    (INTEL, 6, 0xC5, "arrowlake"),
    (INTEL, 6, 0xB5, "arrowlake"),
    (INTEL, 6, 0xC6, "arrowlake-s"),
    (INTEL, 6, 0xBD, "lunarlake"),
    (INTEL, 6, 0xCC, "pantherlake"),
    (INTEL, 6, 0x8F, "sapphirerapids"),
    (INTEL, 6, 0xCF, "emeraldrapids"),
    (INTEL, 6, 0xAD, "graniterapids"),
    (INTEL, 6, 0xAF, "sierraforest"),
    (INTEL, 0x13, 0x01, "diamondrapids"),
]

# Known to compilers, without a file of the database.
RARE_X86_64 = [
    (INTEL, 6, 0x1A, "nehalem"),
    (INTEL, 6, 0x2A, "sandybridge"),
    (INTEL, 6, 0x3A, "ivybridge"),
    (INTEL, 6, 0x66, "cannonlake"),
    (INTEL, 6, 0x5C, "goldmont"),
    (INTEL, 6, 0x9C, "tremont"),
    (INTEL, 6, 0xAE, "graniterapids-d"),
    (INTEL, 6, 0xB6, "grandridge"),
    (INTEL, 6, 0xDD, "clearwaterforest"),
]

ARM = [
    (0x41, 0xD03, "ARM", "cortex-a53"),
    (0x41, 0xD05, "ARM", "cortex-a55"),
    (0x41, 0xD07, "ARM", "cortex-a57"),
    (0x41, 0xD08, "ARM", "cortex-a72"),
    (0x41, 0xD09, "ARM", "cortex-a73"),
    (0x41, 0xD0A, "ARM", "cortex-a75"),
    (0x41, 0xD0B, "ARM", "cortex-a76"),
    (0x41, 0xD0D, "ARM", "cortex-a77"),
    (0x41, 0xD41, "ARM", "cortex-a78"),
    (0x41, 0xD46, "ARM", "cortex-a510"),
    (0x41, 0xD47, "ARM", "cortex-a710"),
    (0x41, 0xD4D, "ARM", "cortex-a715"),
    (0x41, 0xD80, "ARM", "cortex-a520"),
    (0x41, 0xD81, "ARM", "cortex-a720"),
    (0x41, 0xD87, "ARM", "cortex-a725"),
    (0x41, 0xD44, "ARM", "cortex-x1"),
    (0x41, 0xD48, "ARM", "cortex-x2"),
    (0x41, 0xD4E, "ARM", "cortex-x3"),
    (0x41, 0xD82, "ARM", "cortex-x4"),
    (0x41, 0xD85, "ARM", "cortex-x925"),
    (0x41, 0xD0C, "ARM", "neoverse-n1"),
    (0x41, 0xD49, "ARM", "neoverse-n2"),
    (0x41, 0xD8E, "ARM", "neoverse-n3"),
    (0x41, 0xD40, "ARM", "neoverse-v1"),
    (0x41, 0xD4F, "ARM", "neoverse-v2"),
    (0x41, 0xD84, "ARM", "neoverse-v3"),
    (0x43, 0x0AF, "Cavium", "thunderx2t99"),
    (0x46, 0x001, "Fujitsu", "a64fx"),
    (0x48, 0xD01, "HiSilicon", "tsv110"),
    (0x4E, 0x004, "NVIDIA", "carmel"),
    (0x51, 0x001, "Qualcomm", "oryon-1"),
    (0x61, 0x022, "Apple", "apple-m1"),
    (0x61, 0x032, "Apple", "apple-m2"),
    (0x61, 0x048, "Apple", "apple-m3"),
    (0xC0, 0xAC3, "Ampere", "ampere1"),
    (0xC0, 0xAC4, "Ampere", "ampere1a"),
    (0xC0, 0xAC5, "Ampere", "ampere1b"),
]


def x86_name(tool: Path, maker: str, family: int, model: int, features: list[str]) -> str:
    return str(ask(tool, "x86", maker, str(family), str(model), *features)["Architecture"])


@pytest.mark.parametrize(("maker", "family", "model", "name"), X86_64 + RARE_X86_64)
def test_family_and_model_name_an_x86_64_processor(
    machine_tool: Path, maker: str, family: int, model: int, name: str
) -> None:
    assert x86_name(machine_tool, maker, family, model, V4) == name


@pytest.mark.parametrize(
    ("version", "family", "model", "stepping"),
    [
        (0x000C06F2, 6, 0xCF, 2),
        (0x00000F12, 0xF, 0x01, 2),
        (0x00830F10, 0x17, 0x31, 0),
        (0x00A20F12, 0x19, 0x21, 2),
        (0x00F10543, 5, 0x04, 3),  # the extended fields are of families 6 and 15 only
    ],
)
def test_the_parts_of_a_signature_are_put_together(
    machine_tool: Path, version: int, family: int, model: int, stepping: int
) -> None:
    found = ask(machine_tool, "signature", str(version))
    assert found == {"Family": family, "Model": model, "Stepping": stepping}


@pytest.mark.parametrize(
    ("feature", "name"),
    [
        ([], "skylake-avx512"),
        (["avx512vnni"], "cascadelake"),
        (["avx512vnni", "avx512bf16"], "cooperlake"),
    ],
)
def test_three_servers_of_one_model_are_told_apart_by_features(
    machine_tool: Path, feature: list[str], name: str
) -> None:
    assert x86_name(machine_tool, INTEL, 6, 0x55, [*V4, *feature]) == name


@pytest.mark.parametrize(
    ("features", "level"),
    [([], "x86-64"), (V2, "x86-64-v2"), (V3, "x86-64-v3"), (V4, "x86-64-v4")],
)
@pytest.mark.parametrize(
    ("maker", "family", "model"),
    [(INTEL, 6, 0xFE), (INTEL, 7, 1), (AMD, 0x1A, 0x78), (AMD, 0x1B, 0), ("SomebodyElse", 6, 0xCF)],
)
def test_a_processor_that_is_not_listed_is_its_level(
    machine_tool: Path, maker: str, family: int, model: int, features: list[str], level: str
) -> None:
    assert x86_name(machine_tool, maker, family, model, features) == level


@pytest.mark.parametrize(("implementer", "part", "vendor", "name"), ARM)
def test_implementer_and_part_name_an_arm_processor(
    machine_tool: Path, implementer: int, part: int, vendor: str, name: str
) -> None:
    found = ask(machine_tool, "arm", str(implementer), str(part))
    assert found == {"Vendor": vendor, "Architecture": name}


def test_an_arm_processor_that_is_not_listed_has_no_name(machine_tool: Path) -> None:
    assert ask(machine_tool, "arm", "0x41", "0xfff") == {"Vendor": "ARM", "Architecture": None}
    assert ask(machine_tool, "arm", "0x7f", "1") == {"Vendor": "0x7f", "Architecture": None}


def test_each_of_them_has_a_device_file() -> None:
    vendors = {AMD: "amd", INTEL: "intel"}
    stems = {f"{vendors[maker]}-cpu-{name}" for maker, _, _, name in X86_64}
    stems |= {f"{vendor.lower()}-cpu-{name}" for _, _, vendor, name in ARM}
    stems |= {"intel-cpu-skylake-avx512", "intel-cpu-cascadelake", "intel-cpu-cooperlake"}
    files = {path.stem for path in (ROOT / "devices").glob("*.json")}
    assert stems - files == set()
