# SPDX-License-Identifier: Apache-2.0
"""Reading the whole device database, in a new process."""

from __future__ import annotations

from device_files import device_paths, measure_files
from harness import Result

NAME = "device database: all devices"
GOAL = "at most 50 ms"


def measure(*, smoke: bool) -> Result:
    """Both sides turn every value of every file into a Python object."""
    read = "trees = nexus.get_device_info().to_dict()"
    count = "len(set(trees) & {path.rpartition('/')[2][:-5] for path in sys.argv[1:]})"
    return measure_files(NAME, 50e-3, read, count, device_paths(), smoke=smoke)
