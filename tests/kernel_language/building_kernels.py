# SPDX-License-Identifier: Apache-2.0
"""The compilers that kernels are tried with, and what builds a library with one."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import nexus

Array = np.ndarray[Any, Any]
Launch = Callable[..., None]  # as the fixture launch
HERE = Path(__file__).parent
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
STANDARDS = {"c": ("c11", "gnu11"), "c++": ("c++17", "c++20")}


@dataclass(frozen=True)
class Compiler:
    """A compiler for one language: "c" or "c++"."""

    name: str
    command: tuple[str, ...]
    language: str

    @property
    def id(self) -> str:
        return f"{self.name}-{self.language}"

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs it with the header's folder and returns what it said."""
        command = [*self.command, "-x", self.language, f"-I{nexus.get_include()}", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def check(self, text: str, folder: Path, *options: str) -> str:
        """Returns the compiler's messages on a text in the file user.c, without compiling it."""
        (folder / "user.c").write_text(text)
        return self.run(*options, "-fsyntax-only", folder / "user.c").stderr

    def build(self, output: Path, *sources: Path) -> Path:
        """A library of the sources, optimised for this machine. No warning is let through."""
        options = ["-O3", "-fPIC", "-fno-math-errno", "-fno-trapping-math", *WARNINGS]
        options.append(f"-std={STANDARDS[self.language][0]}")
        if platform.machine().lower() in ("x86_64", "amd64"):
            options.append("-march=native")
        objects = [output.with_name(f"{output.stem}-{source.stem}.o") for source in sources]
        for source, unit in zip(sources, objects, strict=True):
            done = self.run(*options, "-c", source, "-o", unit)
            assert done.returncode == 0, done.stderr
        link = [*self.command, "-shared", *map(str, objects), "-o", str(output)]
        subprocess.run(link, check=True)
        return output


def _zig() -> str | None:
    """zig on the PATH, else that of the installed ziglang package."""
    found = shutil.which("zig")
    spec = None if found else importlib.util.find_spec("ziglang")
    folders = (spec.submodule_search_locations or ()) if spec else ()
    return found or next((str(p) for f in folders if (p := Path(f, "zig")).exists()), None)


def compilers() -> list[Compiler]:
    """gcc, clang and zig's clang, those that are installed, each for C and for C++.

    Under a sanitizer what CC names, for C: it instruments the kernels.
    """
    if os.environ.get("NEXUS_SANITIZE"):
        return [Compiler("CC", tuple(shlex.split(os.environ["CC"])), "c")]
    found = [(name, (path,)) for name in ("gcc", "clang") if (path := shutil.which(name))]
    zig = _zig()
    commands = [*found, ("zig", (zig, "cc"))] if zig else found
    return [Compiler(name, command, lang) for name, command in commands for lang in STANDARDS]
