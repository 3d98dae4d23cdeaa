# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the C-API and of the kit for plug-ins."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from compilers import INCLUDE, WARNINGS, compiler, run


@pytest.fixture(scope="session")
def cc() -> list[str]:
    return compiler("CC", ["gcc", "clang", "cc"])


@pytest.fixture(scope="session")
def cxx() -> list[str]:
    return compiler("CXX", ["g++", "clang++", "c++"])


@pytest.fixture(scope="session")
def build(cxx: list[str], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """build(source, *flags): a C++ program with our warnings as errors, or a library with -shared.

    CXXFLAGS of the environment come last, for sanitizers.
    """
    folder = tmp_path_factory.mktemp("abi")
    flags = ["-std=c++20", "-g", "-O1", f"-I{INCLUDE}", *WARNINGS, "-pthread"]
    count = 0

    def compile_one(source: Path, *more: str) -> Path:
        nonlocal count
        count += 1
        target = folder / f"{source.stem}-{count}"
        extra = [*more, *shlex.split(os.environ.get("CXXFLAGS", ""))]
        run([*cxx, *flags, str(source), "-o", str(target), *extra, "-ldl"])
        return target

    return compile_one


@pytest.fixture
def bare_include(tmp_path: Path) -> Path:
    """The headers with NXS_HIDDEN doing nothing."""
    include = tmp_path / "bare"
    shutil.copytree(INCLUDE, include)
    header = include / "nexus-api/nxs.h"
    hidden = '#define NXS_HIDDEN __attribute__((visibility("hidden")))'
    text = header.read_text("utf-8")
    assert hidden in text
    header.write_text(text.replace(hidden, "#define NXS_HIDDEN"), "utf-8")
    return include
