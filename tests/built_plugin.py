# SPDX-License-Identifier: Apache-2.0
"""Plug-ins of the tests, built from C++ files."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import nexus

PLUGINS = Path(__file__).parent / "plugins"
COMPILED = Path(__file__).parents[1] / "build" / "test-plugins"


def cpp_command() -> list[str]:
    """The C++ compiler with the options of a plug-in's author."""
    named = shlex.split(os.environ.get("CXX", ""))
    found = next((each for each in ("g++", "clang++", "c++") if shutil.which(each)), None)
    if not named and found is None:
        pytest.skip("needs a C++ compiler: install g++ or clang++, or name one in CXX")
    options = ["-std=c++20", "-O0", "-fPIC", "-fvisibility=hidden", "-pthread"]
    options += [f"-I{nexus.get_include()}", *shlex.split(os.environ.get("CXXFLAGS", ""))]
    return [*(named or [str(found)]), *options]


@cache
def _digest(folder: Path) -> str:
    """A digest of the C and C++ files below a folder."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".c", ".cpp", ".def", ".h", ".hpp"):
            total.update(f"{file.relative_to(folder)}\n".encode() + file.read_bytes())
    return total.hexdigest()


def compile_once(output: Path, *arguments: str | Path) -> None:
    """Compiles files of tests/plugins, unless another process or an earlier run did so.

    A plug-in takes a compiler many seconds, and each process of a run needs several.
    """
    include = Path(nexus.get_include())
    command = [*cpp_command(), *map(str, arguments)]
    parts = [word for word in command if word != f"-I{include}"]
    key = hashlib.sha256("\n".join([*parts, _digest(PLUGINS), _digest(include)]).encode())
    COMPILED.mkdir(parents=True, exist_ok=True)
    made = COMPILED / key.hexdigest()
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            unfinished = made.with_suffix(output.suffix)
            subprocess.run([*command, "-o", unfinished], check=True)
            unfinished.rename(made)
    shutil.copy2(made, output)


def build_plugin(name: str, source: Path, folder: Path, *defines: str) -> Path:
    """Builds a plug-in in a folder with its manifest, whose path it returns.

    The source is a file, or a folder whose C++ files are taken. Macros are defined as the
    compiler's option -D says: `WORDS="two"`.
    """
    library = folder / f"libnexus_{name}.so"
    macros = [f"-D{define}" for define in defines]
    sources = sorted(source.glob("*.cpp")) if source.is_dir() else [source]
    compile_once(library, "-shared", *macros, *sources)
    manifest = folder / "nxs_plugin.json"
    fields = {
        "manifest_version": 1, "name": name, "library": str(library), "version": "0.1.0",
        "abi": {"min": "1.0", "max": "1.0"},
    }  # fmt: skip
    manifest.write_text(json.dumps(fields))
    return manifest
