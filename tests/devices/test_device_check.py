# SPDX-License-Identifier: Apache-2.0
"""The checks of device files find each kind of mistake, and nothing in a file without one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from repository_files import Tree

from nexus.cli.db import _device_check

STEM = "acme-gpu-a1"


def problems(tree: Tree, schema: Tree, stem: str = STEM) -> list[str]:
    """Returns what is wrong with the file, one text each."""
    found = _device_check.check(json.dumps(tree), stem, schema)
    return [f"{problem.path}: {problem.text}" for problem in found]


def test_a_good_file_has_no_problem(tree: Tree, schema: Tree) -> None:
    assert problems(tree, schema) == []


def memory(tree: Tree, name: str) -> Any:
    """A memory of the file itself or of its variant."""
    lists = [tree["MemorySubsystem"], tree["Variants"][0]["MemorySubsystem"]]
    return next(each for part in lists for each in part["MemoryTypes"] if each["Name"] == name)


def set_in(*path: str | int, value: object) -> Callable[[Tree], None]:
    """A change that sets one value of the tree."""

    def change(tree: Tree) -> None:
        at: Any = tree
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value

    return change


MEMORIES = ("MemorySubsystem", "MemoryTypes")
MISTAKES = {
    "an unknown key": (set_in("Colour", value="red"), "'Colour' was unexpected"),
    "an unknown key within": (set_in("Limits", "Colour", value=1), "Limits: .*'Colour'"),
    "a vendor's key outside Extensions": (set_in("Acme", value={}), "'Acme' was unexpected"),
    "a count of nothing": (set_in("CoreSubsystem", "SIMDSize", value=0), "SIMDSize: 0 is less"),
    "a size that is not a whole number": (set_in(*MEMORIES, 0, "Size", value=1.5), "Size: 1.5"),
    "a count with a fraction of nothing": (
        set_in("Limits", "MaxThreadsPerCore", value=256.0),
        "256.0 is not of type 'integer'",
    ),
    "a size beyond 64 bits": (
        set_in(*MEMORIES, 0, "Size", value=2**63),
        "is not of type 'integer'",
    ),
    "a text of blanks": (set_in("Name", value=" "), "Name: ' ' does not match"),
    "a data type that is none": (
        set_in("DataTypes", value=["float33"]),
        "'float33' is not one of",
    ),
    "no sources": (set_in("Sources", value=[]), r"Sources: \[\] should be non-empty"),
    "a source without a day of reading": (
        lambda tree: tree["Sources"][0].pop("Read"),
        "'Read' is a required property",
    ),
    "a source without date and version": (
        lambda tree: tree["Sources"][0].pop("Date"),
        "is not valid under any",
    ),
    "a day that is none": (set_in("Sources", 0, "Read", value="2026-02-30"), "is not a date"),
    "a value without a source": (set_in("ReleaseYear", value=2026), "ReleaseYear: no source"),
    "a variant's value without a source": (
        lambda tree: tree["Sources"][1]["Values"].remove("Variants/A1 Pro"),
        "Variants/A1 Pro/CoreSubsystem/Count: no source names it",
    ),
    "a source of a value that is not there": (
        lambda tree: tree["Sources"][0]["Values"].append("CoreSubsystem/Colour"),
        "CoreSubsystem/Colour: a source names it, but the file has no such value",
    ),
    "a source of a part of a name": (
        lambda tree: tree["Sources"][0]["Values"].append("CoreSubsystem/SIMD"),
        "CoreSubsystem/SIMD: a source names it",
    ),
    "two entries of a name": (
        lambda tree: tree["MemorySubsystem"]["MemoryTypes"].append({"Name": "L1", "Size": 1}),
        "has 2 entries of the Name 'L1'",
    ),
    "memories in another order": (
        lambda tree: tree["MemorySubsystem"]["MemoryTypes"].reverse(),
        r"has the order \['Local', 'L1', 'L2'\]; write \['L2', 'L1', 'Local'\]",
    ),
    "a rate that its factors don't give": (
        set_in("Variants", 0, "PeakRates", 0, "Rate", value=1.35e12),
        "PeakRates/float32/Rate: 1.35e.12 differs from cores x operations x clock, 1.28e.12",
    ),
    "a bandwidth that the bus does not give": (
        lambda tree: memory(tree, "Global").update(Bandwidth=530000000000),
        "Bandwidth: 5.3e.11 differs from bus width x transfer rate, 5.12e.11",
    ),
    "a total that is not a product": (
        lambda tree: memory(tree, "L2").update(TotalSize=4096),
        "TotalSize: 4096 is not 8192",
    ),
    "a size above the largest": (
        lambda tree: memory(tree, "Local").update(Size=2048),
        "Size: 2048 is above the MaxSize, 1024",
    ),
    "a base clock above the highest": (
        set_in("CoreSubsystem", "BaseClock", value=1001),
        "BaseClock: 1001 is above the MaxClock, 1000",
    ),
    "work items that are not whole subgroups": (
        set_in("Limits", "MaxSubgroupsPerCore", value=9),
        "MaxThreadsPerCore: 256 is not 9 subgroups of 32",
    ),
    "units that don't add up": (
        set_in("Variants", 0, "CoreSubsystem", "ParentUnits", 0, "TotalCount", value=6),
        "ParentUnits/Cluster/TotalCount: 6 is not 5",
    ),
    "inner units that don't add up": (
        set_in("Variants", 0, "CoreSubsystem", "Units", value=[{"Name": "FP32", "TotalCount": 9}]),
        "Units/FP32/TotalCount: 9 is not 640",
    ),
    "a group beyond its limit": (
        set_in("Limits", value={"MaxGroupSize": [2048, 1, 1], "MaxThreadsPerBlock": 1024}),
        "is beyond 1024 work items",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(mistake: str, tree: Tree, schema: Tree) -> None:
    change, text = MISTAKES[mistake]
    change(tree)
    found = "\n".join(problems(tree, schema))
    assert re.search(text, found), found


def test_rounding_within_two_percent_is_none(tree: Tree, schema: Tree) -> None:
    tree["Variants"][0]["PeakRates"][0]["Rate"] = 1.3e12
    assert problems(tree, schema) == []


def test_a_file_of_another_name_is_told_its_own(tree: Tree, schema: Tree) -> None:
    assert problems(tree, schema, "acme-gpu-a2") == [
        ": the file is called acme-gpu-a2.json; by its Vendor, Type and Architecture it must be "
        "acme-gpu-a1.json."
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ('{"Name": "x"', "Expecting"),
        ('{"Name": "x", "Name": "y"}', "'Name' appears twice"),
        ("[" * 100_000, "recursion"),
        ('{"DieSize": 1e999}', "too large"),
        ('{"DieSize": NaN}', "not a JSON number"),
        ('{"Name": "\\ud800"}', "surrogates not allowed"),
    ],
)
def test_what_is_no_json_is_said(text: str, reason: str, schema: Tree) -> None:
    (problem,) = _device_check.check(text, STEM, schema)
    assert "it is not JSON" in problem.text
    assert reason in problem.text


def test_a_list_is_no_device(schema: Tree) -> None:
    assert "is not of type 'object'" in _device_check.check("[]", STEM, schema)[0].text


def test_a_stem_is_in_lower_case_with_underscores_for_blanks(tree: Tree) -> None:
    tree.update(Vendor="Acme Corp", Architecture="Zen+ 5.1")
    assert _device_check.stem_of(tree) == "acme_corp-gpu-zen+_5.1"
