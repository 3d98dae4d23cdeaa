# SPDX-License-Identifier: Apache-2.0
"""Malformed files in /proc and /sys: nothing fails, and no missing value is 0."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from machine_trees import Files, ask, machine_files, write_tree

pytestmark = pytest.mark.long

MACHINES = ("arm-server", "arm-three-kinds", "hybrid-client", "two-sockets", "virtual-machine")
HUGE = 1 << 20

ODD_TEXTS = [
    "",
    "\n",
    " ",
    "\0",
    "-1",
    "0",
    "0\n",
    "x",
    "12abc",
    "1e9",
    "0x",
    "99999999999999999999999",
    "18446744073709551615",
    "9223372036854775807",
    "18446744073709551615K",
    "18446744073709551615 kB",
    "-",
    "3-1",
    "0-",
    "0-4294967295",
    "0-65535,0-65535",
    "1,2,",
    ",,,",
    ":::",
    "0::" + "/x" * 5000,
    "cpu ",
    "cpu  1 2",
    "cpu  1 2 3 4 5 6 7 99999999999999999999",
    "processor : 4294967296\nCPU implementer : 0x41\nCPU part : 0xfffffffff",
    "MemTotal: kB\nMemAvailable: 18446744073709551615 kB",
    "max max",
    "100000 0",
    "\xff\xfe\u2603",
    "9" * HUGE,
    "0::/\n" * (HUGE // 5),
]

# Numbers that may truly be 0.
MAY_BE_ZERO = {"MemoryUtilization", "GlobalMemoryFree", "GlobalMemoryUsed", "UnifiedMemory"}
MAY_BE_ZERO |= {"Model", "Stepping", "ProcessorTimeLimit", "MemoryLimit"}


def numbers(value: Any, key: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield from numbers(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from numbers(one, key)
    elif isinstance(value, int | float):
        yield key, value


def check(values: dict[str, Any]) -> None:
    """Makes the checks that hold for every machine."""
    wrong = [(k, n) for k, n in numbers(values) if n < 0 or (n == 0 and k not in MAY_BE_ZERO)]
    assert wrong == []
    assert [(key, number) for key, number in numbers(values) if number >= 2**63] == []
    assert (values["MemoryUtilization"] or 0) <= 100
    assert (values["CoreCount"] or 0) <= (values["ThreadCount"] or 0)
    names = [memory["Name"] for memory in values["MemorySubsystem"]["MemoryTypes"]]
    assert names == values["MemorySubsystem"]["SupportedMemoryTypes"]
    assert len(set(names)) == len(names)
    assert values["CoreSubsystem"]["SubUnitType"] == "Core"


def read_as_each(tool: Path, root: Path) -> None:
    check(ask(tool, "machine", "-", "-", root))
    check(ask(tool, "machine", "Intel", "alderlake", root))
    ask(tool, "activity", root, root, "1000")


@pytest.mark.parametrize("name", MACHINES)
def test_each_machine_is_told_without_a_zero(machine_tool: Path, tmp_path: Path, name: str) -> None:
    read_as_each(machine_tool, write_tree(machine_files(name), tmp_path))


def test_a_machine_that_tells_nothing_has_nothing(machine_tool: Path, tmp_path: Path) -> None:
    values = ask(machine_tool, "machine", "-", "-", tmp_path)
    assert values.pop("CoreSubsystem") == {"SubUnitType": "Core"}
    assert values.pop("MemorySubsystem") == {
        "UnifiedMemory": 1,
        "MemoryTypes": [],
        "SupportedMemoryTypes": [],
    }
    assert {key for key, value in values.items() if value} == set()


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: repr(text[:24]))
@pytest.mark.parametrize("name", ["arm-server", "hybrid-client"])
def test_the_same_odd_text_everywhere(
    machine_tool: Path, tmp_path: Path, name: str, text: str
) -> None:
    files = machine_files(name)
    few = text if len(text) < HUGE else text[:8192]
    odd = {path: text if path.startswith("/proc") else few for path in files}
    read_as_each(machine_tool, write_tree(odd, tmp_path))


@pytest.mark.parametrize("name", ["arm-server", "hybrid-client", "two-sockets"])
def test_each_file_cut_off_in_the_middle(machine_tool: Path, tmp_path: Path, name: str) -> None:
    files = {path: text[: len(text) // 2] for path, text in machine_files(name).items()}
    read_as_each(machine_tool, write_tree(files, tmp_path))


def test_words_that_name_nothing_are_no_features(machine_tool: Path, tmp_path: Path) -> None:
    text = "processor : 0\nFeatures : asimd asimd\u2603 sve\0 \x7f sve2\n"
    write_tree({"/proc/cpuinfo": text}, tmp_path)
    values = ask(machine_tool, "machine", "-", "-", tmp_path)
    assert values["VectorExtensions"] == ["asimd", "sve2"]


def test_folders_and_pipes_in_the_place_of_files(machine_tool: Path, tmp_path: Path) -> None:
    for index, path in enumerate(machine_files("hybrid-client")):
        place = tmp_path / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if index % 2:
            os.mkfifo(place)
        else:
            place.mkdir()
    read_as_each(machine_tool, tmp_path)


ODD_FILES = st.dictionaries(
    st.integers(min_value=0, max_value=10_000),
    st.sampled_from(ODD_TEXTS[:-2])
    | st.text(alphabet="0123456789-, :\nKMkBx", max_size=30)
    | st.binary(max_size=30).map(lambda data: data.decode("latin-1"))
    | st.none(),
    min_size=1,
    max_size=40,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(name=st.sampled_from(MACHINES[:4]), odd=ODD_FILES)
def test_some_odd_files_among_good_ones(
    machine_tool: Path, tmp_path: Path, name: str, odd: dict[int, str | None]
) -> None:
    files: Files = machine_files(name)
    paths = sorted(files)
    for index, text in odd.items():
        path = paths[index % len(paths)]
        if text is None:
            files.pop(path, None)
        else:
            files[path] = text
    root = tmp_path / "root"
    shutil.rmtree(root, ignore_errors=True)
    read_as_each(machine_tool, write_tree(files, root))
