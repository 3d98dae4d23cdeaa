# SPDX-License-Identifier: Apache-2.0
"""Looking one device up by its product's name, in a new process."""

from __future__ import annotations

from device_files import device_paths, measure_files
from harness import Result

NAME = "device database: one device"
GOAL = "at most 1 ms"


def measure(*, smoke: bool) -> Result:
    """H200 is a variant: the index is read, one file, and the variant is laid over it."""
    paths = [path for path in device_paths() if path.endswith("nvidia-gpu-sm_90.json")]
    read = 'info = nexus.lookup_device_info("H200")'
    count = 'int(info["Architecture"] == "sm_90")'
    return measure_files(NAME, 1e-3, read, count, paths, smoke=smoke)
