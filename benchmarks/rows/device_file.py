# SPDX-License-Identifier: Apache-2.0
"""Looking up one device in a new process, by its file's name and by a product's."""

from __future__ import annotations

from device_files import device_paths, measure_files
from harness import Result

NAME = "device database: one device"
GOAL = "at most 1 ms"
STEM = "nvidia-gpu-sm_90"


def measure(*, smoke: bool) -> list[Result]:
    """H200 is a variant in that file, found by the index."""
    paths = [path for path in device_paths() if path.endswith(f"{STEM}.json")]
    count = 'int(info["Architecture"] == "sm_90")'
    return [
        measure_files(
            f"{NAME}, by {what}",
            1e-3,
            f'info = nexus.lookup_device_info("{name}")',
            count,
            paths,
            smoke=smoke,
        )
        for what, name in (("its file's name", STEM), ("a product's", "H200"))
    ]
