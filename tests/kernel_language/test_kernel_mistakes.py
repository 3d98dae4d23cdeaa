# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a kernel are refused at compile time, in words, at the line of the mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from building_kernels import HERE, STANDARDS, WARNINGS, Compiler

MISTAKES = {
    # what the compiler's text must hold, the line of user.c that it names, and the program
    "65 arguments": (
        "'many' has more than 64 arguments", 2,
        f"\nNEXUS_KERNEL(many, {', '.join(f'(int, a{i})' for i in range(65))}) {{}}\n"),
    "200 arguments": (
        "'many' has more than 64 arguments", 2,
        f"\nNEXUS_KERNEL(many, {', '.join(f'(int, a{i})' for i in range(200))}) {{}}\n"),
    "a struct": (
        "'p' is of type 'struct pair', which a kernel can't take", 2,
        "struct pair { int a, b; };\nNEXUS_KERNEL(f, (struct pair, p)) {}\n"),
    "a pointer to a pointer": (
        "'p' is of type 'float **', which a kernel can't take", 2,
        "\nNEXUS_KERNEL(f, (NEXUS_GLOBAL float **, p)) {}\n"),
    "a pointer without its memory": (
        "'p' is of type 'char *', which does not say whose memory it points to", 2,
        "\nNEXUS_KERNEL(f, (NEXUS_GLOBAL char *, a), (char *, p)) {}\n"),
    "a long double": ("which a kernel can't take", 2, "\nNEXUS_KERNEL(f, (long double, x)) {}\n"),
    "no parentheses": (
        "a parameter of the kernel 'f' is neither (type, name) nor (NEXUS_LOCAL type, name, count)",
        2,
        "\nNEXUS_KERNEL(f, (int, a), int b) {}\n",
    ),
    "two kernels of a name": (
        "one_kernel_is_named_f", 3,
        "\nNEXUS_KERNEL(f, (int, a)) {}\nNEXUS_KERNEL(f, (float, b)) {}\n"),
    "no name": ("a kernel has no name", 2, "\nNEXUS_KERNEL(, (int, a)) {}\n"),
    "a name that begins with a digit": ("error", 2, "\nNEXUS_KERNEL(2nd, (int, a)) {}\n"),
    "a keyword of C": ("'for' is a keyword", 2, "\nNEXUS_KERNEL(for, (int, a)) {}\n"),
    "a keyword of C++": ("'new' is a keyword", 2, "\nNEXUS_KERNEL(new, (int, a)) {}\n"),
    "a keyword of OpenCL C": ("'global' is a keyword", 2, "\nNEXUS_KERNEL(global) {}\n"),
    "a group size of 0": (
        "group size (16, 0, 1) of the kernel 'f' must be positive", 2,
        "\nNEXUS_PHASED_KERNEL(f, (16, 0, 1), (int, a)) {}\n"),
    "a negative group size": (
        "group size (-4, 1, 1) of the kernel 'f' must be positive", 2,
        "\nNEXUS_PHASED_KERNEL(f, (-4, 1, 1), (int, a)) {}\n"),
    "a group of 2048": (
        "group size (64, 32, 1) of the kernel 'f' is more than 1024 items", 2,
        "\nNEXUS_PHASED_KERNEL(f, (64, 32, 1), (int, a)) {}\n"),
    "arrays beyond the limit": (
        "the kernel 'f' declares in local memory have more than 32768 bytes", 2,
        "\nNEXUS_KERNEL(f, (NEXUS_LOCAL float, a, 8000), (NEXUS_LOCAL float, b, 200)) {}\n"),
    "an array without elements": (
        "the array 'a' has 0 elements", 2, "\nNEXUS_KERNEL(f, (NEXUS_LOCAL float, a, 0)) {}\n"),
    "an array that is not local": (
        "the array 'a' is of type 'float'; a kernel can declare only local memory", 2,
        "\nNEXUS_KERNEL(f, (float, a, 10)) {}\n"),
    "an array of structs": (
        "the array 'a' has elements of type 'struct pair'", 2,
        "struct pair { int a, b; };\nNEXUS_KERNEL(f, (NEXUS_LOCAL struct pair, a, 10)) {}\n"),
    "a barrier in a bounded kernel": (
        "nexus_barrier() works only in NEXUS_KERNEL", 3,
        "\nNEXUS_KERNEL_BOUNDED(f, (n), (int, n)) {\n  nexus_barrier();\n}\n"),
    "a barrier in a phased kernel": (
        "nexus_barrier() works only in NEXUS_KERNEL", 3,
        "\nNEXUS_PHASED_KERNEL(f, (8), (int, n)) {\n  NEXUS_PHASE { nexus_barrier(); }\n}\n"),
    "a barrier in a function": (
        "nxk_group_of_kernel", 2, "\nNEXUS_FUNCTION void f(void) { nexus_barrier(); }\n"),
    "an item outside of a phase": (
        "nxk_item_in_kernel_or_phase",
        3,
        "\nNEXUS_PHASED_KERNEL(f, (8), (NEXUS_GLOBAL int *, x)) {\n  *x = nexus_global_id(0);\n}\n",
    ),
    "a phase in a plain kernel": (
        "nxk_shape_of_phased_kernel", 3,
        "\nNEXUS_KERNEL(f, (NEXUS_GLOBAL int *, x)) {\n  NEXUS_PHASE { x[0] = 1; }\n}\n"),
    "a private value without NEXUS_MINE": (
        "'sum'",
        4,
        "\nNEXUS_PHASED_KERNEL(f, (8), (NEXUS_GLOBAL int *, x)) {\n  NEXUS_PRIVATE(int, sum);\n"
        "  NEXUS_STEP { sum = x[0]; }\n}\n",
    ),
    "an atomic of a type that has none": (
        "nexus_atomic_add", 3,
        "\nNEXUS_KERNEL(f, (NEXUS_GLOBAL double *, x)) {\n  nexus_atomic_add(x, 1.0);\n}\n"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused(compiler: Compiler, tmp_path: Path, mistake: str) -> None:
    words, line, text = MISTAKES[mistake]
    said = compiler.check("#include <nexus_kernel.h>\n#line 1\n" + text, tmp_path)
    said = said.replace("\\'", "'").replace("\u2018", "'").replace("\u2019", "'")
    errors = [piece for piece in said.splitlines() if "error:" in piece]
    assert errors, f"not refused:\n{said}"
    assert words in said
    assert f"user.c:{line}:" in said


@pytest.mark.parametrize("source", sorted(HERE.glob("*.c")), ids=lambda path: path.stem)
def test_no_standard_makes_a_compiler_warn(
    compiler: Compiler, source: Path, tmp_path: Path
) -> None:
    for standard in STANDARDS[compiler.language]:
        done = compiler.run(f"-std={standard}", *WARNINGS, "-c", source, "-o", tmp_path / "unit.o")
        assert (done.returncode, done.stderr) == (0, "")
