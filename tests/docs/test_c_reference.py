# SPDX-License-Identifier: Apache-2.0
"""The reference of the C-API has all that the headers declare."""

from __future__ import annotations

import re

import pytest
from pages import BUILT, BUILT_FOLDER, ROOT

HEADERS = ROOT / "packages/nexus-core/include/nexus-api"
PAGE = BUILT[BUILT_FOLDER / "c-api.md"]


def declared(header: str, pattern: str) -> list[str]:
    """Returns the matches of a pattern in a header."""
    text = (HEADERS / header).read_text(encoding="utf-8")
    found = re.findall(pattern, text, re.MULTILINE)
    assert found
    return found


def section(name: str) -> str:
    """The text below the heading of a name."""
    return PAGE.partition(f"\n### {name}\n")[2].partition("\n#")[0]


@pytest.mark.parametrize("name", declared("nxs_functions.def", r"^NXS_FUNCTION\(\w+, \d+, (\w+),"))
def test_a_function_has_its_signature_and_what_is_required(name: str) -> None:
    text = section(f"nxs{name}")
    assert f"nxs_status nxs{name}(" in text
    assert re.search(r"^(Required|Optional), since \d+\.\d+\.$", text, re.MULTILINE)


@pytest.mark.parametrize("name", declared("nxs.h", r"^\} (nxs_\w+);"))
def test_a_struct_is_there(name: str) -> None:
    assert f"typedef struct {name} {{" in section(name)


@pytest.mark.parametrize("header", ["nxs.h", "nxs_enums.h"])
def test_each_number_is_there(header: str) -> None:
    names = declared(header, r"^(?:  |#define )(NXS_[A-Z]\w*[a-z]\w*)(?: =| \()")
    assert [name for name in names if name not in PAGE] == []


def test_no_comment_of_c_is_left() -> None:
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    assert "/*" not in prose.replace("_*", "")
    assert "*/" not in prose
