# SPDX-License-Identifier: Apache-2.0
"""Each kernel of examples/kernels against numpy or scipy: one element, odd sizes, real sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from python_process import run_python

import nexus

Load = Callable[[str], ModuleType]
Floats = NDArray[np.float32]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "kernels"
PROGRAMS = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "launch")
SIZES = [1, 2, 255, 257, 1000, 65_537, 1 << 20]


def floats(*shape: int) -> Floats:
    """Numbers from -1 to 1, the same for the same shape."""
    return np.random.default_rng(shape).uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.smoke
def test_every_kernel_has_a_program() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.c")) == PROGRAMS
    assert len(PROGRAMS) == 14


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_agrees_with_numpy_when_it_is_run(device: nexus.Device, name: str) -> None:
    run = run_python(EXAMPLES / f"{name}.py", device.selector)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{device.selector}: " in run.stdout


@pytest.mark.smoke
@pytest.mark.parametrize("size", SIZES)
def test_vector_add(load: Load, device: nexus.Device, size: int) -> None:
    a, b = floats(2, size)
    assert_array_equal(load("vector_add").vector_add(device, a, b), a + b)


@pytest.mark.parametrize("size", SIZES)
def test_saxpy(load: Load, device: nexus.Device, size: int) -> None:
    x, y = floats(2, size)
    expected = 2.5 * x.astype(np.float64) + y
    assert_allclose(load("saxpy").saxpy(device, 2.5, x, y), expected, rtol=0, atol=3e-7)


@pytest.mark.parametrize("size", SIZES)
def test_fill(load: Load, device: nexus.Device, size: int) -> None:
    assert_array_equal(load("fill").fill(device, size, 0.1), np.full(size, 0.1, np.float32))


@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 1, 1), (16, 16, 16), (17, 33, 5), (1, 100, 37), (300, 200, 100)]
)
def test_matrix_multiply(load: Load, device: nexus.Device, m: int, n: int, k: int) -> None:
    a, b = floats(m, k), floats(k, n)
    expected = a.astype(np.float64) @ b
    result = load("matrix_multiply").matrix_multiply(device, a, b)
    assert_allclose(result, expected, rtol=0, atol=1e-6 * k)


@pytest.mark.parametrize("shape", [(1, 1), (32, 32), (1, 100), (33, 31), (1000, 777)])
def test_transpose(load: Load, device: nexus.Device, shape: tuple[int, int]) -> None:
    matrix = floats(*shape)
    assert_array_equal(load("transpose").transpose(device, matrix), matrix.T)


@pytest.mark.parametrize("name", ["reduce", "reduce_with_barriers"])
@pytest.mark.parametrize("size", SIZES)
def test_reduce(load: Load, device: nexus.Device, size: int, name: str) -> None:
    x = floats(size)
    # A tree of at most 20 levels: the error grows with the levels, not with the size.
    bound = 20 * 6e-8 * float(np.abs(x).sum(dtype=np.float64))
    assert load("reduce").reduce(device, x, name) == pytest.approx(
        float(x.sum(dtype=np.float64)), rel=0, abs=bound
    )


@pytest.mark.parametrize("size", SIZES)
def test_prefix_sum(load: Load, device: nexus.Device, size: int) -> None:
    x = np.abs(floats(size))
    expected = x.cumsum(dtype=np.float64)
    assert_allclose(load("prefix_sum").prefix_sum(device, x), expected, rtol=3e-6)


@pytest.mark.parametrize("size", SIZES)
def test_histogram(load: Load, device: nexus.Device, size: int) -> None:
    x = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    expected = np.bincount(x, minlength=256)
    assert_array_equal(load("histogram").histogram(device, x), expected)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (2, 2), (3, 3), (37, 41), (500, 300)])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_stencil(load: Load, device: nexus.Device, shape: tuple[int, int], steps: int) -> None:
    ndimage = pytest.importorskip("scipy.ndimage", reason="needs scipy: pip install scipy")
    plate = floats(*shape)
    expected = plate.astype(np.float64)
    cross = np.array([[0, 0.25, 0], [0.25, -1, 0.25], [0, 0.25, 0]])
    for _ in range(steps):
        change = 0.9 * ndimage.convolve(expected, cross)
        change[[0, -1], :] = change[:, [0, -1]] = 0
        expected = expected + change
    assert_allclose(load("stencil").spread(device, plate, 0.9, steps), expected, atol=1e-6)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (63, 5), (65, 33), (640, 480)])
def test_mandelbrot(load: Load, device: nexus.Device, width: int, height: int) -> None:
    module = load("mandelbrot")
    result = module.mandelbrot(device, width, height, 100)
    expected = module.mandelbrot_by_numpy(width, height, 100)
    assert result.shape == (height, width)
    # A rounding more or less moves a pixel on the rim of the set, and no others.
    assert np.mean(result == expected) >= 0.98
    assert_array_equal(result == 0, expected == 0)


@pytest.mark.parametrize("size", [1, 2, 63, 65, 1000])
def test_nbody(load: Load, device: nexus.Device, size: int) -> None:
    module = load("nbody")
    x, mass = floats(3, size), np.abs(floats(size))
    expected = module.accelerations_by_numpy(x, mass, 0.05)
    result = module.accelerations(device, x, mass, 0.05)
    assert_allclose(result, expected, rtol=1e-4, atol=1e-5 * max(1, float(np.abs(expected).max())))


@pytest.mark.parametrize("size", [1, 2, 255, 257, 65_537])
def test_black_scholes(load: Load, device: nexus.Device, size: int) -> None:
    special = pytest.importorskip("scipy.special", reason="needs scipy: pip install scipy")
    random = np.random.default_rng(size)
    price, strike, years = (
        random.uniform(low, high, size).astype(np.float32)
        for low, high in ((5, 30), (1, 100), (0.25, 10))
    )
    s, k, t = (each.astype(np.float64) for each in (price, strike, years))
    d1 = (np.log(s / k) + (0.02 + 0.5 * 0.3**2) * t) / (0.3 * np.sqrt(t))
    d2 = d1 - 0.3 * np.sqrt(t)
    call = s * special.ndtr(d1) - k * np.exp(-0.02 * t) * special.ndtr(d2)
    put = k * np.exp(-0.02 * t) * special.ndtr(-d2) - s * special.ndtr(-d1)
    result = load("black_scholes").black_scholes(device, price, strike, years, 0.02, 0.3)
    assert_allclose(result, np.stack([call, put]), rtol=0, atol=3e-5)


@pytest.mark.parametrize("shape", [(1, 1), (3, 255), (7, 257), (100, 1000)])
def test_softmax(load: Load, device: nexus.Device, shape: tuple[int, int]) -> None:
    special = pytest.importorskip("scipy.special", reason="needs scipy: pip install scipy")
    matrix = 50 * floats(*shape)
    expected = special.softmax(matrix.astype(np.float64), axis=1)
    assert_allclose(load("softmax").softmax(device, matrix), expected, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 3, 255, 1024, 65_537])
def test_bitonic_sort(load: Load, device: nexus.Device, size: int) -> None:
    x = floats(size)
    assert_array_equal(load("bitonic_sort").bitonic_sort(device, x), np.sort(x))
