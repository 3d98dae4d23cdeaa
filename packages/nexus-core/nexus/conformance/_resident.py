# SPDX-License-Identifier: Apache-2.0
"""How much memory the process has, for tests that nothing is left behind."""

from __future__ import annotations

import os
from pathlib import Path

from nexus.conformance._applies import not_applicable

_STATM = Path("/proc/self/statm")
_MAPS = Path("/proc/self/maps")


def require_resident() -> None:
    """Ends the test where the bytes in memory are not told, or are not the program's alone."""
    if not _STATM.exists():
        not_applicable("this system does not tell a process' memory in /proc")
    if any(name in _MAPS.read_text(errors="replace") for name in ("libasan.", "libtsan.")):
        not_applicable("a sanitizer keeps the memory that was let go")


def resident() -> int:
    """Bytes of the process in memory."""
    return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
