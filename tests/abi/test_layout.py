# SPDX-License-Identifier: Apache-2.0
"""The binary layout of the C-API is the recorded one, in C and in C++."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from compilers import INCLUDE, ROOT
from layout import GOLDEN, describe

CHANGELOG = ROOT / "docs/abi-changelog.md"


def test_c_sees_the_recorded_layout(cc: list[str]) -> None:
    assert describe(cc, "c").splitlines() == GOLDEN.read_text("utf-8").splitlines()


def test_cxx_sees_the_recorded_layout(cxx: list[str]) -> None:
    assert describe(cxx, "c++").splitlines() == GOLDEN.read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("header", "before", "after"),
    [
        ("nxs.h", "  uint64_t capacity;", "  uint64_t added;\n  uint64_t capacity;"),
        ("nxs.h", "nxs_ticket completed;", "nxs_ticket completed;\n  uint32_t appended;"),
        ("nxs.h", "typedef uint64_t nxs_ticket;", "typedef int64_t nxs_ticket;"),
        ("nxs_enums.h", "NXS_Timeout = -90", "NXS_Timeout = -190"),
        ("nxs_functions.def", "(nxs_id schedule, nxs_id stream))", "(nxs_id stream))"),
        (
            "nxs_functions.def",
            "NXS_FUNCTION(OPTIONAL, 0, MapBuffer",
            "NXS_FUNCTION(OPTIONAL, 1, MapBuffer",
        ),
    ],
)
def test_a_planted_change_is_seen(
    header: str, before: str, after: str, cc: list[str], tmp_path: Path
) -> None:
    shutil.copytree(INCLUDE / "nexus-api", tmp_path / "nexus-api")
    changed = tmp_path / "nexus-api" / header
    text = changed.read_text("utf-8")
    assert before in text
    changed.write_text(text.replace(before, after, 1), "utf-8")
    assert describe(cc, "c", tmp_path) != GOLDEN.read_text("utf-8")


def test_the_changelog_has_an_entry_for_the_version() -> None:
    header = (INCLUDE / "nexus-api/nxs.h").read_text("utf-8")
    version = ".".join(re.findall(r"#define NXS_API_VERSION_M(?:AJ|IN)OR (\d+)", header))
    assert f"\n## {version}" in CHANGELOG.read_text("utf-8")
    assert GOLDEN.name == f"nxs-{version}.txt"
