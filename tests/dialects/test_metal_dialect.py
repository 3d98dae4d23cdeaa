# SPDX-License-Identifier: Apache-2.0
"""The kernel language as Metal.

Proves syntax only, and that as compilers of C++ see it: Apple's compiler runs on Apple's systems.
`metal_stub/metal_stdlib` stands in for Metal's library. gcc and clang read each kernel as C++14;
clang reads it as C++ for OpenCL too, whose address spaces are those of Metal under other names, so
that a pointer which lacks one or has the wrong one is an error. What Metal lacks and the header
computes itself (erf, erfc, hypot) is computed on the CPU and compared.
"""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from corpus import CORPUS, HERE, INCLUDE, PROGRAMS, REFUSED, Program, snippet
from metal_double import metal_text

FLAGS = [
    "-D__METAL_VERSION__=240", f"-I{HERE / 'metal_stub'}", f"-I{INCLUDE}", "-Wall", "-Wextra",
    "-Werror", "-Wno-attributes", "-Wno-unknown-attributes",
]  # fmt: skip
CLANGS = ["clang++", *(f"clang++-{version}" for version in range(30, 13, -1))]
READERS = ["g++", "clang++", "address spaces"]


def command(reader: str) -> list[str]:
    """The compiler's command that checks a file, or a skip that says what is missing."""
    names = ["g++"] if reader == "g++" else CLANGS
    compiler = next((name for name in names if shutil.which(name)), None)
    if compiler is None:
        pytest.skip(f"not checked: apt-get install {'g++' if reader == 'g++' else 'clang'}")
    if reader == "address spaces":
        return [compiler, "-x", "clcpp", "-cl-std=clc++", "-target", "spir64", *FLAGS]
    return [compiler, "-x", "c++", "-std=c++14", *FLAGS, "-Wno-unknown-warning-option"]


def check(reader: str, program: Program, folder: Path) -> str:
    """All that a compiler says of a program: nothing if it is right."""
    source = folder / "kernel.metal"
    source.write_text(program.text, "utf-8")
    done = subprocess.run(
        [*command(reader), "-fsyntax-only", str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode == 0) == (done.stderr == ""), done.stderr
    return done.stderr


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
@pytest.mark.parametrize("reader", READERS)
def test_the_syntax_of_every_construct_is_right(
    reader: str, program: Program, tmp_path: Path
) -> None:
    assert check(reader, program, tmp_path) == ""


@pytest.mark.parametrize(("what", "text", "says"), REFUSED, ids=lambda value: str(value)[:40])
def test_metal_refuses(what: str, text: str, says: str, tmp_path: Path) -> None:
    assert says in check("address spaces", snippet(text), tmp_path), what


@pytest.mark.parametrize(
    ("what", "text"),
    [
        (
            "a pointer to local memory where one to global memory is asked for",
            "NEXUS_FUNCTION float f(NEXUS_GLOBAL float *x) { return x[0]; }\n"
            "NEXUS_KERNEL(k, (NEXUS_LOCAL float *, x)) { x[0] = f(x); }",
        ),
        (
            "a pointer to a variable where one to local memory is asked for",
            "NEXUS_FUNCTION float f(NEXUS_LOCAL float *x) { return x[0]; }\n"
            "NEXUS_KERNEL(k, (NEXUS_GLOBAL float *, x)) { float y = 1.0f; x[0] = f(&y); }",
        ),
    ],
)
def test_address_spaces_are_not_mixed_up(what: str, text: str, tmp_path: Path) -> None:
    assert "error" in check("address spaces", snippet(text), tmp_path), what


def test_each_argument_has_its_place() -> None:
    text = metal_text(CORPUS)

    def places(kernel: str) -> list[tuple[str, str]]:
        (entry,) = re.findall(rf"kernel void {kernel}\(([^{{]*)\) \{{", text)
        return re.findall(r"(\w+) \[\[((?:buffer|threadgroup)\(\d+\))\]\]", entry)

    assert places("saxpy") == [
        ("x", "buffer(0)"), ("y", "buffer(1)"), ("a", "buffer(2)"), ("n", "buffer(3)"),
        ("nxk_asked", "buffer(4)"),
    ]  # fmt: skip
    assert places("two_locals") == [
        ("first", "threadgroup(0)"), ("out", "buffer(0)"), ("second", "threadgroup(1)"),
        ("nxk_asked", "buffer(1)"),
    ]  # fmt: skip
    assert places("sum_groups") == [
        ("x", "buffer(0)"), ("sums", "buffer(1)"), ("n", "buffer(2)"), ("nxk_asked", "buffer(3)"),
    ]  # fmt: skip
    assert places("nothing") == [("nxk_asked", "buffer(0)")]


def test_the_thirtieth_buffer_is_the_last(tmp_path: Path) -> None:
    def kernel(count: int) -> Program:
        parameters = ", ".join(f"(int, p{i})" for i in range(count))
        return snippet(f"NEXUS_KERNEL(k, {parameters}) {{ (void)p0; }}")

    assert check("g++", kernel(30), tmp_path) == ""
    text = metal_text(kernel(31))
    assert "[[buffer(more_than_30_buffers_and_scalars_in_metal)]]" in text


PRINTS = """
#include <cstdio>
int main() {
  float x, y;
  while (std::scanf("%f %f", &x, &y) == 2) {
    std::printf("%.9g %.9g %.9g\\n", nexus_erf(x), nexus_erfc(x), nexus_hypot(x, y));
  }
}
"""


def test_functions_of_our_own_are_right(tmp_path: Path) -> None:
    x = np.concatenate(
        [np.linspace(-11, 11, 4001), 10.0 ** np.linspace(-38, 38, 401), [0, np.nan, np.nan]]
    )
    y = np.concatenate([np.linspace(3, -5, 4001), 10.0 ** np.linspace(38, -38, 401), [0, 1, 0]])
    x, y = x.astype(np.float32), y.astype(np.float32)
    compiler = command("g++")
    source, program = tmp_path / "functions.cpp", tmp_path / "functions"
    source.write_text(snippet(PRINTS).text, "utf-8")
    subprocess.run([*compiler, "-O2", str(source), "-o", str(program), "-lm"], check=True)
    lines = "\n".join(f"{a:.9g} {b:.9g}" for a, b in zip(x, y, strict=True))
    done = subprocess.run([str(program)], input=lines, capture_output=True, text=True, check=True)
    found = np.loadtxt(done.stdout.splitlines(), dtype=np.float32)
    wide = x.astype(np.float64), y.astype(np.float64)
    with np.errstate(over="ignore"):
        expected = [
            np.vectorize(math.erf)(wide[0]),
            np.vectorize(math.erfc)(wide[0]),
            np.hypot(*wide),
        ]
        for column, exact, limit in zip(found.T, expected, (2.0, 6.0, 2.0), strict=True):
            nearest = exact.astype(np.float32)
            unit = np.maximum(np.spacing(np.abs(nearest)), 2.0**-149).astype(np.float64)
            finite = np.isfinite(nearest)
            assert np.array_equal(column[~finite], nearest[~finite], equal_nan=True)
            errors = np.abs(column[finite] - exact[finite]) / unit[finite]
            assert errors.max() <= limit, (x[finite][errors.argmax()], y[finite][errors.argmax()])
