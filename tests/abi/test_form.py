# SPDX-License-Identifier: Apache-2.0
"""The rules for the form of the C-API hold for whatever is in the recorded layout."""

from __future__ import annotations

import json
import re

import pytest
from compilers import ROOT
from layout import GOLDEN

LINES = GOLDEN.read_text("utf-8").splitlines()
FINAL = {"nxs_string"}  # lies inside other structs, so that it can never grow


def matches(pattern: str) -> list[re.Match[str]]:
    """Returns the matches of a pattern in the recorded lines; there has to be one."""
    found = [match for line in LINES if (match := re.match(pattern, line))]
    assert found, pattern
    return found


SCALARS = {match[1]: match[2] for match in matches(r"scalar (\w+) = (\w+):")}
STRUCTS = [match[1] for match in matches(r"struct (\w+): size")]
FIELDS = [match.groups() for match in matches(r"  (\w+)\.(\w+): (.*), offset and size (\d+) \d+$")]
FUNCTIONS = {
    match[1]: match[2].split(", ")
    for match in matches(r"function (nxs\w+): \w+ since \d+ \((.*)\)$")
}
VERSION = tuple(map(int, matches(r"version (\d+) (\d+)$")[0].groups()))
NUMBERS = {"int32_t", "uint32_t", "int64_t", "uint64_t", "double"}


def test_fields_have_the_same_size_everywhere() -> None:
    allowed = {*SCALARS, *FINAL, *NUMBERS}
    for struct, field, kind, _ in FIELDS:
        plain = re.sub(r"\[\d+\]$", "", kind)
        pointer = "*" in kind or kind.endswith("_fn")
        assert pointer or plain in allowed, f"{struct}.{field} is a {kind}"


@pytest.mark.parametrize("struct", sorted({*STRUCTS} - FINAL))
def test_a_struct_begins_with_its_size(struct: str) -> None:
    name, kind, offset = next(field[1:] for field in FIELDS if field[0] == struct)
    assert (name, kind, offset) == ("struct_size", "uint64_t", "0")


def test_enums_have_32_bits_and_flags_64() -> None:
    enums = json.loads((ROOT / "schema/enums.json").read_text("utf-8"))["enums"]
    for enum in enums:
        name = "nxs" + re.sub(r"([A-Z])", r"_\1", enum["name"]).lower()
        assert SCALARS[name] == ("uint64_t" if enum["bits"] else "int32_t")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_takes_an_id_first_and_gives_its_results_last(function: str) -> None:
    parameters = FUNCTIONS[function]
    assert re.match(r"nxs_id \w+$", parameters[0])
    is_out = [re.search(r"\*+out_\w+$", parameter) is not None for parameter in parameters]
    assert is_out == sorted(is_out)


def test_no_function_is_newer_than_the_version() -> None:
    since = {match[1]: int(match[2]) for match in matches(r"function (nxs\w+): \w+ since (\d+) ")}
    assert {name: minor for name, minor in since.items() if minor > VERSION[1]} == {}


def test_functions_stand_in_the_order_of_their_versions() -> None:
    since = [int(match[1]) for match in matches(r"function nxs\w+: \w+ since (\d+) ")]
    assert since == sorted(since)


def test_no_property_is_newer_than_the_version() -> None:
    properties = json.loads((ROOT / "schema/properties.json").read_text("utf-8"))["properties"]
    for each in properties:
        major, minor = map(int, each["since"].split("."))
        assert (major, minor) <= VERSION, each["name"]
        assert major == VERSION[0], each["name"]
