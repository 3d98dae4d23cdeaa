# SPDX-License-Identifier: Apache-2.0
"""The repository's device files are true to their schema, to each other and to the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource
from repository_files import PATHS, ROOT, Tree, read

import nexus
from nexus.cli.db import _device_check

CATALOGUE = {entry["name"]: entry for entry in read(ROOT / "schema/properties.json")["properties"]}

# What the issue of the database asks for.
WANTED = {
    "nvidia-gpu": "sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_103 sm_120 sm_121",
    "amd-gpu": "gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101 gfx1151 gfx1200 gfx1201",
    "apple-gpu": "apple7 apple8 apple9",
    "intel-gpu": "pvc acm_g10 bmg_g21 lnl_m",
    "amd-cpu": "znver2 znver3 znver4 znver5",
    "intel-cpu": "skylake-avx512 cascadelake icelake-server sapphirerapids emeraldrapids "
    "graniterapids alderlake arrowlake lunarlake",
    "arm-cpu": "neoverse-n1 neoverse-n2 neoverse-v1 neoverse-v2",
    "apple-cpu": "apple-m1 apple-m2 apple-m3 apple-m4",
    "qualcomm-cpu": "oryon-1",
}


def test_the_schema_is_one(schema: Tree) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_file_has_no_problem(path: Path, schema: Tree) -> None:
    assert _device_check.check_file(path, schema) == []


def test_the_readme_has_the_number_of_files() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"a database of {len(PATHS)} architectures" in text


L2_SIZE: list[str | int] = ["MemorySubsystem", "MemoryTypes", 1, "Size"]


def products_of(path: Path) -> list[str]:
    """Returns the names by which lookup_device_info finds a file and each of its products."""
    return [path.stem, *(f"{path.stem}/{each['Name']}" for each in read(path).get("Variants", ()))]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_index_1_of_the_memories_is_the_l2(path: Path) -> None:
    for name in products_of(path):
        info = nexus.lookup_device_info(name)
        memories = info.get(["MemorySubsystem", "MemoryTypes"], [])
        assert [each["Name"] for each in memories[:2]] in (["Global", "L2"], [])
        by_name = info.get(["MemorySubsystem", "MemoryTypes", "L2", "Size"], None)
        if by_name is None:
            with pytest.raises(nexus.PropertyNotFoundError):
                info.get_int(L2_SIZE)
        else:
            assert info.get_int(L2_SIZE) == by_name


def test_the_l2_of_an_architecture_is_computed_from_its_products() -> None:
    info = nexus.lookup_device_info("nvidia-gpu-sm_90")
    assert info.get_int(L2_SIZE) == 50 << 20
    source = info.source(L2_SIZE)
    assert source.kind == "computed"
    assert "Variants/H100 SXM/MemorySubsystem/MemoryTypes/L2/Size" in source.derived_from
    assert source.citations


def test_there_are_files_of_every_family() -> None:
    stems = {path.stem for path in PATHS}
    assert len(stems) >= 60
    wanted = {f"{maker}-{each}" for maker, names in WANTED.items() for each in names.split()}
    assert wanted - stems == set()


def test_the_other_name_of_the_schema_means_the_same(schema: Tree, tree: Tree) -> None:
    alias = read(ROOT / "schema/gpu_architecture_schema.json")
    registry: Any = Registry().with_resource(schema["$id"], Resource.from_contents(schema))
    validator = jsonschema.Draft202012Validator(alias, registry=registry)
    assert validator.is_valid(tree)
    assert not validator.is_valid({**tree, "Colour": "red"})


def keys_with_units(schema: Any, definitions: Tree) -> Iterator[tuple[str, str, str]]:
    """The keys of a schema's objects, with the types and units of their values."""
    for key, entry in schema.get("properties", {}).items():
        told = {**definitions.get(entry.get("$ref", "").rpartition("/")[2], {}), **entry}
        yield key, told.get("type", ""), told.get("unit", "")
        yield from keys_with_units(entry, definitions)
    if "items" in schema:
        yield from keys_with_units(schema["items"], definitions)


def test_every_key_of_the_schema_is_in_the_catalogue_with_its_unit(schema: Tree) -> None:
    definitions = schema["$defs"]
    several = {"Size"}  # bytes of a memory, but the number of a runtime's devices
    ours = {"MinToolkit", "MaxToolkit"}  # of a programming model, of no device here
    for part in [{"properties": schema["properties"]}, *definitions.values()]:
        if part is definitions["source"]:
            continue
        for key, kind, unit in keys_with_units(part, definitions):
            if key in ours:
                continue
            assert key in CATALOGUE, key
            if key not in several:
                assert CATALOGUE[key].get("unit", "") == unit, key
            if kind == "integer":
                assert CATALOGUE[key]["type"] == "int", key


def test_the_catalogue_numbers_are_in_order_and_its_names_differ() -> None:
    entries = read(ROOT / "schema/properties.json")["properties"]
    assert [entry["number"] for entry in entries] == list(range(len(entries)))
    assert len({entry["name"] for entry in entries}) == len(entries)
