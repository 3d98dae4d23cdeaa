# SPDX-License-Identifier: Apache-2.0
"""examples/edge_detect.py on real photographs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from python_process import run_python

PIL_Image = pytest.importorskip("PIL.Image", reason="needs pillow: pip install pillow")
pytest.importorskip("scipy", reason="needs scipy: pip install scipy")

EXAMPLE = Path(__file__).parents[2] / "examples" / "edge_detect.py"


def run_example(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run_python(str(EXAMPLE), *map(str, arguments))


def test_the_edges_of_scikit_learns_photo_are_as_scipy_has_them(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs the photo of scikit-learn: pip install it")
    output = tmp_path / "edges.png"
    result = run_example("-o", output)
    assert result.returncode == 0, result.stderr
    assert "as scipy.ndimage has it" in result.stdout
    with PIL_Image.open(output) as image:
        edges = np.asarray(image)
    assert edges.shape == (427, 640)
    assert edges.max() == 255


def test_a_photo_of_the_users_own_has_an_edge_where_dark_meets_bright(tmp_path: Path) -> None:
    photo = np.zeros((33, 47, 3), dtype=np.uint8)
    photo[:, 20:] = 255
    PIL_Image.fromarray(photo).save(tmp_path / "photo.png")
    output = tmp_path / "edges.png"
    result = run_example(tmp_path / "photo.png", "-o", output)
    assert result.returncode == 0, result.stderr
    with PIL_Image.open(output) as image:
        bright_columns = np.flatnonzero(np.asarray(image).all(axis=0))
    assert bright_columns.tolist() == [19, 20]


def test_a_photo_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    result = run_example(tmp_path / "nowhere.jpg")
    assert result.returncode == 2
    assert "the photo can't be read" in result.stderr
    assert "nowhere.jpg" in result.stderr
