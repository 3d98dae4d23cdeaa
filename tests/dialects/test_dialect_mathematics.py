# SPDX-License-Identifier: Apache-2.0
"""Every function of the corpus on every device that is here, compared with float64.

Proves for those devices that the dialects call the right functions, and that these are as exact as
the strictest limits that all vendors promise: OpenCL's, in units in the last place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from launchers import Launcher

F32, F64, I32 = np.float32, np.float64, np.int32
Wide = npt.NDArray[np.float64]
NAN, INF = float("nan"), float("inf")


def round_half_away(x: Wide) -> Wide:
    """C's round, where numpy's goes to even."""
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def erf(x: Wide) -> Wide:
    return np.array([math.erf(value) for value in x])


def erfc(x: Wide) -> Wide:
    return np.array([math.erfc(value) for value in x])


# In the order of the kernel: the function and its limit in ulp.
OF_ONE: dict[str, tuple[Callable[[Wide], Wide], float]] = {
    "sqrt": (np.sqrt, 3),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 2),
    "fabs": (np.abs, 0.5),
    "floor": (np.floor, 0.5),
    "ceil": (np.ceil, 0.5),
    "trunc": (np.trunc, 0.5),
    "round": (round_half_away, 0.5),
    "exp": (np.exp, 3),
    "exp2": (np.exp2, 3),
    "log": (np.log, 3),
    "log2": (np.log2, 3),
    "log10": (np.log10, 3),
    "sin": (np.sin, 4),
    "cos": (np.cos, 4),
    "tan": (np.tan, 5),
    "asin": (np.arcsin, 4),
    "acos": (np.arccos, 4),
    "atan": (np.arctan, 5),
    "sinh": (np.sinh, 4),
    "cosh": (np.cosh, 4),
    "tanh": (np.tanh, 5),
    "erf": (erf, 16),
    "erfc": (erfc, 16),
    "clamp": (lambda x: np.fmin(np.fmax(x, -1.5), 2.5), 0.5),
}
OF_TWO: dict[str, tuple[Callable[[Wide, Wide], Wide], float]] = {
    "fmod": (np.fmod, 0.5),
    "fma": (lambda x, y: x * y + x, 0.5001),  # float64 rounds too: no tie is exact
    "min": (np.fmin, 0.5),
    "max": (np.fmax, 0.5),
    "pow": (np.power, 16),
    "atan2": (np.arctan2, 6),
    "hypot": (np.hypot, 4),
    "copysign": (np.copysign, 0.5),
}

SPECIAL = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, INF, -INF, NAN, 3e38, -3e38, 8388609.0]
ORDINARY = np.concatenate([
    np.linspace(-12, 12, 2001), np.linspace(-1, 1, 501), 10.0 ** np.linspace(-30, 30, 301),
    np.linspace(-87, 88, 501), SPECIAL,
]).astype(F32)  # fmt: skip


def worst(found: npt.NDArray[Any], exact: Wide) -> tuple[float, int]:
    """The largest error in ulp, and where. Infinite where one is a NaN or an infinity alone.

    Results below the smallest normal number may be 0, since devices may flush them.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        nearest = exact.astype(F32)
        unit = np.spacing(np.maximum(np.abs(nearest), F32(2.0**-126))).astype(F64)
        error = np.abs(found.astype(F64) - exact) / unit
        error[~np.isfinite(nearest) & (found == nearest)] = 0
        error[np.isnan(nearest) & np.isnan(found)] = 0
        # Where float64 is next to the largest float, an infinity is as near.
        error[np.isinf(found) & (np.abs(exact) > 3.4028e38)] = 0
        error[(np.abs(exact) < 2.0**-126) & (np.abs(found) <= 2.0**-126)] = 0
    error[np.isnan(error)] = INF
    at = int(error.argmax())
    return float(error[at]), at


@pytest.fixture(scope="module")
def of_one(device: Launcher) -> npt.NDArray[Any]:
    out = np.zeros((len(ORDINARY), len(OF_ONE)), F32)
    device.run("functions_of_one", [ORDINARY, out, I32(len(ORDINARY))], (len(ORDINARY),), (64,))
    return out


@pytest.mark.parametrize("name", OF_ONE)
def test_a_function_of_one_is_within_its_limit(of_one: npt.NDArray[Any], name: str) -> None:
    function, limit = OF_ONE[name]
    found = of_one[:, list(OF_ONE).index(name)]
    with np.errstate(all="ignore"):
        exact = function(ORDINARY.astype(F64))
    error, at = worst(found, exact)
    assert error <= limit, f"{name}({ORDINARY[at]!r}) is {exact[at]}, found {found[at]}"


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round", "sqrt"])
def test_a_function_keeps_the_sign_of_zero(of_one: npt.NDArray[Any], name: str) -> None:
    found = of_one[:, list(OF_ONE).index(name)]
    zeros = ORDINARY == 0
    assert np.array_equal(np.signbit(found[zeros]), np.signbit(ORDINARY[zeros]))


X = np.concatenate([np.repeat(SPECIAL, len(SPECIAL)), np.linspace(-20, 20, 1500)]).astype(F32)
Y = np.concatenate([np.tile(SPECIAL, len(SPECIAL)), np.linspace(7, -9, 1500)]).astype(F32)


@pytest.fixture(scope="module")
def of_two(device: Launcher) -> npt.NDArray[Any]:
    out = np.zeros((len(X), len(OF_TWO)), F32)
    device.run("functions_of_two", [X, Y, out, I32(len(X))], (len(X),), (64,))
    return out


@pytest.mark.parametrize("name", OF_TWO)
def test_a_function_of_two_is_within_its_limit(of_two: npt.NDArray[Any], name: str) -> None:
    function, limit = OF_TWO[name]
    found = of_two[:, list(OF_TWO).index(name)]
    with np.errstate(all="ignore"):
        exact = function(X.astype(F64), Y.astype(F64))
    error, at = worst(found, exact)
    assert error <= limit, f"{name}({X[at]!r}, {Y[at]!r}) is {exact[at]}, found {found[at]}"


def test_nans_and_infinities_are_told_from_numbers(device: Launcher) -> None:
    out = np.full((len(ORDINARY), 2), -1, I32)
    device.run("classes", [ORDINARY, out, I32(len(ORDINARY))], (len(ORDINARY),), (64,))
    assert np.array_equal(out[:, 0], np.isnan(ORDINARY))
    assert np.array_equal(out[:, 1], np.isinf(ORDINARY))


def test_functions_of_integers(device: Launcher) -> None:
    x = np.array([0, 1, -1, 7, 8, 255, -256, 2**31 - 1, -(2**31) + 1, 0x12345678], I32)
    out = np.zeros((len(x), 5), I32)
    device.run("functions_of_int", [x, out, I32(len(x))], (len(x),), (4,))
    bits = [int(value) & 0xFFFFFFFF for value in x]
    expected = [
        [min(int(v), 7), max(int(v), 7), abs(int(v)), b.bit_count(), 32 - b.bit_length()]
        for v, b in zip(x, bits, strict=True)
    ]
    assert np.array_equal(out, expected)


def test_float64_where_a_device_has_it(device: Launcher) -> None:
    x = np.linspace(-3, 3, 100)
    y = np.zeros(100)
    device.run("doubles", [x, y, np.float64(1.25), I32(100)], (100,), (32,))
    assert np.allclose(y, 1.25 * x + 1 / 3, rtol=1e-15, atol=1e-15)
