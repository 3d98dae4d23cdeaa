# SPDX-License-Identifier: Apache-2.0
"""Files that the compiler finds by itself: nothing that came of them is kept."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

import nexus

USE = "\nint value(void) { return VALUE; }\n"


def origins(
    header: Path, source: str, options: nexus.ProgramOptions, text: str = "#define VALUE {}\n"
) -> list[str]:
    """Where the code comes from: at first, again, and with another text in the header."""
    program = nexus.Program(source, language="c", options=options)
    header.write_text(text.format(1))
    codes = [program.compile("cpu") for _ in range(2)]
    header.write_text(text.format(22))
    codes.append(program.compile("cpu"))
    assert codes[2].code != codes[0].code
    return [code.origin for code in codes]


@pytest.mark.parametrize("flag", ["-I", "-isystem", "-iquote"])
def test_a_file_that_a_flag_lets_the_compiler_find(tmp_path: Path, flag: str) -> None:
    options = nexus.ProgramOptions(extra={"cpu": [f"{flag}{tmp_path}"]})
    found = origins(tmp_path / "x.h", '#include "x.h"' + USE, options)
    assert found == ["compiled"] * 3


@pytest.mark.parametrize("variable", ["CPATH", "C_INCLUDE_PATH"])
def test_a_file_that_a_variable_lets_the_compiler_find(
    tmp_path: Path, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, f"/usr/include:{tmp_path}")
    found = origins(tmp_path / "x.h", "#include <x.h>" + USE, nexus.ProgramOptions())
    assert found == ["compiled"] * 3


@pytest.mark.parametrize(
    "include",
    [
        '#define H "x.h"\n#include H',
        "#include_next <x.h>",
        '#if 1\n#define H "x.h"\n#include H\n#endif',
    ],
)
def test_a_file_whose_name_only_the_compiler_knows(tmp_path: Path, include: str) -> None:
    options = nexus.ProgramOptions(include_paths=[str(tmp_path)])
    assert origins(tmp_path / "x.h", include + USE, options) == ["compiled"] * 3


@pytest.mark.skipif(platform.system() != "Linux", reason="an assembler of ELF's words")
def test_a_file_that_the_assembler_puts_in(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    words = f'.globl data\\ndata: .incbin \\"{path}\\"\\n'
    source = f'__asm__("{words}");\nint one(void) {{ return 1; }}'
    assert origins(path, source, nexus.ProgramOptions(), "some bytes {}") == ["compiled"] * 3


def test_another_value_of_a_variable_that_compilers_read_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = nexus.Program("int two(void) { return 2; }", language="c")
    assert program.compile("cpu").origin == "compiled"
    assert program.compile("cpu").origin == "memory"
    monkeypatch.setenv("CPATH", str(tmp_path))
    assert program.compile("cpu").origin == "compiled"


def test_folders_that_have_none_of_the_files_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CPATH", str(tmp_path))
    program = nexus.Program("#include <stddef.h>\nsize_t three(void) { return 3; }", language="c")
    assert program.compile("cpu").origin == "compiled"
    assert program.compile("cpu").origin == "memory"
    (tmp_path / "stddef.h").write_text("typedef unsigned long size_t; // nearer\n")
    assert program.compile("cpu").origin == "compiled"
