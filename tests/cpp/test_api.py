# SPDX-License-Identifier: Apache-2.0
"""The C++ Source API: api.cpp and compat.cpp, built against the installed package, and run."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from built_plugin import cpp_command
from original_names import cpp_names

import nexus

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built programs; the build has compiled each header alone too."""
    if shutil.which("cmake") is None:
        pytest.skip("CMake is not on the PATH: pip install cmake")
    folder = tmp_path_factory.mktemp("api")
    configure = [
        "cmake", "-S", str(HERE), "-B", str(folder),
        f"-DCMAKE_PREFIX_PATH={nexus.get_cmake_dir()}",
        f"-DNEXUS_INCLUDE={nexus.get_include()}",
        f"-DPYTHON_INCLUDE={sysconfig.get_path('include')}",
    ]  # fmt: skip
    for command in (configure, ["cmake", "--build", str(folder)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.parametrize("header", ["nexus.h", "nexus/compat.hpp"])
def test_a_header_below_cpp20_is_one_error(header: str, tmp_path: Path) -> None:
    source = tmp_path / "old.cpp"
    source.write_text(f"#include <{header}>\n", encoding="utf-8")
    command = [*cpp_command(), "-std=c++17", "-c", str(source), "-o", str(tmp_path / "old.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr.count("error:") == 1
    assert '"Nexus needs C++20; compile with -std=c++20' in done.stderr


def run(program: Path, build_library: Callable[[Path], Path]) -> str:
    """Runs a program that has to succeed; returns what it prints."""
    kernels = build_library(HERE.parent / "api" / "kernels.c")
    done = subprocess.run([program, kernels], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def test_what_the_api_promises(programs: Path, build_library: Callable[[Path], Path]) -> None:
    run(programs / "api", build_library)


def test_each_name_of_the_original(programs: Path, build_library: Callable[[Path], Path]) -> None:
    checked = run(programs / "compat", build_library).split()
    assert sorted(checked) == sorted(cpp_names())
