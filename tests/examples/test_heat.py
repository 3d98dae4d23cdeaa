# SPDX-License-Identifier: Apache-2.0
"""examples/heat.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from python_process import run_python

PIL_Image = pytest.importorskip("PIL.Image", reason="needs pillow: pip install pillow")

EXAMPLE = Path(__file__).parents[2] / "examples" / "heat.py"


def test_the_bar_moves_to_its_end_and_the_picture_is_hot_at_the_edge(tmp_path: Path) -> None:
    output = tmp_path / "heat.png"
    result = run_python(str(EXAMPLE), "--size", "64", "--steps", "100", "-o", str(output))
    assert result.returncode == 0, result.stderr
    assert "100 steps in 5 rounds" in result.stdout
    bars = result.stderr.replace("\r", "\n").split()
    assert [each.count("#") for each in bars if each.startswith("[")] == [8, 16, 24, 32, 40]
    with PIL_Image.open(output) as image:
        red = np.asarray(image)[..., 0]
    assert red.shape == (64, 64)
    assert red[0].min() == 255
    assert red[-1].max() == 0


@pytest.mark.parametrize("option", [("--steps", "30"), ("--size", "2")])
def test_what_can_not_be_computed_is_an_error(option: tuple[str, str]) -> None:
    result = run_python(str(EXAMPLE), *option)
    assert result.returncode == 2
    assert f"{option[0]} is {option[1]}" in result.stderr
