# SPDX-License-Identifier: Apache-2.0
"""docs/design/mapping.md stays in step with the one list of the C-API's functions."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FUNCTION_LIST = ROOT / "packages/nexus-core/include/nexus-api/nxs_functions.def"
MAPPING = ROOT / "docs/design/mapping.md"
DRIVERS = ["CUDA", "HIP", "Metal", "OpenCL"]


def listed_functions() -> list[str]:
    return re.findall(
        r"^NXS_FUNCTION\((?:REQUIRED|OPTIONAL), \d+, (\w+)",
        FUNCTION_LIST.read_text("utf-8"),
        re.MULTILINE,
    )


def mapped_functions() -> dict[str, list[str]]:
    """The rows of the tables whose first column is headed Function: name, one cell a driver."""
    rows: dict[str, list[str]] = {}
    in_table = False
    for line in MAPPING.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            in_table = False
        elif cells[0] == "Function":
            assert cells[1:] == DRIVERS
            in_table = True
        elif in_table and (name := re.match(r"\w+", cells[0])):
            rows.setdefault(name.group(), cells[1:])
    return rows


def test_every_function_of_the_list_has_a_row() -> None:
    missing = [name for name in listed_functions() if name not in mapped_functions()]
    assert missing == []


def test_no_row_names_a_function_that_the_list_lacks() -> None:
    unknown = [name for name in mapped_functions() if name not in listed_functions()]
    assert unknown == []


def test_every_row_says_something_for_each_driver() -> None:
    incomplete = [
        name
        for name, cells in mapped_functions().items()
        if len(cells) != len(DRIVERS) or not all(cells)
    ]
    assert incomplete == []
