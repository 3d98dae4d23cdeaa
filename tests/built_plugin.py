# SPDX-License-Identifier: Apache-2.0
"""Plug-ins of the tests, built from C++ files."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import nexus


def cpp_command() -> list[str]:
    """The C++ compiler with the options of a plug-in's author."""
    named = shlex.split(os.environ.get("CXX", ""))
    found = next((each for each in ("g++", "clang++", "c++") if shutil.which(each)), None)
    if not named and found is None:
        pytest.skip("needs a C++ compiler: install g++ or clang++, or name one in CXX")
    options = ["-std=c++20", "-O0", "-fPIC", "-fvisibility=hidden", "-pthread"]
    options += [f"-I{nexus.get_include()}", *shlex.split(os.environ.get("CXXFLAGS", ""))]
    return [*(named or [str(found)]), *options]


def build_plugin(name: str, source: Path, folder: Path, *defines: str) -> Path:
    """Builds a plug-in in a folder with its manifest, whose path it returns.

    The source is a file, or a folder whose C++ files are taken. Macros are defined as the
    compiler's option -D says: `WORDS="two"`.
    """
    library = folder / f"libnexus_{name}.so"
    macros = [f"-D{define}" for define in defines]
    sources = sorted(source.glob("*.cpp")) if source.is_dir() else [source]
    subprocess.run([*cpp_command(), "-shared", *macros, *sources, "-o", library], check=True)
    manifest = folder / "nxs_plugin.json"
    fields = {
        "manifest_version": 1, "name": name, "library": str(library), "version": "0.1.0",
        "abi": {"min": "1.0", "max": "1.0"},
    }  # fmt: skip
    manifest.write_text(json.dumps(fields))
    return manifest
