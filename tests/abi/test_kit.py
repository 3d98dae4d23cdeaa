# SPDX-License-Identifier: Apache-2.0
"""The C++ tests of the kit for plug-ins and of the reference backend, compiled and run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from compilers import INCLUDE, ROOT, run

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
REFERENCE = ROOT / "tests/plugins/nexus-reference/nexus_reference.cpp"
LIBRARY = ["-fPIC", "-shared"]


def run_tests(program: Path, **paths: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program of tests that finds the plug-ins it opens in the environment."""
    environment = {
        **os.environ,
        **{f"NEXUS_TEST_{name.upper()}": str(paths[name]) for name in paths},
    }
    return subprocess.run(
        [program], capture_output=True, text=True, env=environment, timeout=120, check=False
    )


def assert_passed(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["handle_table", "completion", "query", "values"])
def test_the_kit(name: str, build: Callable[..., Path]) -> None:
    assert_passed(run_tests(build(HERE / f"test_{name}.cpp")))


def test_the_reference_backend(build: Callable[..., Path]) -> None:
    plugin = build(REFERENCE, *LIBRARY, "-fvisibility=hidden")
    assert_passed(run_tests(build(HERE / "test_reference.cpp"), first=plugin))


def test_the_reference_backend_is_one_file_of_at_most_300_lines() -> None:
    assert len(REFERENCE.read_text("utf-8").splitlines()) <= 300


def build_pair(cxx: list[str], include: Path, folder: Path) -> dict[str, Path]:
    """Two plug-ins with default flags: nothing but where the headers are."""
    pair = {"first": folder / "one.so", "second": folder / "two.so"}
    for number, target in enumerate(pair.values(), start=1):
        name = f'-DNAME="{target.stem}"'
        source = str(HERE / "apart_plugin.cpp")
        flags = ["-std=c++20", f"-I{include}", *LIBRARY, "-pthread", name, f"-DNUMBER={number}"]
        run([*cxx, *flags, source, "-o", str(target)])
    return pair


def test_two_plugins_with_default_flags_stay_apart(
    cxx: list[str], build: Callable[..., Path], tmp_path: Path
) -> None:
    program = build(HERE / "test_apart.cpp")
    assert_passed(run_tests(program, **build_pair(cxx, INCLUDE, tmp_path)))


def test_without_hidden_visibility_that_test_fails(
    cxx: list[str], build: Callable[..., Path], tmp_path: Path, bare_include: Path
) -> None:
    program = build(HERE / "test_apart.cpp")
    done = run_tests(program, **build_pair(cxx, bare_include, tmp_path))
    assert done.returncode == 1
    assert "FAILED each_knows_its_own_host" in done.stdout
