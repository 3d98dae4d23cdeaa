# SPDX-License-Identifier: Apache-2.0
"""How texts of the reference plug-in become a new backend's."""

from __future__ import annotations

import pytest

from nexus.scaffold import Names
from nexus.scaffold._rewrite import is_left_out, rewritten, without_left_out

ACME = Names.of("acme", "Acme Corp.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("reference_device.hpp", "acme_device.hpp"),
        ("nexus-reference", "nexus-acme"),
        ("REFERENCE_DEVICE_HPP_", "ACME_DEVICE_HPP_"),
        ("class ReferenceDevice", "class AcmeDevice"),
        ("namespace reference NXS_HIDDEN {", "namespace nexus_acme NXS_HIDDEN {"),
        ("using namespace reference;", "using namespace nexus_acme;"),
        ("reference::find()", "nexus_acme::find()"),
        ('"Nexus reference device"', '"Acme Corp. acme device"'),
        ('"Vendor": "Nexus"', '"Vendor": "Acme Corp."'),
        ("devices/nexus-gpu-reference.json", "devices/acme_corp.-gpu-acme.json"),
        ("references, preference, Nexus", "references, preference, Nexus"),
    ],
)
def test_a_name_becomes_the_new_one(text: str, expected: str) -> None:
    assert rewritten(text, ACME) == expected


def test_the_device_of_a_vendor_of_that_name_has_it_once() -> None:
    assert rewritten('"Nexus reference device"', Names.of("acme")) == '"Acme device"'


def test_lines_between_the_marks_are_left_out() -> None:
    text = "a\n  // scaffold: leave out\nb\n  // scaffold: end\nc\n"
    assert without_left_out(text, "host") == "a\nc\n"


def test_lines_are_left_out_of_one_kind_of_project() -> None:
    text = "a\n// scaffold: leave out of host\nb\n// scaffold: end\nc\n"
    assert without_left_out(text, "host") == "a\nc\n"
    assert without_left_out(text, "driver") == "a\nb\nc\n"


@pytest.mark.parametrize(
    "text",
    [
        "// scaffold: leave out\n",
        "// scaffold: end\n",
        "// scaffold: leave out\n// scaffold: leave out\n// scaffold: end\n",
    ],
)
def test_a_mark_without_its_counterpart_is_an_error(text: str) -> None:
    with pytest.raises(RuntimeError, match="scaffold: "):
        without_left_out(text, "host")


def test_a_file_says_in_its_first_lines_that_it_is_left_out() -> None:
    assert is_left_out("// SPDX\n// scaffold: leave out this file: it plants mistakes.\n")
    assert not is_left_out("// SPDX\n// scaffold: leave out\n// scaffold: end\n")
