#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derives the polynomials of the CPU's mathematics and writes them as C.

    python tools/derive_math.py            # writes nexus-kernel/cpu/math_polynomials.h
    python tools/derive_math.py --errors   # prints the approximation errors as powers of two
    python tools/derive_math.py --check    # fails if the header differs

Each polynomial has the smallest largest weighted error (Chebyshev), found by Remez's exchange in 50
digits. Needs mpmath, which no other part of the repository does.
"""

from __future__ import annotations

import argparse
import struct
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mpmath import mp, mpf  # type: ignore[import-not-found,import-untyped,unused-ignore]

mp.dps = 50
_GRID = 1500  # points on which the extrema of the error are searched
_OUTPUT = (
    Path(__file__).parents[1] / "packages/nexus-core/include/nexus-kernel/cpu/math_polynomials.h"
)
Real = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Polynomial:
    """An approximation of target(x) on low..high, with the error multiplied by weight(x)."""

    name: str
    meaning: str
    double: bool
    degree: int
    low: mpf
    high: mpf
    target: Real
    weight: Real
    exact: int = 0  # the lowest coefficients that are written as a float and its rest


def remez(job: Polynomial) -> tuple[list[mpf], mpf]:
    """Returns the coefficients, lowest power first, and the largest weighted error."""
    count = job.degree + 2
    middle, half = (job.high + job.low) / 2, (job.high - job.low) / 2
    grid = [middle - half * mp.cos(mp.pi * i / _GRID) for i in range(_GRID + 1)]
    values = [job.target(x) for x in grid]
    weights = [job.weight(x) for x in grid]
    chosen = [round(i * _GRID / (count - 1)) for i in range(count)]
    coefficients: list[mpf] = []
    for _ in range(30):
        matrix = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for row, point in enumerate(chosen):
            for power in range(job.degree + 1):
                matrix[row, power] = grid[point] ** power
            matrix[row, count - 1] = (-1) ** row / weights[point]
            right[row] = values[point]
        solution = mp.lu_solve(matrix, right)
        coefficients = list(solution)[:-1]
        errors = [
            (mp.polyval(coefficients[::-1], x) - value) * weight
            for x, value, weight in zip(grid, values, weights, strict=True)
        ]
        extrema = _alternating_extrema(errors, count)
        if extrema == chosen:
            break
        chosen = extrema
    return coefficients, max(abs(error) for error in errors)


def _alternating_extrema(errors: list[mpf], count: int) -> list[int]:
    """Returns the places of the largest error in each run of one sign, `count` of them."""
    runs: list[int] = [0]
    for place, error in enumerate(errors):
        if (error > 0) != (errors[runs[-1]] > 0):
            runs.append(place)
        elif abs(error) > abs(errors[runs[-1]]):
            runs[-1] = place
    while len(runs) > count:
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    if len(runs) < count:
        raise ValueError(f"the error alternates {len(runs)} times, {count} are needed")
    return runs


def _odd_remainder(function: Real) -> Real:
    """For an odd function f(x) = x + x^3 g(x^2): returns g of z."""

    def value(z: mpf) -> mpf:
        x = mp.sqrt(max(z, mpf(10) ** -12))
        return (function(x) - x) / x**3

    return value


def _odd_weight(function: Real) -> Real:
    """Returns the weight that makes the error of g the relative error of f."""

    def value(z: mpf) -> mpf:
        x = mp.sqrt(max(z, mpf(10) ** -12))
        return x**3 / function(x)

    return value


def _odd(name: str, function: Real, high: mpf, degree: int, *, double: bool) -> Polynomial:
    meaning = f"{name.split('_')[0]}(x) = x + x^3 P(x^2)"
    remainder, weight = _odd_remainder(function), _odd_weight(function)
    return Polynomial(name, meaning, double, degree, mpf(0), high**2, remainder, weight)


def _exp_tail(r: mpf) -> mpf:
    r = r if abs(r) > mpf(10) ** -9 else mpf(10) ** -9
    return (mp.exp(r) - 1 - r) / r**2


def _log_tail(f: mpf) -> mpf:
    f = f if abs(f) > mpf(10) ** -9 else mpf(10) ** -9
    return (mp.log1p(f) - f + f**2 / 2) / f**3


def _log_tail_weight(f: mpf) -> mpf:
    f = f if abs(f) > mpf(10) ** -9 else mpf(10) ** -9
    return abs(f**3 / mp.log1p(f))


def _log_quotient(z: mpf) -> mpf:
    s = mp.sqrt(max(z, mpf(10) ** -12))
    return (2 * mp.atanh(s) - 2 * s) / s**3


def _half_turn_sine(z: mpf) -> mpf:
    f = mp.sqrt(max(z, mpf(10) ** -30))
    return mp.sin(mp.pi / 2 * f) / f


def _cosine_tail(z: mpf) -> mpf:
    z = max(z, mpf(10) ** -9)
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def _erf_quotient(z: mpf) -> mpf:
    x = mp.sqrt(max(z, mpf(10) ** -30))
    return mp.erf(x) / x - 1


def _log_erfc(x: mpf) -> mpf:
    return mp.log(mp.erfc(x))


ERF_SPLIT = mpf(15) / 16  # below: the power series; above: 1 - exp(polynomial)
ERF_END = mpf("3.95")  # erf is 1 in float beyond
ERFC_END = mpf("10.1")  # erfc is 0 in float beyond


def _scaled_erfc(t: mpf) -> mpf:
    """Returns exp(x^2) erfc(x), with t = (x - 2) / (x + 2)."""
    x = 2 * (1 + t) / (1 - t)
    return mp.exp(x * x) * mp.erfc(x)


def _third_of_erfc(t: mpf) -> mpf:
    """Returns (x + 3/2) / 3 exp(x^2) erfc(x), with t = (x - 3/2) / (x + 3/2); flat, so precise."""
    x = (1 + t) / (1 - t) * 3 / 2
    return (x + mpf(3) / 2) / 3 * mp.exp(x * x) * mp.erfc(x)


def _flat_erfc(t: mpf) -> mpf:
    """Returns (1 + 2 x) times that: between 1 and 1.3, so that Horner's rule loses little."""
    return _scaled_erfc(t) * (5 + 3 * t) / (1 - t)


def jobs() -> list[Polynomial]:
    """Returns all polynomials, in the order of the header."""
    half_ln2 = mp.log(2) / 2 * mpf("1.0001")
    log_low, log_high = mp.sqrt(mpf(1) / 2) - 1, mp.sqrt(2) - 1
    quarter = mp.pi / 4 * mpf("1.0001")
    log_s = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
    turn = mpf("0.2502")
    found: list[Polynomial] = []

    def add(name: str, meaning: str, double: bool, degree: int, low: mpf, high: mpf,
            target: Real, weight: Real) -> None:  # fmt: skip
        found.append(Polynomial(name, meaning, double, degree, low, high, target, weight))

    for name, degree in (("exp", 4), ("exp_fast", 3)):
        add(name, "exp(r) = 1 + r + r^2 P(r)", False, degree, -half_ln2, half_ln2, _exp_tail,
            lambda r: r**2 / mp.exp(r) + mpf(10) ** -12)  # fmt: skip
    add("exp2_wide", "2^f = P(f)", True, 7, mpf("-0.5001"), mpf("0.5001"),
        lambda f: mpf(2) ** f, lambda f: mpf(2) ** -f)  # fmt: skip
    for name, degree in (("log", 8), ("log_fast", 6)):
        add(name, "log(1 + f) = f - f^2 / 2 + f^3 P(f)", False, degree, log_low, log_high,
            _log_tail, _log_tail_weight)  # fmt: skip
    add("log_wide", "log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2)", True, 3, mpf(0), log_s,
        _log_quotient, lambda z: z / 2 + mpf(10) ** -12)  # fmt: skip
    add("sin_wide", "sin(pi f / 2) = f P(f^2)", True, 4, mpf(0), turn, _half_turn_sine,
        lambda z: 1 / _half_turn_sine(z))  # fmt: skip
    add("cos_wide", "cos(pi f / 2) = P(f^2)", True, 4, mpf(0), turn,
        lambda z: mp.cos(mp.pi / 2 * mp.sqrt(z)), lambda z: mpf(1))  # fmt: skip
    found.append(_odd("sin_fast", mp.sin, quarter, 2, double=False))
    add("cos_fast", "cos(r) = 1 - r^2 / 2 + r^4 P(r^2)", False, 2, mpf(0), quarter**2,
        _cosine_tail, lambda z: z**2 / mp.cos(mp.sqrt(z)) + mpf(10) ** -12)  # fmt: skip
    found.append(_odd("tan_fast", mp.tan, quarter, 5, double=False))
    found.append(_odd("atan_wide", mp.atan, mp.tan(mp.pi / 8), 5, double=True))
    found.append(_odd("atan_fast", mp.atan, mpf(1), 7, double=False))
    found.append(_odd("asin_wide", mp.asin, mpf("0.5"), 6, double=True))
    found.append(_odd("asin_fast", mp.asin, mpf("0.5"), 4, double=False))
    found.append(_odd("sinh_wide", mp.sinh, mpf(1), 3, double=True))
    found.append(_odd("sinh_fast", mp.sinh, mpf(1), 2, double=False))
    found.append(_odd("tanh_wide", mp.tanh, mpf("0.625"), 6, double=True))
    found.append(_odd("tanh_fast", mp.tanh, mpf("0.625"), 4, double=False))
    for name, degree in (("erf_small", 6), ("erf_small_fast", 5)):
        add(name, "erf(x) = x + x P(x^2)", False, degree, mpf(0), ERF_SPLIT**2, _erf_quotient,
            lambda z: 1 / (1 + _erf_quotient(z)))  # fmt: skip
    for name, degree in (("erf_large", 6), ("erf_large_fast", 5)):
        add(name, "erf(x) = 1 - exp(P(x))", False, degree, ERF_SPLIT, ERF_END, _log_erfc,
            lambda x: mp.erfc(x) / mp.erf(x))  # fmt: skip
    add("erfc_wide", "exp(x^2) erfc(x) = P((x - 2) / (x + 2))", True, 13, mpf(-1),
        (ERFC_END - 2) / (ERFC_END + 2), _scaled_erfc, lambda t: 1 / _scaled_erfc(t))  # fmt: skip
    found.append(Polynomial("erfc", "(x + 3/2) / 3 exp(x^2) erfc(x) = P((x - 3/2) / (x + 3/2))",
        False, 11, mpf(-1), (ERFC_END - 1.5) / (ERFC_END + 1.5), _third_of_erfc,
        lambda t: 1 / _third_of_erfc(t), exact=2))  # fmt: skip
    add("erfc_fast", "(1 + 2 x) exp(x^2) erfc(x) = P((x - 2) / (x + 2))", False, 9, mpf(-1),
        (mpf("9.2") - 2) / (mpf("9.2") + 2), _flat_erfc, lambda t: 1 / _flat_erfc(t))  # fmt: skip
    return found


def _single(value: mpf) -> float:
    return float(struct.unpack("f", struct.pack("f", float(value)))[0])


def as_literal(value: mpf, *, double: bool) -> str:
    """Returns the nearest number of that format, as C writes it."""
    if double:
        return repr(float(value))
    return f"{_single(value):.9g}f"


def as_parts(job: Polynomial, coefficients: list[mpf], error: mpf) -> str:
    """Returns the first coefficients as constants, and the C function of the others.

    Pairs of terms, and pairs of these, do not wait for each other as those of Horner's rule do.
    """
    lines = [
        f"/* {job.meaning}, its argument from {float(job.low):.6g} to {float(job.high):.6g}:",
        f" * within 2^{float(mp.log(error, 2)):.1f}. The first are a float and its rest;",
        " * the function is what follows them, divided by the next power. */",
    ]
    for power, value in enumerate(coefficients[: job.exact]):
        name = f"NXK_{job.name.upper()}_{power}"
        lines.append(f"#define {name} {as_literal(value, double=False)}")
        lines.append(f"#define {name}_REST {as_literal(value - _single(value), double=False)}")
    terms = [as_literal(c, double=False) for c in coefficients[job.exact :]]
    lines += [f"NXK_MATH float nxk_{job.name}_polynomial(float x) {{", "  float power = x;"]
    while len(terms) > 1:
        pairs = [" + power * ".join(terms[i : i + 2]) for i in range(0, len(terms), 2)]
        names = [f"p{len(pairs)}_{i}" for i in range(len(pairs))]
        lines += [f"  float {n} = {pair};" for n, pair in zip(names, pairs, strict=True)]
        terms = names
        lines += ["  power = power * power;"] if len(terms) > 1 else []
    return "\n".join([*lines, f"  return {terms[0]};", "}"])


def as_call(macro: str, arguments: list[str]) -> str:
    """The use of a macro of the header, in lines of up to 100 columns."""
    text = f"{macro}({', '.join(arguments)})"
    indent = " " * (len(macro) + 1)
    return textwrap.fill(text, 100, subsequent_indent=indent, break_on_hyphens=False)


def as_function(job: Polynomial, coefficients: list[mpf], error: mpf) -> str:
    """Returns the C function that evaluates a polynomial by Horner's rule."""
    if job.exact:
        return as_parts(job, coefficients, error)
    numbers = [as_literal(c, double=job.double) for c in reversed(coefficients)]
    meaning = (
        f"/* {job.meaning}, its argument from {float(job.low):.6g} to {float(job.high):.6g}:"
        f" within 2^{float(mp.log(error, 2)):.1f}. */\n"
    )
    kind = "double" if job.double else "float"
    return meaning + as_call("NXK_POLYNOMIAL", [kind, job.name, *numbers])


def two_over_pi() -> str:
    """Returns 2/pi for floats of each size, in parts whose products with a float are exact.

    A float of at least 2^(23 + s) is a multiple of 2^s, so the bits of 2/pi from 2^(2 - s) upwards
    only add multiples of 4 (quarter turns) and are left out. The first two parts have 29 bits: with
    24 of the float that is 53, which a double holds.
    """
    rows = []
    with mp.workdps(120):
        for start in (0, 1, 27, 53, 79):
            top = mpf(2) ** (2 - start if start else 0)
            rest = (2 / mp.pi) % top
            parts = []
            for bits in (29, 58):
                unit = top / mpf(2) ** bits
                parts.append(mp.floor(rest / unit) * unit)
                rest -= parts[-1]
            rows.append([*parts, rest])
    lines = [_TWO_OVER_PI]
    for part in range(3):
        values = [as_literal(row[part], double=True) for row in rows]
        lines.append(as_call("NXK_TWO_OVER_PI", [str(part + 1), *values]))
    return "\n".join(lines)


_HEAD = """\
/* SPDX-License-Identifier: Apache-2.0 */
/* Generated by tools/derive_math.py: the polynomials of math.h. Errors are those of the
 * polynomial, as a part of the function's value. */
#ifndef NEXUS_KERNEL_CPU_MATH_POLYNOMIALS_H_
#define NEXUS_KERNEL_CPU_MATH_POLYNOMIALS_H_

/* clang-format off */
#include "math_base.h"
#include "../common/parameters.h"

/* nxk_<name>_polynomial: by Horner's rule, the coefficient of the highest power first. */
#define NXK_POLYNOMIAL(T, name, ...)                                       \\
  NXK_MATH T nxk_##name##_polynomial(T x) {                                \\
    return NXK_PASTE(NXK_HORNER_, NXK_COUNT(__VA_ARGS__))(x, __VA_ARGS__); \\
  }
#define NXK_HORNER_2(x, p, c) ((p) * x + (c))
#define NXK_HORNER_3(x, p, c, ...) NXK_HORNER_2(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_4(x, p, c, ...) NXK_HORNER_3(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_5(x, p, c, ...) NXK_HORNER_4(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_6(x, p, c, ...) NXK_HORNER_5(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_7(x, p, c, ...) NXK_HORNER_6(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_8(x, p, c, ...) NXK_HORNER_7(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_9(x, p, c, ...) NXK_HORNER_8(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_10(x, p, c, ...) NXK_HORNER_9(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_11(x, p, c, ...) NXK_HORNER_10(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_12(x, p, c, ...) NXK_HORNER_11(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_13(x, p, c, ...) NXK_HORNER_12(x, (p) * x + (c), __VA_ARGS__)
#define NXK_HORNER_14(x, p, c, ...) NXK_HORNER_13(x, (p) * x + (c), __VA_ARGS__)

"""

_TWO_OVER_PI = """\
/* 2/pi in three parts, for |x| below 2^24, 2^50, 2^76, 2^102 and 2^128. */
#define NXK_TWO_OVER_PI(part, a, b, c, d, e)         \\
  NXK_MATH double nxk_two_over_pi_##part(double x) { \\
    return x < 16777216.0              ? (a)         \\
           : x < 1125899906842624.0    ? (b)         \\
           : x < 7.555786372591432e+22 ? (c)         \\
           : x < 5.070602400912918e+30 ? (d)         \\
                                       : (e);        \\
  }"""


def header(*, with_errors: bool) -> str:
    """Returns the whole text. Prints each polynomial's error if wanted."""
    functions = []
    for job in jobs():
        coefficients, error = remez(job)
        if with_errors:
            print(f"{job.name:16} degree {job.degree:2}  2^{float(mp.log(error, 2)):.2f}")
        functions.append(as_function(job, coefficients, error))
    return _HEAD + "\n\n".join([*functions, two_over_pi()]) + "\n\n#endif\n"


def main() -> None:
    """Writes the header, or prints the errors, or checks it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--errors", action="store_true", help="print, write nothing")
    parser.add_argument("--check", action="store_true", help="fail if the header is another")
    options = parser.parse_args()
    text = header(with_errors=options.errors)
    if options.check and _OUTPUT.read_text(encoding="utf-8") != text:
        parser.exit(1, f"{_OUTPUT} is not what this tool writes; run it without --check\n")
    if not options.check and not options.errors:
        _OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
