# SPDX-License-Identifier: Apache-2.0
"""Plug-ins of the tests, built from one C++ file."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import nexus


def build_plugin(name: str, source: Path, folder: Path, *defines: str) -> Path:
    """Builds a plug-in in a folder with its manifest, whose path it returns.

    Macros are defined as the compiler's option -D says: `WORDS="two"`.
    """
    named = shlex.split(os.environ.get("CXX", ""))
    found = next((each for each in ("g++", "clang++", "c++") if shutil.which(each)), None)
    if not named and found is None:
        pytest.skip("needs a C++ compiler: install g++ or clang++, or name one in CXX")
    library = folder / f"libnexus_{name}.so"
    options = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread"]
    options += [f"-D{define}" for define in defines]
    options += [f"-I{nexus.get_include()}", *shlex.split(os.environ.get("CXXFLAGS", ""))]
    subprocess.run([*(named or [str(found)]), *options, source, "-o", library], check=True)
    manifest = folder / "nxs_plugin.json"
    fields = {
        "manifest_version": 1,
        "name": name,
        "library": str(library),
        "version": "0.1.0",
        "abi": {"min": "0.1", "max": "0.1"},
    }
    manifest.write_text(json.dumps(fields))
    return manifest
