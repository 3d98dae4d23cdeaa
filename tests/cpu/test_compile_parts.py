# SPDX-License-Identifier: Apache-2.0
"""How processors are spelled for each compiler."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from building import C_API, ROOT, compiler

SOURCE = ROOT / "packages" / "nexus-cpu" / "src"

Run = Callable[..., str]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs compile_parts_tool with words."""
    program = tmp_path_factory.mktemp("parts") / "parts"
    sources = [Path(__file__).parent / "compile_parts_tool.cpp"]
    sources += [SOURCE / "compile" / "compiler.cpp", SOURCE / "system" / "system_tree.cpp"]
    command = [*compiler("CXX", "g++", "clang++", "c++"), "-std=c++20", f"-I{C_API}", f"-I{SOURCE}"]
    subprocess.run([*command, *sources, "-o", program], check=True)

    def run(*words: str) -> str:
        return subprocess.run([program, *words], capture_output=True, check=True, text=True).stdout

    return run


@pytest.mark.parametrize(
    ("family", "compiler", "name", "flag"),
    [
        ("x86", "gcc", "znver4", "-march=znver4"),
        ("x86", "clang", "x86-64-v3", "-march=x86-64-v3"),
        ("x86", "zig", "x86-64-v3", "-mcpu=x86_64_v3"),
        ("x86", "other", "skylake-avx512", "-march=skylake-avx512"),
        ("arm", "gcc", "neoverse-n1", "-mcpu=neoverse-n1"),
        ("arm", "clang", "apple-m1", "-mcpu=apple-m1"),
        ("arm", "zig", "neoverse-n1", "-mcpu=neoverse_n1"),
        ("arm", "gcc", "armv8.2-a", "-march=armv8.2-a"),
        ("arm", "zig", "armv8.2-a", "-mcpu=generic+v8_2a"),
        ("arm", "zig", "armv8-a", "-mcpu=generic+v8a"),
        ("other", "gcc", "rv64gc", "-march=rv64gc"),
        ("other", "gcc", "power9", "-mcpu=power9"),
    ],
)
def test_a_processor_is_spelled_as_the_compiler_wants_it(
    parts: Run, family: str, compiler: str, name: str, flag: str
) -> None:
    assert parts("target", family, compiler, name).split() == [name, flag]


@pytest.mark.parametrize("name", ["", "native"])
@pytest.mark.parametrize(
    ("family", "compiler", "flags"),
    [
        ("x86", "gcc", ["-march=native"]),
        ("x86", "zig", ["-mcpu=native"]),
        ("arm", "clang", ["-mcpu=native"]),
        ("arm", "zig", ["-mcpu=native"]),
        ("other", "gcc", []),
        ("other", "zig", ["-mcpu=native"]),
    ],
)
def test_this_processor_is_native_and_its_name_has_its_features(
    parts: Run, family: str, compiler: str, flags: list[str], name: str
) -> None:
    assert parts("target", family, compiler, name).split() == ["imaginary+one+two", *flags]
