# SPDX-License-Identifier: Apache-2.0
"""The compilers that these tests use, and what they build with them."""

from __future__ import annotations

import importlib.util
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HEADERS = ROOT / "packages" / "nexus-core" / "include"
# The CPU backend's flags: without them, gcc and clang vectorise less.
KERNEL_FLAGS = ("-fno-math-errno", "-fno-trapping-math", f"-I{HEADERS}")
NATIVE = "-march=native" if platform.machine() in ("x86_64", "AMD64") else "-mcpu=native"
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wdouble-promotion")


def c_compiler(name: str) -> list[str]:
    """The command for gcc, clang or zig; the test is left out where it isn't installed."""
    if name == "zig":
        spec = importlib.util.find_spec("ziglang")
        if spec is None or spec.origin is None:
            pytest.skip("needs the package ziglang")
        return [str(Path(spec.origin).parent / "zig"), "cc", "-fno-sanitize=all"]
    if shutil.which(name) is None:
        pytest.skip(f"needs {name}")
    return [name]


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program that must succeed."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done


@dataclass(frozen=True)
class Measured:
    """The largest error of a function in one form, and the line that tells where."""

    function: str
    form: str
    error: float
    line: str


def measure(compiler: list[str], flags: list[str], folder: Path) -> list[Measured]:
    """Builds the functions with these flags and measures them against the C library in double."""
    objects = []
    for prefix, form_flags in (("precise_", []), ("fast_", ["-ffast-math"])):
        objects.append(folder / f"{prefix}.o")
        options = [*KERNEL_FLAGS, *flags, *form_flags, f"-DPREFIX={prefix}", "-std=gnu11"]
        run(*compiler, *options, "-c", HERE / "functions.c", "-o", objects[-1])
    # The peer's code is built by the same compiler with no flag that changes arithmetic.
    for name in ("accuracy", "approximate"):
        objects.append(folder / f"{name}.o")
        run(*compiler, "-O2", "-std=gnu11", "-c", HERE / f"{name}.c", "-o", objects[-1])
    # Linked without -ffast-math, which would turn denormals off in the whole program.
    sanitize = [flag for flag in flags if flag.startswith("-fsanitize")]
    run(*compiler, *sanitize, *objects, "-lm", "-o", folder / "accuracy")
    told = run(folder / "accuracy", "quick")
    assert told.stderr == ""
    lines = [line.split(maxsplit=3) for line in told.stdout.splitlines()]
    return [Measured(name, form, float(error), rest) for name, form, error, rest in lines]


def stated_limits() -> dict[tuple[str, str], float]:
    """The limits in ulp that docs/kernels/accuracy.md states, by function and form."""
    limits: dict[tuple[str, str], float] = {}
    text = (ROOT / "docs" / "kernels" / "accuracy.md").read_text(encoding="utf-8")
    for names, precise, fast in re.findall(
        r"^\| (`[^|]*`) \| ([\d.]+) \| ([\d.]+) \|", text, re.MULTILINE
    ):
        for name in re.findall(r"`(\w+)`", names):
            limits[name, "precise"] = float(precise)
            limits[name, "fast"] = float(fast)
    return limits


def functions(arguments: str) -> list[str]:
    """The names in one of the lists of functions.h: UNARY, BINARY or TERNARY."""
    text = (HERE / "functions.h").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(rf"#define {arguments}_FUNCTIONS\(F\)(.*)", text)
    assert found is not None
    return re.findall(r"F\((\w+)\)", found[1])
