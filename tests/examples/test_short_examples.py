# SPDX-License-Identifier: Apache-2.0
"""The examples that are short enough to be read at a glance. tests/cpp runs saxpy.cpp."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from python_process import run_python

EXAMPLES = Path(__file__).parents[2] / "examples"
SHORT = [
    *("blur.py", "exchange.py", "heat.py", "monte_carlo_pi.py", "two_streams.py"),
    "cpp/saxpy.cpp",
]


@pytest.mark.parametrize("name", SHORT)
def test_it_has_less_than_40_lines(name: str) -> None:
    assert len((EXAMPLES / name).read_text("utf-8").splitlines()) < 40


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("exchange", "numpy has added 1: "),
        ("monte_carlo_pi", "pi is about 3.14"),
        ("two_streams", "3 * 3 + 4 * 4 = 25"),
    ],
)
def test_it_tells_the_right_result(name: str, told: str) -> None:
    result = run_python(str(EXAMPLES / f"{name}.py"))
    assert result.returncode == 0, result.stderr
    assert told in result.stdout


def test_the_blurred_photo_has_the_means_of_the_pixels_around(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs pillow: pip install pillow")
    photo = np.random.default_rng(1).integers(0, 256, (21, 33, 3), np.uint8)
    image.fromarray(photo).save(tmp_path / "photo.png")
    result = run_python(
        str(EXAMPLES / "blur.py"), str(tmp_path / "photo.png"), str(tmp_path / "blurred.png")
    )
    assert result.returncode == 0, result.stderr
    with image.open(tmp_path / "blurred.png") as file:
        blurred = np.asarray(file)
    for y, x in ((0, 0), (3, 32), (10, 16), (20, 5)):
        around = photo[max(0, y - 4) : y + 5, max(0, x - 4) : x + 5].astype(int)
        mean = around.reshape(-1, 3).sum(axis=0) // (around.size // 3)
        assert blurred[y, x].tolist() == mean.tolist()


def test_the_plate_has_the_heat_that_numpy_computes(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs pillow: pip install pillow")
    result = run_python(str(EXAMPLES / "heat.py"), str(tmp_path / "heat.png"))
    assert result.returncode == 0, result.stderr
    assert result.stderr == "#" * 25  # the bar
    assert "500 steps on " in result.stdout
    heat = np.zeros((256, 256))
    heat[0] = heat[80:100, 60:80] = heat[160:180, 130:150] = 1
    for _ in range(500):
        inner = heat[1:-1, 1:-1]
        around = heat[1:-1, :-2] + heat[1:-1, 2:] + heat[:-2, 1:-1] + heat[2:, 1:-1]
        heat[1:-1, 1:-1] = inner + 0.8 * (around / 4 - inner)
    with image.open(tmp_path / "heat.png") as file:
        green = np.asarray(file)[..., 1]
    assert np.abs(green - 255 * heat).max() < 1.01  # rounded down
