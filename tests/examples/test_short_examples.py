# SPDX-License-Identifier: Apache-2.0
"""The examples that are short enough to be read at a glance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from python_process import run_python

EXAMPLES = Path(__file__).parents[2] / "examples"
MOST_LINES = 40


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("exchange", "numpy has added 1: "),
        ("monte_carlo_pi", "pi is about 3.14"),
        ("two_streams", "3 * 3 + 4 * 4 = 25"),
    ],
)
def test_it_tells_the_right_result(name: str, told: str) -> None:
    example = EXAMPLES / f"{name}.py"
    result = run_python(str(example))
    assert result.returncode == 0, result.stderr
    assert told in result.stdout
    assert len(example.read_text("utf-8").splitlines()) < MOST_LINES


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
