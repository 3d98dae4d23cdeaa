# SPDX-License-Identifier: Apache-2.0
"""Kernel catalogs for NVIDIA GPUs, compiled by NVRTC."""

from __future__ import annotations

from pathlib import Path

import pytest
from example_catalog import FILE, SCALE

import nexus
from nexus.cli import main


@pytest.mark.parametrize(
    ("targets", "loaded", "match"),
    [
        (["compute_80", "sm_80", "{own}"], "{own}", "architecture"),
        (["sm_{other}"], None, "source"),
    ],
    ids=["machine code", "source"],
)
def test_a_gpu_gets_the_build_that_fits(
    device: nexus.Device, tmp_path: Path, targets: list[str], loaded: str | None, match: str
) -> None:
    source = tmp_path / "vector.c"
    source.write_text(SCALE)
    names = {"own": device.architecture, "other": "80" if device.architecture != "sm_80" else "90"}
    words = [f"--target=cuda:{name.format(**names)}" for name in targets]
    assert main(["catalog", "build", str(tmp_path / "built"), str(source), *words]) == 0
    info = device.load_library(tmp_path / "built" / FILE, "vector").get_info()
    assert info["Match"] == match
    assert info["Build"].get("Architecture") == (loaded and loaded.format(**names))
