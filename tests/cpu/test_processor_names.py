# SPDX-License-Identifier: Apache-2.0
"""Names of processors by family and model, as in LLVM's Host.cpp."""

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

# Maker, family, name and the models that have it.
X86_64 = [
    (AMD, 0x17, "znver1", [0x01, 0x08, 0x11, 0x18, 0x20]),
    (AMD, 0x17, "znver2", [0x31, 0x47, 0x60, 0x68, 0x71, 0x84, 0x90, 0xA0]),
    (AMD, 0x19, "znver3", [0x01, 0x08, 0x21, 0x44, 0x50]),
    (AMD, 0x19, "znver4", [0x11, 0x18, 0x61, 0x74, 0x78, 0xA0]),
    (AMD, 0x1A, "znver5", [0x02, 0x11, 0x24, 0x44, 0x60, 0x70]),
    (INTEL, 6, "haswell", [0x3F]),
    (INTEL, 6, "broadwell", [0x4F]),
    (INTEL, 6, "skylake", [0x5E, 0x9E, 0xA5]),
    (INTEL, 6, "rocketlake", [0xA7]),
    (INTEL, 6, "icelake-client", [0x7E]),
    (INTEL, 6, "icelake-server", [0x6A, 0x6C]),
    (INTEL, 6, "tigerlake", [0x8C]),
    (INTEL, 6, "alderlake", [0x97, 0x9A]),
    (INTEL, 6, "gracemont", [0xBE]),
    (INTEL, 6, "raptorlake", [0xB7, 0xBA, 0xBF]),
    (INTEL, 6, "meteorlake", [0xAA, 0xAC]),
    (INTEL, 6, "arrowlake", [0xC5, 0xB5]),
    (INTEL, 6, "arrowlake-s", [0xC6]),
    (INTEL, 6, "lunarlake", [0xBD]),
    (INTEL, 6, "pantherlake", [0xCC]),
    (INTEL, 6, "sapphirerapids", [0x8F]),
    (INTEL, 6, "emeraldrapids", [0xCF]),
    (INTEL, 6, "graniterapids", [0xAD]),
    (INTEL, 6, "sierraforest", [0xAF]),
    (INTEL, 0x13, "diamondrapids", [0x01]),
]
# Known to compilers, without a file of the database.
RARE_X86_64 = [
    (INTEL, 6, "nehalem", [0x1A]), (INTEL, 6, "sandybridge", [0x2A]),
    (INTEL, 6, "ivybridge", [0x3A]), (INTEL, 6, "cannonlake", [0x66]),
    (INTEL, 6, "goldmont", [0x5C]), (INTEL, 6, "tremont", [0x9C]),
    (INTEL, 6, "graniterapids-d", [0xAE]), (INTEL, 6, "grandridge", [0xB6]),
    (INTEL, 6, "clearwaterforest", [0xDD]),
]  # fmt: skip
# Implementers, and their parts.
ARM = {
    (0x41, "ARM"): {
        0xD03: "cortex-a53", 0xD05: "cortex-a55", 0xD07: "cortex-a57", 0xD08: "cortex-a72",
        0xD09: "cortex-a73", 0xD0A: "cortex-a75", 0xD0B: "cortex-a76", 0xD0D: "cortex-a77",
        0xD41: "cortex-a78", 0xD46: "cortex-a510", 0xD47: "cortex-a710", 0xD4D: "cortex-a715",
        0xD80: "cortex-a520", 0xD81: "cortex-a720", 0xD87: "cortex-a725", 0xD44: "cortex-x1",
        0xD48: "cortex-x2", 0xD4E: "cortex-x3", 0xD82: "cortex-x4", 0xD85: "cortex-x925",
        0xD0C: "neoverse-n1", 0xD49: "neoverse-n2", 0xD8E: "neoverse-n3", 0xD40: "neoverse-v1",
        0xD4F: "neoverse-v2", 0xD84: "neoverse-v3",
    },
    (0x43, "Cavium"): {0x0AF: "thunderx2t99"},
    (0x46, "Fujitsu"): {0x001: "a64fx"},
    (0x48, "HiSilicon"): {0xD01: "tsv110"},
    (0x4E, "NVIDIA"): {0x004: "carmel"},
    (0x51, "Qualcomm"): {0x001: "oryon-1"},
    (0x61, "Apple"): {0x022: "apple-m1", 0x032: "apple-m2", 0x048: "apple-m3"},
    (0xC0, "Ampere"): {0xAC3: "ampere1", 0xAC4: "ampere1a", 0xAC5: "ampere1b"},
}  # fmt: skip


def x86_name(tool: Path, maker: str, family: int, model: int, features: list[str]) -> str:
    return str(ask(tool, "x86", maker, str(family), str(model), *features)["Architecture"])


@pytest.mark.parametrize(("maker", "family", "name", "models"), X86_64 + RARE_X86_64)
def test_family_and_model_name_an_x86_64_processor(
    machine_tool: Path, maker: str, family: int, name: str, models: list[int]
) -> None:
    for model in models:
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
    ("features", "level"), [([], "x86-64"), (V2, "x86-64-v2"), (V3, "x86-64-v3"), (V4, "x86-64-v4")]
)
@pytest.mark.parametrize(
    ("maker", "family", "model"),
    [(INTEL, 6, 0xFE), (INTEL, 7, 1), (AMD, 0x1A, 0x78), (AMD, 0x1B, 0), ("SomebodyElse", 6, 0xCF)],
)
def test_a_processor_that_is_not_listed_is_its_level(
    machine_tool: Path, maker: str, family: int, model: int, features: list[str], level: str
) -> None:
    assert x86_name(machine_tool, maker, family, model, features) == level


@pytest.mark.parametrize(("implementer", "vendor"), ARM)
def test_implementer_and_part_name_an_arm_processor(
    machine_tool: Path, implementer: int, vendor: str
) -> None:
    for part, name in ARM[implementer, vendor].items():
        found = ask(machine_tool, "arm", str(implementer), str(part))
        assert found == {"Vendor": vendor, "Architecture": name}


def test_an_arm_processor_that_is_not_listed_has_no_name(machine_tool: Path) -> None:
    assert ask(machine_tool, "arm", "0x41", "0xfff") == {"Vendor": "ARM", "Architecture": None}
    assert ask(machine_tool, "arm", "0x7f", "1") == {"Vendor": "0x7f", "Architecture": None}


def test_each_of_them_has_a_device_file() -> None:
    vendors = {AMD: "amd", INTEL: "intel"}
    stems = {f"{vendors[maker]}-cpu-{name}" for maker, _, name, _ in X86_64}
    for (_, vendor), parts in ARM.items():
        stems |= {f"{vendor.lower()}-cpu-{name}" for name in parts.values()}
    stems |= {"intel-cpu-skylake-avx512", "intel-cpu-cascadelake", "intel-cpu-cooperlake"}
    files = {path.stem for path in (ROOT / "devices").glob("*.json")}
    assert stems - files == set()
