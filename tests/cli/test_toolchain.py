# SPDX-License-Identifier: Apache-2.0
"""Finding a C compiler and building a kernel library with it."""

from __future__ import annotations

import ctypes
import stat
import sys
from pathlib import Path

import pytest

from nexus import _toolchain
from nexus._toolchain import Compiler, CompilerError, build_kernel_library, find_compiler

TWICE = "int twice(int x) { return 2 * x; }\n"


def make_program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


@pytest.fixture
def empty_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A PATH with an empty folder, no CC and no ziglang package."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(_toolchain, "_zig_of_package", lambda: None)
    return folder


@pytest.fixture(scope="module")
def compiler() -> Compiler:
    try:
        return find_compiler()
    except CompilerError as error:
        pytest.skip(f"needs a C compiler: {error}")


def test_what_cc_names_comes_first(empty_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_program(empty_machine, "clang")
    mine = make_program(empty_machine, "mine")
    monkeypatch.setenv("CC", "mine -v")
    assert find_compiler() == Compiler((str(mine), "-v"), "CC")


def test_cc_may_be_a_path_with_a_space(
    empty_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = make_program(empty_machine / "my tools", "mine")
    monkeypatch.setenv("CC", str(mine))
    assert find_compiler() == Compiler((str(mine),), "CC")


def test_a_cc_that_is_no_program_is_an_error_and_not_passed_over(
    empty_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_program(empty_machine, "clang")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(CompilerError, match="CC is 'no-such-compiler'"):
        find_compiler()


def test_a_cc_with_an_open_quote_is_an_error(
    empty_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "gcc '")
    with pytest.raises(CompilerError, match="no command line"):
        find_compiler()


def test_clang_then_ziglang_then_gcc_then_cc(
    empty_machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cc = make_program(empty_machine, "cc")
    assert find_compiler() == Compiler((str(cc),), "PATH")
    gcc = make_program(empty_machine, "gcc")
    assert find_compiler() == Compiler((str(gcc),), "PATH")
    zig = make_program(tmp_path / "ziglang", "zig")
    monkeypatch.setattr(_toolchain, "_zig_of_package", lambda: zig)
    assert find_compiler() == Compiler((str(zig), "cc"), "ziglang")
    clang = make_program(empty_machine, "clang")
    assert find_compiler() == Compiler((str(clang),), "PATH")


def test_without_a_compiler_the_error_says_what_to_install(empty_machine: Path) -> None:
    with pytest.raises(CompilerError, match="pip install ziglang"):
        find_compiler()


def test_the_program_of_the_ziglang_package_is_found_without_importing_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "ziglang"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n")
    zig = make_program(package, "zig")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "ziglang", raising=False)
    assert _toolchain._zig_of_package() == zig


def test_text_becomes_a_library(compiler: Compiler, tmp_path: Path) -> None:
    used = build_kernel_library(TWICE, tmp_path / "k.so", compiler=compiler)
    assert used == compiler
    assert ctypes.CDLL(str(tmp_path / "k.so")).twice(21) == 42


def test_a_file_becomes_a_library_for_the_oldest_processor(
    compiler: Compiler, tmp_path: Path
) -> None:
    source = tmp_path / "k.c"
    source.write_text('#include "value.h"\nint value(void) { return VALUE; }\n')
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "value.h").write_text("#define VALUE 7\n")
    build_kernel_library(
        source, tmp_path / "k.so", include=[tmp_path / "headers"], native=False, compiler=compiler
    )
    assert ctypes.CDLL(str(tmp_path / "k.so")).value() == 7


def test_fast_math_leaves_the_process_its_denormal_numbers(
    compiler: Compiler, tmp_path: Path
) -> None:
    build_kernel_library(TWICE, tmp_path / "k.so", fast_math=True, compiler=compiler)
    ctypes.CDLL(str(tmp_path / "k.so"))
    assert sys.float_info.min / 2 > 0


def test_an_error_in_the_source_is_told_in_the_compilers_words(
    compiler: Compiler, tmp_path: Path
) -> None:
    with pytest.raises(CompilerError, match="undeclared_thing"):
        build_kernel_library(
            "int f(void) { return undeclared_thing; }\n", tmp_path / "k.so", compiler=compiler
        )
    assert list(tmp_path.iterdir()) == []


def test_a_failed_build_leaves_the_older_library(compiler: Compiler, tmp_path: Path) -> None:
    (tmp_path / "k.so").write_bytes(b"older")
    with pytest.raises(CompilerError):
        build_kernel_library("not C", tmp_path / "k.so", compiler=compiler)
    assert (tmp_path / "k.so").read_bytes() == b"older"


def test_a_missing_source_file_is_named(compiler: Compiler, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.c"):
        build_kernel_library(tmp_path / "nowhere.c", tmp_path / "k.so", compiler=compiler)


def test_a_missing_output_folder_is_named(compiler: Compiler, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no folder"):
        build_kernel_library(TWICE, tmp_path / "nowhere" / "k.so", compiler=compiler)


def test_a_compiler_that_can_not_start_is_named(tmp_path: Path) -> None:
    broken = Compiler((str(tmp_path),), "CC")
    with pytest.raises(CompilerError, match="could not be started"):
        build_kernel_library(TWICE, tmp_path / "k.so", compiler=broken)
