# SPDX-License-Identifier: Apache-2.0
"""Symbols that a plug-in exports to the process that loads it."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from compilers import INCLUDE, ROOT, run

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into an ELF library"),
]

REFERENCE = ROOT / "tests/plugins/nexus-reference/nexus_reference.cpp"
OURS = re.compile(r"nexus_plugin|reference::|\bnxs[A-Z]")


def visible_symbols(library: Path) -> list[str]:
    """The names of the symbols that a library defines for others, in readable form."""
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("no nm: install binutils")
    lines = run([nm, "-DC", "--defined-only", str(library)]).splitlines()
    return [line.split(maxsplit=2)[2] for line in lines]


def build(cxx: list[str], target: Path, *flags: str) -> Path:
    command = [*cxx, "-std=c++20", f"-I{INCLUDE}", "-fPIC", "-shared", "-pthread", *flags]
    run([*command, str(REFERENCE), "-o", str(target)])
    return target


def test_the_only_visible_symbol_is_the_query(cxx: list[str], tmp_path: Path) -> None:
    exports = tmp_path / "exports.map"
    exports.write_text("{ global: nxsQueryPlugin; local: *; };\n", "utf-8")
    flags = ["-O2", "-fvisibility=hidden", f"-Wl,--version-script={exports}"]
    assert visible_symbols(build(cxx, tmp_path / "hidden.so", *flags)) == ["nxsQueryPlugin"]


@pytest.mark.parametrize("optimize", ["-O0", "-O2"])
def test_default_flags_show_nothing_of_the_kit_or_the_plugin(
    optimize: str, cxx: list[str], tmp_path: Path
) -> None:
    """Exported symbols of the standard library name no type and no code of ours."""
    names = visible_symbols(build(cxx, tmp_path / "default.so", optimize))
    assert [name for name in names if OURS.search(name)] == ["nxsQueryPlugin"]
