# SPDX-License-Identifier: Apache-2.0
"""Each public header compiles alone, without warnings, and asks for no more than it says."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import pytest
from compilers import INCLUDE, WARNINGS, run

pytestmark = pytest.mark.long

C_HEADERS = sorted([*INCLUDE.glob("nexus-api/*.h"), INCLUDE / "nexus/nexus_c.h"])
KIT_HEADERS = sorted(INCLUDE.glob("nexus-plugin/**/*.hpp"))
CXX_HEADERS = sorted([*INCLUDE.glob("nexus/*.hpp"), INCLUDE / "nexus.h"])


def name_of(header: Path) -> str:
    return header.relative_to(INCLUDE).as_posix()


def check(compiler: list[str], folder: Path, source: str, *flags: str) -> None:
    """Compiles a source twice in one file: a header's guard is tried too."""
    file = folder / "alone.txt"
    file.write_text(source * 2, "utf-8")
    run([*compiler, f"-I{INCLUDE}", *WARNINGS, *flags, "-fsyntax-only", str(file)])


@pytest.mark.parametrize("header", C_HEADERS, ids=name_of)
def test_a_c_header_compiles_alone_as_c_and_as_cxx(
    header: Path, cc: list[str], cxx: list[str], tmp_path: Path
) -> None:
    source = f"#include <{name_of(header)}>\n"
    check(cc, tmp_path, source, "-std=c11", "-x", "c")
    check(cxx, tmp_path, source, "-std=c++20", "-x", "c++")


@pytest.mark.parametrize("header", [*KIT_HEADERS, *CXX_HEADERS], ids=name_of)
def test_a_cxx_header_compiles_alone(header: Path, cxx: list[str], tmp_path: Path) -> None:
    flags = ["-std=c++20", "-x", "c++", "-isystem", sysconfig.get_path("include")]  # Python.h
    check(cxx, tmp_path, f"#include <{name_of(header)}>\n", *flags)


def includes_of(header: Path) -> set[str]:
    return set(re.findall(r"^#include [<\"](.+)[>\"]", header.read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("header", sorted(INCLUDE.glob("nexus-api/*")), ids=name_of)
def test_the_c_api_needs_stdint_and_stddef_only(header: Path) -> None:
    foreign = {name for name in includes_of(header) if not name.startswith("nexus-api/")}
    assert foreign <= {"stdint.h", "stddef.h"}


CODE = (
    "binary_check", "elf_check", "elf_file", "elf_form", "elf_image", "kernel_description",
    "name_table",
)  # fmt: skip


def test_the_umbrella_has_the_whole_kit() -> None:
    whole = {name_of(header) for header in KIT_HEADERS}
    included: set[str] = set()
    ahead = ["nexus-plugin/plugin.hpp"]
    while ahead:
        name = ahead.pop()
        if name in whole - included:
            included.add(name)
            ahead += includes_of(INCLUDE / name)
    # For backends that load libraries, read code for devices, start compilers, or have a driver
    # like CUDA's.
    apart = {"compile/child_process", "driver/open_library", *(f"kernel/{name}" for name in CODE)}
    apart |= {f"gpu/{header.stem}" for header in KIT_HEADERS if header.parent.name == "gpu"}
    assert whole - included <= {f"nexus-plugin/{name}.hpp" for name in apart}


@pytest.mark.parametrize("header", KIT_HEADERS, ids=name_of)
def test_each_namespace_of_the_kit_is_hidden(header: Path) -> None:
    text = header.read_text("utf-8")
    opened = re.findall(r"^ *namespace nexus_plugin\b.*$", text, re.MULTILINE)
    assert all("NXS_HIDDEN" in line or 'visibility("hidden")' in line for line in opened)
    assert opened or not re.search(r"^ *namespace", text, re.MULTILINE)
