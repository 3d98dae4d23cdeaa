# SPDX-License-Identifier: Apache-2.0
"""The names of the original in the tables of docs/coming-from-the-original.md."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "coming-from-the-original.md"


def python_names() -> list[str]:
    """Returns each name after its class or submodule, such as 'device.create_buffer'."""
    names = [re.sub(r"^nexus\.(?=.*\.)", "", name) for name in _first_cells("Python names")]
    return [re.sub(r"^x\.", "object.", name) for name in names]


def cpp_names() -> list[str]:
    """Returns each name as in C++, such as 'Device::createBuffer'."""
    names = [name.rpartition(".") for name in _first_cells("C++ names")]
    return [
        f"{'Object' if owner == 'x' else owner.capitalize()}::{name}" if owner else name
        for owner, _, name in names
    ]


def _first_cells(heading: str) -> list[str]:
    """Returns the first name in each row of the section's table."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    section, _, _ = rest.partition("\n## ")
    return re.findall(r"^\| `([\w.]+)", section, re.MULTILINE)
