# SPDX-License-Identifier: Apache-2.0
"""Devices are found by any of their names, and what is found is what their files say."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from repository_files import PATHS, Tree, read

import nexus
from nexus.cli.db import _device_check

TREES = {path.stem: read(path) for path in PATHS}
VARIANTS = [
    (stem, variant["Name"]) for stem, tree in TREES.items() for variant in tree.get("Variants", ())
]

OWN_OF_A_VARIANT = ("Aliases", "DeviceNames", "ReleaseYear")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder of device files."""
    monkeypatch.setenv("NEXUS_DEVICE_PATH", str(tmp_path))
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Callable[..., Path]:
    """Writes a tree into the folder, under its own stem or another."""

    def writing(tree: Tree, stem: str = "") -> Path:
        path = folder / f"{stem or _device_check.stem_of(tree)}.json"
        path.write_text(json.dumps(tree), encoding="utf-8")
        return path

    return writing


def value_at(info: nexus.Properties, path: str) -> Any:
    """The value at a path of names; of an entry that has no more than its Name, this."""
    found = info[path.split("/")]
    return found["Name"] if isinstance(found, dict) else found


@pytest.mark.parametrize("stem", TREES)
def test_a_stem_gives_all_that_its_file_says(stem: str) -> None:
    tree = TREES[stem]
    info = nexus.lookup_device_info(stem)
    own = {key: value for key, value in tree.items() if key not in ("Variants", "Sources")}
    for path, value in _device_check.leaves(own):
        assert value_at(info, path) == value, path


@pytest.mark.parametrize(("stem", "name"), VARIANTS, ids=str)
def test_a_product_is_laid_over_its_architecture(stem: str, name: str) -> None:
    tree = TREES[stem]
    variant = next(each for each in tree["Variants"] if each["Name"] == name)
    below = {key: value for key, value in tree.items() if key not in OWN_OF_A_VARIANT}
    expected = _device_check.lay_over(below, variant)
    del expected["Variants"], expected["Sources"]
    info = nexus.lookup_device_info(f"{stem}/{name}")
    for path, value in _device_check.leaves(expected):
        assert value_at(info, path) == value, path
    assert "Variants" not in info


@pytest.mark.parametrize(
    ("name", "stem", "found"),
    [
        ("nvidia-gpu-sm_90", "nvidia-gpu-sm_90", "NVIDIA Hopper"),
        ("NVIDIA-GPU-SM_90", "nvidia-gpu-sm_90", "NVIDIA Hopper"),
        ("sm_90", "nvidia-gpu-sm_90", "NVIDIA Hopper"),
        ("Hopper", "nvidia-gpu-sm_90", "NVIDIA Hopper"),
        ("H200", "nvidia-gpu-sm_90", "H200"),
        ("h100 pcie", "nvidia-gpu-sm_90", "H100 PCIe"),
        ("NVIDIA H100 SXM", "nvidia-gpu-sm_90", "H100 SXM"),
        ("gfx942", "amd-gpu-gfx942", TREES["amd-gpu-gfx942"]["Name"]),
        ("znver4", "amd-cpu-znver4", "AMD Zen 4"),
        # file names of kernelize-ai/nexus, and one like them
        ("apple-gpu-m1", "apple-gpu-apple7", "M1"),
        ("apple-gpu-m1m", "apple-gpu-apple7", "M1 Max"),
        ("apple-gpu-m2", "apple-gpu-apple8", "M2"),
        ("apple-gpu-m3", "apple-gpu-apple9", "M3"),
        ("apple-gpu-m4", "apple-gpu-apple9", "M4"),
        ("apple-gpu-m4p", "apple-gpu-apple9", "M4 Pro"),
        ("apple-gpu-applegpu_g16s", "apple-gpu-apple9", "M4 Pro"),
    ],
)
def test_names_that_people_use(name: str, stem: str, found: str) -> None:
    info = nexus.lookup_device_info(name)
    assert (info["Name"], info["Architecture"]) == (found, TREES[stem]["Architecture"])


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("sm_9", "'sm_90'"),
        ("H20O", "'H200'"),
        ("nvidia-gpu-sm_91", "'nvidia-gpu-sm_90'"),
        ("SXM", "'H100 SXM'"),  # a word of the name
    ],
)
def test_an_unknown_name_is_told_near_ones(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=near) as error:
        nexus.lookup_device_info(name)
    assert repr(name) in str(error.value)


@pytest.mark.parametrize(
    "name",
    ["", " ", "a" * 10_000, "../../etc/passwd", "a\0b", "\U0001f40d", "nvidia-gpu-sm_90/none"],
)
def test_a_name_of_nothing_is_a_value_error(name: str) -> None:
    with pytest.raises(ValueError, match="name is"):
        nexus.lookup_device_info(name)


@pytest.mark.parametrize("name", [None, 90, b"sm_90", ["sm_90"]])
def test_what_is_no_name_is_a_type_error(name: Any) -> None:
    with pytest.raises(TypeError, match=r"name has to be a str or a nexus\.Device"):
        nexus.lookup_device_info(name)


def test_a_chip_that_is_two_devices_is_told_how_to_choose() -> None:
    with pytest.raises(ValueError, match="which names 2 devices; write one of") as raised:
        nexus.lookup_device_info("M1")
    assert str(raised.value).splitlines()[1:] == [
        '  nexus.lookup_device_info("apple-cpu-apple-m1/M1")',
        '  nexus.lookup_device_info("apple-gpu-apple7/M1")',
    ]
    assert nexus.lookup_device_info("apple-gpu-apple7/M1")["Type"] == "gpu"


def test_a_name_of_several_lists_them(write: Callable[..., Path], tree: Tree) -> None:
    write(tree)
    write({**tree, "Architecture": "a2"})
    with pytest.raises(ValueError, match=r"(?s)acme-gpu-a1.*acme-gpu-a2"):
        nexus.lookup_device_info("Acme One")


def test_the_database_is_a_mapping_of_all_files() -> None:
    database = nexus.get_device_info()
    assert set(TREES) <= set(database)
    assert len(database) == len(list(database))
    assert "nvidia-gpu-sm_90" in database
    assert "nvidia-gpu-sm_91" not in database
    assert database["nvidia-gpu-sm_90", "Name"] == "NVIDIA Hopper"
    with pytest.raises(KeyError, match="sm_90"):
        database["nvidia-gpu-sm_91"]


def test_a_users_file_goes_before_ours(write: Callable[..., Path], tree: Tree) -> None:
    write({**tree, "Vendor": "NVIDIA", "Architecture": "sm_90"})
    assert nexus.lookup_device_info("nvidia-gpu-sm_90")["Name"] == "Acme One"
    assert nexus.get_device_info()["nvidia-gpu-sm_90", "Name"] == "Acme One"


def test_a_users_new_device_is_found_by_each_name(write: Callable[..., Path], tree: Tree) -> None:
    path = write(tree)
    for name in ("acme-gpu-a1", "a1", "Acme One", "one", "A1 Pro", "acme a1 pro"):
        assert nexus.lookup_device_info(name)["Architecture"] == "a1", name
    path.unlink()
    with pytest.raises(ValueError, match="name is 'Acme One'"):
        nexus.lookup_device_info("Acme One")


def test_a_file_that_changes_is_read_anew(write: Callable[..., Path], tree: Tree) -> None:
    write(tree)
    assert nexus.lookup_device_info("a1")["CoreSubsystem", "SIMDSize"] == 32
    tree["CoreSubsystem"]["SIMDSize"] = 64128
    write(tree)
    assert nexus.lookup_device_info("a1")["CoreSubsystem", "SIMDSize"] == 64128


BAD = {
    "cut short": ('{"Name": "x", "Vendor": ', 1),
    "no JSON": ("hello", 1),
    "empty": ("", 1),
    "a list": ("[]", 1),
    "a name twice": ('{"Name": "x",\n "Name": "y"}', 2),
    "too deep": ("[" * 100_000, 1),
    "another device's": ('{"Name":"x","Vendor":"A","Type":"cpu","Architecture":"b"}', 1),
}


@pytest.mark.parametrize("how", BAD)
def test_a_bad_file_is_told_with_its_place_and_left_out(folder: Path, how: str) -> None:
    text, line = BAD[how]
    path = folder / "acme-gpu-bad.json"
    path.write_text(text, encoding="utf-8")
    (problem,) = nexus.get_device_info_problems()
    assert problem.file == str(path)
    assert problem.line == line
    assert problem.reason
    assert "acme-gpu-bad" not in nexus.get_device_info()
    assert "nvidia-gpu-sm_90" in nexus.get_device_info()
    with pytest.raises(ValueError, match="name is 'acme-gpu-bad'") as error:
        nexus.lookup_device_info("acme-gpu-bad")
    assert f"acme-gpu-bad.json', line {line}, " in str(error.value)


def test_a_file_that_is_not_utf8_is_told(folder: Path) -> None:
    (folder / "acme-gpu-bad.json").write_bytes(b'{"Name": "\xff"}')
    (problem,) = nexus.get_device_info_problems()
    assert "UTF-8" in problem.reason


def test_a_huge_file_is_told(folder: Path) -> None:
    (folder / "acme-gpu-bad.json").write_text('{"Name": "' + "x" * (5 << 20) + '"}')
    (problem,) = nexus.get_device_info_problems()
    assert "acme-gpu-bad.json" in problem.file
    assert problem.reason


def test_a_folder_that_is_not_there_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NEXUS_DEVICE_PATH", str(tmp_path / "nothing"))
    (problem,) = nexus.get_device_info_problems()
    assert problem.file == str(tmp_path / "nothing")
    assert "nvidia-gpu-sm_90" in nexus.get_device_info()


def test_ten_thousand_lookups_from_eight_threads(write: Callable[..., Path], tree: Tree) -> None:
    write(tree)
    names = ["H200", "znver4", "A1 Pro", "gfx90a", "acme-gpu-a1"]
    expected = [nexus.lookup_device_info(name).to_json() for name in names]
    wrong: list[str] = []

    def look(start: int) -> None:
        for turn in range(1250):
            at = (start + turn) % len(names)
            info = nexus.lookup_device_info(names[at])
            if info["Name"] != json.loads(expected[at])["Name"]:
                wrong.append(names[at])

    threads = [threading.Thread(target=look, args=(each,)) for each in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_device_here_finds_its_file_and_its_own_values_win() -> None:
    device = nexus.get_device("cpu")
    own = nexus.lookup_device_info(device)
    info = device.get_info()
    assert own["Architecture"] == device.get_property_str("Architecture")
    assert info["Name"] == device.get_property_str("Name")
    assert info["ThreadCount"] == device.get_property_int("ThreadCount")
    hidden = {"SpecializedHardware", "PeakRates"}  # what the device says that it lacks
    assert set(own) - set(info) <= {"Variants", *hidden}


def test_a_device_here_whose_file_is_bad_tells_of_itself(write: Callable[..., Path]) -> None:
    device = nexus.get_device("cpu")
    own = {key: device.get_property_str(key) for key in ("Name", "Vendor", "Type", "Architecture")}
    path = write(own)
    path.write_text("{broken")
    assert own.items() <= dict(device.get_info()).items()
    assert [problem.file for problem in nexus.get_device_info_problems()] == [str(path)]


def test_a_product_has_no_year_of_its_architecture(write: Callable[..., Path], tree: Tree) -> None:
    write({**tree, "ReleaseYear": 2024})
    assert nexus.lookup_device_info("a1")["ReleaseYear"] == 2024
    assert "ReleaseYear" not in nexus.lookup_device_info("A1 Pro")


def test_what_a_cpu_hides_is_not_taken_from_its_file(
    write: Callable[..., Path], tree: Tree
) -> None:
    device = nexus.get_device("cpu")
    cores = device.get_property_int("CoreCount")
    own = {key: device.get_property_str(key) for key in ("Vendor", "Type", "Architecture")}
    matrix = {"Name": "Tiles", "DataTypes": ["int8"]}
    rates = [
        {"Name": "float32", "DataType": "float32", "OperationsPerClock": 64, "Rate": 1e15},
        {"Name": "int8 matrix", "DataType": "int8", "Unit": "matrix", "OperationsPerClock": 2048},
    ]
    tree["CoreSubsystem"]["Count"] = cores + 1
    write({**tree, **own, "SpecializedHardware": {"Matrix": matrix}, "PeakRates": rates})
    info = device.get_info()
    told = {rate["Name"]: rate for rate in info["PeakRates"]}
    assert "Rate" not in told["float32"]  # of all the cores that the document speaks of
    assert told["float32"]["OperationsPerClock"] == 64
    has_matrix = "MatrixExtensions" in device.properties
    assert ("SpecializedHardware" in info) is has_matrix
    assert ("int8 matrix" in told) is has_matrix


def test_entries_of_one_name_and_numbers_of_no_key_crash_nothing(
    write: Callable[..., Path], tree: Tree
) -> None:
    tree["PeakRates"] = [{"Name": "FP32"}, {"Name": "FP32", "Rate": 5}]
    tree["Extensions"] = {"": 1}
    tree["DieSize"] = None
    write(tree)
    info = nexus.lookup_device_info("a1")
    assert info["PeakRates", 1, "Rate"] == 5
    assert info.source(["PeakRates", 1, "Rate"]).kind == "device file"
    with pytest.raises(nexus.PropertyNotFoundError, match="4294967301"):
        info["Extensions", 2**32 + 5]
    assert "DieSize" not in info.keys()  # noqa: SIM118  # a null is not a value
    assert dict(info)["Name"] == "Acme One"


def test_a_name_of_bytes_that_are_not_utf8_is_shown(folder: Path) -> None:
    path = os.fsencode(folder) + b"/a-gpu-\xff.json"
    Path(os.fsdecode(path)).write_text("{}")
    (problem,) = nexus.get_device_info_problems()
    assert problem.file.endswith("a-gpu-\ufffd.json")


def test_a_file_without_an_end_is_told(folder: Path) -> None:
    (folder / "acme-gpu-a1.json").symlink_to("/proc/self/pagemap")
    (problem,) = nexus.get_device_info_problems()
    assert "it has more than" in problem.reason or "can't be read" in problem.reason


@pytest.mark.parametrize("name", ["", "-", "notes"])
def test_other_files_of_a_folder_answer_no_name(folder: Path, name: str) -> None:
    (folder / "notes.json").write_text("{}")
    (folder / "h200.json").write_text("{}")
    with pytest.raises(ValueError, match="no known device has this name"):
        nexus.lookup_device_info(name)
    assert nexus.lookup_device_info("H200")["Architecture"] == "sm_90"


def test_a_large_variant_is_laid_over(write: Callable[..., Path], tree: Tree) -> None:
    tree["Extensions"] = {"acme": {f"k{i}": i for i in range(20_000)}}
    tree["Variants"] = [{"Name": "Big", "Extensions": tree["Extensions"]}]
    write(tree)
    assert nexus.lookup_device_info("Big")["Extensions", "acme", "k19999"] == 19_999
