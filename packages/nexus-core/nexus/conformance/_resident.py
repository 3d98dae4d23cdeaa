# SPDX-License-Identifier: Apache-2.0
"""Measures the memory of the process, for tests that look for leaks."""

from __future__ import annotations

import os
from pathlib import Path

from nexus.conformance._applies import not_applicable

_STATM = Path("/proc/self/statm")
_MAPS = Path("/proc/self/maps")
_MEMINFO = Path("/proc/meminfo")


def require_resident() -> None:
    """Ends the test if the system does not report memory, or a sanitizer keeps freed memory."""
    if not _STATM.exists():
        not_applicable("this system does not report a process' memory in /proc")
    if any(name in _MAPS.read_text(errors="replace") for name in ("libasan.", "libtsan.")):
        not_applicable("a sanitizer keeps released memory")


def resident() -> int:
    """Returns the resident memory of the process in bytes."""
    return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def available() -> int | None:
    """Returns the available memory in bytes; None if the system does not report it."""
    if not _MEMINFO.exists():
        return None
    lines = dict(line.split(":", 1) for line in _MEMINFO.read_text("ascii").splitlines())
    return int(lines["MemAvailable"].split()[0]) * 1024
