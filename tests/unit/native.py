# SPDX-License-Identifier: Apache-2.0
"""Compiling small plug-ins and tools for the unit tests."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "packages" / "nexus-core" / "include"
SOURCE = ROOT / "packages" / "nexus-core" / "src"
BAD_PLUGINS = ROOT / "tests" / "plugins" / "bad"

MakePlugin = Callable[..., Path]
"""The fixture build_plugin: a source in BAD_PLUGINS and options, to a library."""

Install = Callable[..., Path]
"""The fixture install: a name, a source in BAD_PLUGINS with options or a library, to a manifest."""


def libnexus() -> Path:
    """The library to test: NEXUS_LIBRARY, else that of the installed package."""
    named = os.environ.get("NEXUS_LIBRARY")
    if named:
        return Path(named)
    spec = find_spec("nexus")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for library in Path(folder, "lib").glob("libnexus.*"):
            return library
    pytest.skip("needs libnexus: install nexus-core, or name the library in NEXUS_LIBRARY")


def compiler(variable: str, names: Sequence[str]) -> list[str]:
    """The command that the environment variable holds, else the first program found."""
    if os.environ.get(variable):
        return shlex.split(os.environ[variable])
    for name in names:
        if shutil.which(name):
            return [name]
    pytest.skip(f"needs a compiler: install one of {', '.join(names)}, or name one in {variable}")


def compile_plugin(source: str, library: Path, *options: str) -> Path:
    """Builds tests/plugins/bad/<source> as a shared library, with a plug-in author's defaults."""
    command = compiler("CC", ["gcc", "clang", "cc"])
    command += ["-std=c11", "-shared", "-fPIC", f"-I{INCLUDE}", *options]
    subprocess.run([*command, str(BAD_PLUGINS / source), "-o", str(library)], check=True)
    return library


def compile_tool(program: Path, sources: Sequence[Path]) -> Path:
    """Builds a C++ program of libnexus' own sources."""
    command = compiler("CXX", ["g++", "clang++", "c++"])
    command += ["-std=c++20", "-O1", f"-I{INCLUDE}", f"-I{SOURCE}", "-pthread"]
    subprocess.run([*command, *map(str, sources), "-o", str(program)], check=True)
    return program


def write_manifest(folder: Path, name: str, library: str | Path, /, **changes: object) -> Path:
    """Writes a good manifest in a folder of its own, with changes; None leaves a field out."""
    fields: dict[str, object] = {
        "manifest_version": 1, "name": name, "library": str(library), "version": "1.2.3",
        "abi": {"min": "1.0", "max": "1.0"},
    } | changes  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "nxs_plugin.json"
    path.write_text(json.dumps({k: v for k, v in fields.items() if v is not None}))
    return path
