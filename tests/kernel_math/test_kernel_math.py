# SPDX-License-Identifier: Apache-2.0
"""The CPU's mathematics of the kernel language: errors, special values, integers, warnings."""

from __future__ import annotations

import ctypes
import math
import shutil
import struct
from pathlib import Path

import pytest
from math_builds import (
    HEADERS,
    HERE,
    KERNEL_FLAGS,
    NATIVE,
    STRICT,
    c_compiler,
    functions,
    measure,
    run,
    stated_limits,
)

# Programs of their own, which nothing that is preloaded should watch.
pytestmark = [
    pytest.mark.long,
    pytest.mark.unsanitized("its programs are built and checked on their own"),
]

INTEGERS = [0, 1, 2, 3, 0x80000000, 0xFFFFFFFF, 0x12345678, 0xFFFF, 0x10000, 0x7FFFFFFF]


def check_limits(compiler: list[str], flags: list[str], folder: Path) -> None:
    limits = stated_limits()
    measured = measure(compiler, flags, folder)
    assert {(m.function, m.form) for m in measured} == set(limits)
    above = [m for m in measured if not m.error <= limits[m.function, m.form]]
    assert not above, above


@pytest.mark.parametrize("name", ["gcc", "clang", "zig"])
def test_no_error_is_above_the_limit_that_the_page_states(name: str, tmp_path: Path) -> None:
    """Some 200 000 points a function, and all pairs of special values, against libm in double."""
    check_limits(c_compiler(name), ["-O3", NATIVE], tmp_path)


@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_the_limits_hold_on_the_oldest_processor_and_without_optimising(
    name: str, tmp_path: Path
) -> None:
    check_limits(c_compiler(name), ["-O2" if name == "gcc" else "-O0"], tmp_path)


@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_no_undefined_behaviour_for_any_argument(name: str, tmp_path: Path) -> None:
    flags = ["-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
    compiler = c_compiler(name)
    empty = tmp_path / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    try:
        run(*compiler, *flags, empty, "-o", tmp_path / "empty")
    except AssertionError:
        pytest.skip(f"{name} lacks the library of its undefined behaviour sanitizer")
    check_limits(compiler, ["-O1", *flags], tmp_path)


def test_the_sanitizer_would_see_a_float_that_fits_no_integer(tmp_path: Path) -> None:
    compiler = c_compiler("gcc")
    planted = tmp_path / "planted.c"
    planted.write_text("int main(int n, char **w) { (void)w; return (int)(n * 1e20f) == 1; }\n")
    flags = ["-fsanitize=float-cast-overflow", "-fno-sanitize-recover=all"]
    try:
        run(*compiler, *flags, planted, "-o", tmp_path / "planted")
    except AssertionError:
        pytest.skip("gcc lacks the library of its undefined behaviour sanitizer")
    with pytest.raises(AssertionError, match="outside the range"):
        run(tmp_path / "planted")


@pytest.mark.parametrize(
    ("name", "language", "standard"),
    [
        ("gcc", "c", "c11"),
        ("gcc", "c++", "c++17"),
        ("clang", "c", "c11"),
        ("clang", "c++", "c++17"),
        ("zig", "c", "gnu11"),
    ],
)
@pytest.mark.parametrize("fast", [False, True])
def test_no_compiler_warns(
    name: str, language: str, standard: str, fast: bool, tmp_path: Path
) -> None:
    source = tmp_path / "only.c"
    source.write_text('#include "nexus-kernel/cpu/math.h"\n')
    forms = ["-ffast-math"] if fast else []
    options = ["-x", language, f"-std={standard}", *STRICT, "-Werror", *forms]
    run(*c_compiler(name), *KERNEL_FLAGS, *options, "-c", source, "-o", tmp_path / "only.o")


@pytest.mark.parametrize("name", ["gcc", "clang", "zig"])
@pytest.mark.parametrize("fast", [False, True])
def test_integers_and_classes(name: str, fast: bool, tmp_path: Path) -> None:
    """isnan and isinf look at bits, so they hold under fast mathematics too."""
    forms = ["-ffast-math"] if fast else []
    target = tmp_path / "functions.o"
    built = tmp_path / "functions.so"
    options = ["-O3", NATIVE, "-fPIC", *forms, *KERNEL_FLAGS, "-DPREFIX=p_", "-std=gnu11"]
    run(*c_compiler(name), *options, "-c", HERE / "functions.c", "-o", target)
    run(*c_compiler(name), "-shared", target, "-lm", "-o", built)
    library = ctypes.CDLL(str(built))
    count = len(INTEGERS)
    words = (ctypes.c_uint32 * count)(*INTEGERS)
    result = (ctypes.c_int32 * count)()
    library.p_popcount(words, result, count)
    assert list(result) == [value.bit_count() for value in INTEGERS]
    library.p_clz(words, result, count)
    assert list(result) == [32 - value.bit_length() for value in INTEGERS]

    signed = [struct.unpack("i", struct.pack("I", value))[0] for value in INTEGERS]
    reverse = signed[::-1]
    triples = (ctypes.c_int32 * (3 * count))()
    first, second = (ctypes.c_int32 * count)(*signed), (ctypes.c_int32 * count)(*reverse)
    library.p_integers(first, second, triples, count)
    assert list(triples[0::3]) == [min(pair) for pair in zip(signed, reverse, strict=True)]
    assert list(triples[1::3]) == [max(pair) for pair in zip(signed, reverse, strict=True)]
    lowest = -(2**31)
    assert list(triples[2::3]) == [abs(x) if x != lowest else lowest for x in signed]

    floats = [0.0, -0.0, 1.0, 1e-45, 3.4e38, math.inf, -math.inf, math.nan, -math.nan]
    values = (ctypes.c_float * len(floats))(*floats)
    classes = (ctypes.c_int32 * len(floats))()
    library.p_classes(values, classes, len(floats))
    assert list(classes) == [math.isnan(x) + 2 * math.isinf(x) for x in floats]


def one_loop_a_line(path: Path) -> dict[int, str]:
    """Writes a C file with one loop a line; returns the function of each line."""
    lines = ['#include "nexus-kernel/cpu/math.h"']
    names: dict[int, str] = {}
    for kind, arguments in (("UNARY", "x"), ("BINARY", "xy"), ("TERNARY", "xyz")):
        for name in functions(kind):
            parameters = "".join(f"const float *restrict {a}, " for a in arguments)
            call = f"nexus_{name}({', '.join(f'{a}[i]' for a in arguments)})"
            names[len(lines) + 1] = name
            lines.append(
                f"void loop_{name}({parameters}float *restrict out, int n)"
                f" {{ for (int i = 0; i < n; ++i) out[i] = {call}; }}"
            )
    path.write_text("\n".join(lines) + "\n")
    return names


@pytest.mark.parametrize("target", ["native", "oldest"])
@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("name", ["gcc", "clang", "zig"])
def test_a_loop_around_each_function_vectorises(
    name: str, fast: bool, target: str, tmp_path: Path
) -> None:
    """Returns the compiler's own report on each function's loop.

    The exceptions are on x86-64 without SSE4.1, which has no vectors of 64-bit comparisons.
    """
    source = tmp_path / "loops.c"
    names = one_loop_a_line(source)
    report = ["-fopt-info-vec"] if name == "gcc" else ["-Rpass=loop-vectorize"]
    forms = ["-ffast-math"] if fast else []
    targets = [NATIVE] if target == "native" else []
    if name == "zig" and target == "oldest":
        targets = ["-mcpu=baseline"]
    options = ["-O3", "-std=gnu11", *targets, *forms, *report, *KERNEL_FLAGS]
    told = run(*c_compiler(name), *options, "-c", source, "-o", tmp_path / "loops.o").stderr
    vectorised = {
        function
        for line, function in names.items()
        for text in told.splitlines()
        if f"loops.c:{line}:" in text and "vectorized" in text
    }
    left = set(names.values()) - vectorised
    allowed: set[str] = set()
    if target == "oldest" and name == "gcc":
        allowed = {"fma", "pow"} if fast else {"fma", "sin", "cos", "tan"}
    elif target == "oldest" and name == "zig" and fast:
        allowed = {"pow"}
    assert left <= allowed, told


def test_the_polynomials_are_those_that_the_tool_derives() -> None:
    pytest.importorskip("mpmath", reason="tools/derive_math.py needs mpmath")
    tool = HERE.parents[1] / "tools" / "derive_math.py"
    python = shutil.which("python") or "python3"
    run(python, tool, "--check")
    assert (HEADERS / "nexus-kernel/cpu/math_polynomials.h").is_file()
