# SPDX-License-Identifier: Apache-2.0
"""The kernels that every dialect of the kernel language is proved with, and what they mean.

The files of `kernels/` use every construct, function and operation of the language, and make one
program. Each kernel of the gallery in `examples/kernels/` is a program of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INCLUDE = ROOT / "packages/nexus-core/include"
GALLERY = sorted((ROOT / "examples/kernels").glob("*.c"))


@dataclass(frozen=True)
class Program:
    """A source that a compiler is given as it is; its first line includes the header."""

    name: str
    text: str

    def __str__(self) -> str:
        return self.name


def program(name: str, *files: Path) -> Program:
    """The files one after another, with lines that errors can name."""
    parts = [f'#line 1 "{file.name}"\n{file.read_text("utf-8")}' for file in files]
    return Program(name, "\n".join(["#include <nexus_kernel.h>", *parts]))


def snippet(text: str) -> Program:
    """A program of a test's own."""
    return Program("snippet", f"#include <nexus_kernel.h>\n{text}\n")


def with_arguments(count: int) -> Program:
    """A kernel with so many int arguments, which adds them up."""
    parameters = "".join(f", (int, p{i})" for i in range(count - 1))
    total = " + ".join(f"p{i}" for i in range(count - 1))
    return snippet(
        f"NEXUS_KERNEL(add, (NEXUS_GLOBAL int *, out){parameters}) {{ out[0] = {total}; }}"
    )


CORPUS = program("corpus", *sorted((HERE / "kernels").glob("*.c")))
PROGRAMS = [CORPUS, *(program(file.stem, file) for file in GALLERY)]

# Every one is against the rules of the language: what is wrong, the text, and the name by which a
# compiler that refuses it says why.
REFUSED = [
    ("a barrier in a bounded kernel",
     "NEXUS_KERNEL_BOUNDED(k, (n), (int, n)) { nexus_barrier(); }",
     "nexus_barrier() works only in NEXUS_KERNEL"),
    ("a barrier in a phased kernel",
     "NEXUS_PHASED_KERNEL(k, (8), (int, n)) { NEXUS_PHASE { nexus_barrier(); } }",
     "nexus_barrier() works only in NEXUS_KERNEL"),
    ("a work item outside of phases",
     "NEXUS_PHASED_KERNEL(k, (8), (NEXUS_GLOBAL int *, x)) { x[nexus_local_id(0)] = 1; }",
     "nxk_item"),
    ("a private value without NEXUS_MINE",
     "NEXUS_PHASED_KERNEL(k, (8), (int, n)) { NEXUS_PRIVATE(int, a); NEXUS_STEP { a = n; } }",
     "a"),
    ("an id in a function",
     "NEXUS_FUNCTION int f(int x) { return x + nexus_global_id(0); }\nNEXUS_KERNEL(k) {}",
     "nxk_item"),
    ("a write to constant memory",
     "NEXUS_KERNEL(k, (NEXUS_CONSTANT float *, table)) { table[0] = 1.0f; }", ""),
    ("a group of more than 1024 items",
     "NEXUS_PHASED_KERNEL(k, (64, 32), (int, n)) { NEXUS_PHASE {} }", "more than 1024 items"),
    ("65 arguments", with_arguments(65).text, "more than 64 arguments"),
    ("a kernel that is named like a keyword", "NEXUS_KERNEL(private, (int, n)) {}", "keyword"),
]  # fmt: skip
