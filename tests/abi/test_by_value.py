# SPDX-License-Identifier: Apache-2.0
"""No function of the C-API, and no function pointer in it, takes or returns a struct by value."""

from __future__ import annotations

import re

import pytest
from compilers import INCLUDE
from layout import STRUCT, source_of

TEXT = "\n".join(source_of(INCLUDE))
STRUCTS = "|".join(name for name, _ in STRUCT.findall(TEXT))
PARAMETER = re.compile(rf"[(,]\s*((?:const\s+)?(?:struct\s+)?\b(?:{STRUCTS})\b(?:\s+\w+)?)\s*[,)]")
RESULT = re.compile(rf"\b((?:{STRUCTS})\s*(?:\(\s*\*\s*|\s)\w+\)?)\s*\(")


def by_value(declarations: str) -> list[str]:
    """The parameters and the results that are structs, as they are written."""
    return PARAMETER.findall(declarations) + RESULT.findall(declarations)


def test_no_struct_is_passed_or_returned_by_value() -> None:
    assert "nxs_string" in STRUCTS.split("|")
    assert by_value(TEXT) == []


@pytest.mark.parametrize(
    ("declaration", "found"),
    [
        ("NXS_FUNCTION(REQUIRED, 0, A, (nxs_id a, nxs_string name, nxs_id *b))", "nxs_string name"),
        ("void (*log)(uint32_t tag, const nxs_string text);", "const nxs_string text"),
        ("(nxs_id a, void (*callback)(nxs_completion), void *context)", "nxs_completion"),
        ("nxs_string (*get_config)(uint32_t tag);", "nxs_string (*get_config)"),
        ("NXS_EXPORT nxs_plugin nxsAskPlugin(void);", "nxs_plugin nxsAskPlugin"),
    ],
)
def test_one_that_is_planted_is_seen(declaration: str, found: str) -> None:
    assert by_value(declaration) == [found]
