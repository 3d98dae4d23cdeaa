# SPDX-License-Identifier: Apache-2.0
"""Builds the kernel libraries and C++ programs of the CPU backend's tests."""

from __future__ import annotations

import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from building import C_API, KERNELS, compiler
from compiling import Workshop
from machine_trees import build_machine_tool


@pytest.fixture(scope="session")
def package() -> Path:
    """Returns the plug-in's folder: that of NEXUS_CPU_PLUGIN, else of the installed package."""
    named = os.environ.get("NEXUS_CPU_PLUGIN")
    if named:
        return Path(named).parent
    spec = find_spec("nexus_cpu")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if list(Path(folder).glob("libnexus_cpu.*")):
            return Path(folder)
    pytest.skip("needs the plug-in: install nexus-cpu, or name the library in NEXUS_CPU_PLUGIN")


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the libraries of tests/kernels."""
    folder = tmp_path_factory.mktemp("kernels")
    flags = ["-O3", "-fPIC", "-shared", "-fno-math-errno", "-fno-trapping-math"]
    flags += ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", f"-I{C_API}"]
    undefined = ["-Wl,-undefined,dynamic_lookup"] if os.uname().sysname == "Darwin" else []
    as_c = [*compiler("CC", "cc", "gcc", "clang"), "-std=c11", *flags, "-Wconversion", *undefined]
    for source in sorted(KERNELS.glob("*.c")):
        subprocess.run([*as_c, source, "-o", folder / f"{source.stem}.so"], check=True)
    return folder


@pytest.fixture(scope="session")
def environment(package: Path, kernels: Path) -> dict[str, str]:
    """Returns the programs' environment: the libraries, and threads enough to block some."""
    (plugin,) = package.glob("libnexus_cpu.*")
    return {
        **os.environ, "NEXUS_CPU_PLUGIN": str(plugin),
        "NEXUS_CPU_KERNELS": str(kernels), "NEXUS_CPU_THREADS": "4",
    }  # fmt: skip


@pytest.fixture(scope="session")
def compile_tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds compile_tool.cpp."""
    program = tmp_path_factory.mktemp("compile_tool") / "compile_tool"
    command = [*compiler("CXX", "g++", "clang++", "c++"), "-std=c++20", f"-I{C_API}"]
    source = Path(__file__).parent / "compile_tool.cpp"
    subprocess.run([*command, source, "-o", program, "-pthread", "-ldl"], check=True)
    return program


@pytest.fixture(scope="session")
def machine_tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds machine_tool.cpp."""
    return build_machine_tool(tmp_path_factory.mktemp("machine_tool"))


@pytest.fixture
def workshop(compile_tool: Path, package: Path, tmp_path: Path) -> Workshop:
    """Returns a Workshop in which a test compiles programs."""
    (plugin,) = package.glob("libnexus_cpu.*")
    folder = tmp_path / "workshop"
    folder.mkdir()
    return Workshop(compile_tool, plugin, folder)
