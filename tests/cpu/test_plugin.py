# SPDX-License-Identifier: Apache-2.0
"""Tests the CPU backend through the C-API, with the C++ programs in this folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from building import C_API, compiler

FOLDER = Path(__file__).parent
PROGRAMS = sorted(path.stem for path in FOLDER.glob("test_*.cpp"))
TOO_MANY_FIBERS = pytest.mark.unsanitized(
    "has more fibers than the 8 128 threads that ThreadSanitizer takes", by="thread"
)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=TOO_MANY_FIBERS if name == "test_barriers" else ())
        for name in PROGRAMS
    ],
)
def test_every_check_of_the_program_holds(
    name: str, environment: dict[str, str], tmp_path: Path
) -> None:
    program = tmp_path / name
    command = [*compiler("CXX", "g++", "clang++", "c++"), "-std=c++20", "-O1", f"-I{C_API}"]
    subprocess.run(
        [*command, FOLDER / f"{name}.cpp", "-o", program, "-pthread", "-ldl"], check=True
    )
    run = subprocess.run(
        [program], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_only_the_query_function_is_visible(environment: dict[str, str]) -> None:
    listed = subprocess.run(
        ["nm", "--dynamic", "--defined-only", environment["NEXUS_CPU_PLUGIN"]],
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split()[-1].lstrip("_") for line in listed.stdout.splitlines()] == [
        "nxsQueryPlugin"
    ]
