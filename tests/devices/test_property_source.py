# SPDX-License-Identifier: Apache-2.0
"""A device's info says of each value where it comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from repository_files import DEVICES, PATHS, Tree, read

import nexus
from nexus.cli.db import _device_check

GUIDE = nexus.Citation("Acme One, a guide", "Acme", "2026-01", "", "2. Cores", "", "2026-02-03")
SHEET = nexus.Citation("Acme One, data sheet", "Acme", "", "1.2", "Figures", "", "2026-02-03")


@pytest.fixture
def file(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a user's device file, of acme-gpu-a1."""
    path = tmp_path / "acme-gpu-a1.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    monkeypatch.setenv("NEXUS_DEVICE_PATH", str(tmp_path))
    return str(path)


def test_a_value_of_a_file_has_its_citation(file: str) -> None:
    info = nexus.lookup_device_info("a1")
    source = info.source(["MemorySubsystem", "MemoryTypes", 1, "Size"])
    assert source == nexus.PropertySource("device file", file, (SHEET,), ())
    assert info.source(["MemorySubsystem", "MemoryTypes", "L2", "Size"]) == source
    assert info.source(["CoreSubsystem", nexus.property.SIMDSize]).citations == (GUIDE,)


def test_a_products_value_has_the_citation_of_the_product(file: str) -> None:
    info = nexus.lookup_device_info("A1 Pro")
    assert info.source(["CoreSubsystem", "Count"]) == ("device file", file, (SHEET,), ())
    assert info.source(["CoreSubsystem", "SIMDSize"]).citations == (GUIDE,)
    assert nexus.lookup_device_info("a1").source(["Variants", 0]).citations == (SHEET,)


def test_a_products_name_is_cited_from_where_its_values_stand(file: str) -> None:
    assert nexus.lookup_device_info("A1 Pro").source("Name").citations == (SHEET,)
    assert nexus.lookup_device_info("a1").source("Name").citations == (GUIDE,)


def test_a_part_of_the_tree_has_the_citations_of_all_its_values(file: str) -> None:
    source = nexus.lookup_device_info("A1 Pro").source("CoreSubsystem")
    assert source.kind == "device file"
    assert set(source.citations) == {GUIDE, SHEET}
    assert nexus.lookup_device_info("A1 Pro").source("MemorySubsystem").kind == "mixed"


def test_a_computed_value_names_what_it_was_made_of(file: str) -> None:
    source = nexus.lookup_device_info("a1").source("SIMDSize")
    assert source == ("computed", file, (GUIDE,), ("CoreSubsystem/SIMDSize",))
    assert str(source) == (
        "computed from CoreSubsystem/SIMDSize; "
        '"Acme One, a guide" (Acme, 2026-01): 2. Cores, read 2026-02-03'
    )


def test_what_the_device_says_comes_from_the_driver() -> None:
    info = nexus.get_device("cpu").get_info()
    assert info.source("Name") == ("driver", "", (), ())
    assert str(info.source("Name")) == "driver"


def test_an_entry_of_the_database_has_its_files_sources(file: str) -> None:
    database = nexus.get_device_info()
    source = database.source(["acme-gpu-a1", "CoreSubsystem", "SIMDSize"])
    assert source == ("device file", file, (GUIDE,), ())


def test_a_value_that_is_not_there_has_no_source(file: str) -> None:
    info = nexus.lookup_device_info("a1")
    with pytest.raises(nexus.PropertyNotFoundError, match="'MemorySubsystem / MemoryTypes / L3'"):
        info.source(["MemorySubsystem", "MemoryTypes", "L3", "Size"])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_value_of_a_file_has_one(path: Path) -> None:
    info = nexus.lookup_device_info(path.stem)
    tree = {k: v for k, v in read(path).items() if k not in ("Variants", "Sources", "Extensions")}
    for place, _ in _device_check.leaves(tree):
        source = info.source(place.split("/"))
        assert source.kind == "device file", place
        assert Path(source.file).name == path.name
        assert source.citations or place in ("Vendor", "Type", "Description"), place


def test_the_file_is_the_one_that_was_read() -> None:
    file = Path(nexus.lookup_device_info("H200").source("Name").file)
    assert file.read_bytes() == (DEVICES / "nvidia-gpu-sm_90.json").read_bytes()
