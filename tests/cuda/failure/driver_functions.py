# SPDX-License-Identifier: Apache-2.0
"""Reads the plug-in's lists of the functions that it calls."""

from __future__ import annotations

import re
from pathlib import Path

_SOURCES = Path(__file__).resolve().parents[3] / "packages" / "nexus-cuda" / "src"


def listed(file: str, pattern: str) -> list[str]:
    """Returns the names in a list."""
    (path,) = _SOURCES.rglob(file)
    return re.findall(pattern, path.read_text("utf-8"), re.MULTILINE)


DRIVER = [f"cu{name}" for name in listed("cuda_functions.def", r"^CU_(?:FUNCTION|OPTIONAL)\((\w+)")]
NVML = [f"nvml{name}" for name in listed("nvml_functions.def", r"^NVML_FUNCTION\((\w+)")]
NVRTC = [f"nvrtc{name}" for name in listed("toolkit_functions.def", r"^NVRTC_FUNCTION\(\w+, (\w+)")]
NVJITLINK = [
    f"nvJitLink{name}" for name in listed("toolkit_functions.def", r"^NVJITLINK_FUNCTION\((\w+)")
]
