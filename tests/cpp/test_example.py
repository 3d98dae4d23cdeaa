# SPDX-License-Identifier: Apache-2.0
"""The C++ examples, built with find_package(nexus) by each compiler that there is, and run."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import nexus

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "cpp"


def compiler(name: str) -> str:
    """The command of a C++ compiler; skips the test where it is not there."""
    if name == "zig c++":
        package = importlib.util.find_spec("ziglang")
        if package is None or not package.submodule_search_locations:
            pytest.skip("zig c++ comes with: pip install ziglang")
        return str(Path(package.submodule_search_locations[0], "zig"))
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not on the PATH: install it with the system's packages")
    return path


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


LONG = pytest.param("zig c++", marks=pytest.mark.long)  # compiles its standard library first


@pytest.fixture(scope="module", params=["g++", "clang++", LONG])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example scale, beside the others; built with warnings as errors."""
    folder = tmp_path_factory.mktemp("example")
    if shutil.which("cmake") is None:
        pytest.skip("CMake is not on the PATH: pip install cmake")
    path = compiler(request.param)
    # CMake wants one program; zig is a family of them.
    wrapper = folder / "compiler"
    arguments = "c++ " if request.param == "zig c++" else ""
    wrapper.write_text(f'#!/bin/sh\nexec "{path}" {arguments}"$@"\n')
    wrapper.chmod(0o755)
    configured = run(
        "cmake", "-S", EXAMPLE, "-B", folder / "build",
        f"-DCMAKE_CXX_COMPILER={wrapper}",
        f"-DCMAKE_PREFIX_PATH={nexus.get_cmake_dir()}",
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror",
    )  # fmt: skip
    assert configured.returncode == 0, configured.stderr
    built = run("cmake", "--build", folder / "build")
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "build" / "scale"


def test_it_finds_the_cpu_runs_a_kernel_and_catches_our_exception(
    program: Path, build_library: Callable[[Path], Path]
) -> None:
    kernels = build_library(EXAMPLE / "scale_kernel.c")
    done = run(program, kernels)
    assert done.returncode == 0, done.stderr
    device, wrong, caught = done.stdout.splitlines()
    assert device.startswith("cpu:0: ")
    assert wrong == "wrong elements: 0"
    assert caught.startswith("caught: ")
    assert "warp" in caught


def test_its_own_errors_end_it_with_a_sentence(program: Path, tmp_path: Path) -> None:
    done = run(program, tmp_path / "nowhere.so")
    assert done.returncode == 1
    assert "nowhere.so" in done.stderr


def test_it_compiles_a_kernel_and_finds_it_on_disk_the_next_time(
    program: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    for _ in range(2):
        done = run(program.parent / "saxpy", "cpu", NEXUS_CACHE_DIR=str(cache), NEXUS_CACHE="1")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("2 * 1 + 1 on ")
        assert done.stdout.endswith(", wrong elements: 0\n")
        assert len(list(cache.glob("*.nxc"))) == 1
