# SPDX-License-Identifier: Apache-2.0
"""Kernel libraries with one damaged byte are refused before the system's loader reads them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from building import C_API, compiler

import nexus

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        sys.platform != "linux", reason="libraries here are no ELF files: run the tests on Linux"
    ),
]

KERNEL = """
NEXUS_KERNEL(root, (NEXUS_GLOBAL float *, y), (int, n)) {
  const int i = nexus_global_id(0);
  if (i < n) y[i] = nexus_sqrt(y[i]);
}
"""
TABLES = {
    "ELF header", "program headers", "dynamic section", "hash table", "symbols", "relocations",
    "versions",
}  # fmt: skip
# Addresses of functions that the loader calls, if they still lead to code.
UNCHECKED = 20


@pytest.fixture(scope="module")
def damage_tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds damage_tool.cpp."""
    program = tmp_path_factory.mktemp("damage_tool") / "damage_tool"
    command = [*compiler("CXX", "g++", "clang++", "c++"), "-std=c++20", "-O1", f"-I{C_API}"]
    source = Path(__file__).parent / "damage_tool.cpp"
    subprocess.run([*command, source, "-o", program, "-ldl"], check=True)
    return program


def build_library(folder: Path, flags: list[str] | None) -> Path:
    """Builds a library of one kernel; without flags as Nexus compiles it."""
    source, library = folder / "root.c", folder / "root.so"
    if flags is None:
        library.write_bytes(nexus.Program(KERNEL).compile("cpu").code)
        return library
    source.write_text(f"#include <nexus_kernel.h>\n{KERNEL}")
    command = [*compiler("CC", "cc", "gcc", "clang"), "-O2", "-fPIC", "-shared", f"-I{C_API}"]
    subprocess.run([*command, *flags, source, "-o", library, "-lm"], check=True)
    return library


@pytest.mark.unsanitized("it loads what is damaged")
@pytest.mark.parametrize(
    "flags",
    [None, [], ["-s", "-Wl,--hash-style=both"]],
    ids=["compiled by Nexus", "of the compiler alone", "stripped"],
)
def test_hardly_a_damaged_byte_of_the_tables_ends_the_process(
    damage_tool: Path, tmp_path: Path, flags: list[str] | None
) -> None:
    """Changes each byte of each table; without the checks one in three crashes the child."""
    library = build_library(tmp_path, flags)
    told = subprocess.run(
        [damage_tool, library, "nexus_cpu_kernel_root", "1"],
        capture_output=True,
        text=True,
        check=True,
    )
    counts = {}
    for line in told.stdout.splitlines():
        name, numbers = line.split(": ")
        counts[name] = tuple(map(int, numbers.split()))
    assert counts.keys() <= TABLES
    assert {"ELF header", "program headers", "dynamic section", "relocations"} <= counts.keys()
    assert all(refused > 0 for refused, _, _ in counts.values())
    ended = {name: count for name, (_, _, count) in counts.items()}
    assert sum(ended.values()) <= UNCHECKED, told.stderr
    unchecked = {name for name, count in ended.items() if count}
    assert unchecked <= {"dynamic section", "relocations"}, told.stderr


def test_no_whole_library_is_refused(damage_tool: Path, tmp_path: Path) -> None:
    """Checks this process's libraries: several linkers, versions, thread variables, clones."""
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()}
    libraries = sorted(name for name in mapped if ".so" in Path(name).name and name[0] == "/")
    libraries.append(str(build_library(tmp_path, [])))
    told = subprocess.run([damage_tool, *libraries], capture_output=True, text=True, check=True)
    assert told.stdout == ""
