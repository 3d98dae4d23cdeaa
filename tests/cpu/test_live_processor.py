# SPDX-License-Identifier: Apache-2.0
"""Properties of this machine equal those of lscpu and Python."""

from __future__ import annotations

import json
import mmap
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from building import ROOT

import nexus


@pytest.fixture(scope="module")
def cpu() -> nexus.Device:
    return nexus.get_device("cpu")


def run_lscpu(*words: str) -> Any:
    """Returns lscpu's output as JSON; skips the test without lscpu."""
    program = shutil.which("lscpu")
    if program is None:
        pytest.skip("not checked: lscpu is missing")
    made = subprocess.run(
        [program, "--json", *words],
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(made.stdout)


def fields(rows: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Flattens the rows, which newer versions nest."""
    for row in rows:
        yield row["field"].rstrip(":"), row["data"]
        yield from fields(row.get("children", []))


@pytest.fixture(scope="module")
def lscpu() -> dict[str, str]:
    return dict(fields(run_lscpu()["lscpu"]))


def read(device: nexus.Device, key: str) -> Any:
    """Returns the value, or None."""
    return device.get_property(key) if key in device.get_property_keys() else None


def told(value: str | None) -> int | None:
    """Returns lscpu's number, or None if it is missing or "-"."""
    return int(value) if value is not None and value.isdigit() else None


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("ThreadCount", "CPU(s)"),
        ("ThreadsPerCore", "Thread(s) per core"),
        ("SocketCount", "Socket(s)"),
        ("NumaNodeCount", "NUMA node(s)"),
    ],
)
def test_counts_are_those_of_lscpu(
    cpu: nexus.Device, lscpu: dict[str, str], key: str, field: str
) -> None:
    expected = told(lscpu.get(field))
    if expected is None:
        pytest.skip(f"not checked: lscpu does not report {field}")
    assert read(cpu, key) == expected


def test_cores_are_those_of_lscpu(cpu: nexus.Device) -> None:
    rows = run_lscpu("-e=CPU,CORE,SOCKET")["cpus"]
    assert read(cpu, "CoreCount") == len({(row["socket"], row["core"]) for row in rows})


def test_the_processor_is_that_of_lscpu(cpu: nexus.Device, lscpu: dict[str, str]) -> None:
    if lscpu["Architecture"] != "x86_64":
        pytest.skip("not checked: lscpu has names and numbers of its own for Arm's processors")
    maker = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD"}
    expected = {
        "Name": lscpu["Model name"].strip(),
        "Vendor": maker.get(lscpu["Vendor ID"], lscpu["Vendor ID"]),
        "Family": int(lscpu["CPU family"]),
        "Model": int(lscpu["Model"]),
        "Stepping": int(lscpu["Stepping"]),
    }
    assert {key: read(cpu, key) for key in expected} == expected


def test_vector_and_matrix_extensions_are_features(cpu: nexus.Device) -> None:
    features = set(cpu.get_property("Features").split(","))
    vectors, matrices = read(cpu, "VectorExtensions"), read(cpu, "MatrixExtensions")
    assert vectors
    assert set(vectors) <= features
    assert set(matrices or ()) <= features - set(vectors)


def test_the_memory_is_that_of_the_system(cpu: nexus.Device) -> None:
    assert read(cpu, "GlobalMemorySize") == os.sysconf("SC_PHYS_PAGES") * mmap.PAGESIZE
    assert read(cpu, "PageSize") == mmap.PAGESIZE


def test_caches_are_those_of_lscpu(cpu: nexus.Device) -> None:
    listed = run_lscpu("-B", "-C=NAME,ONE-SIZE,ALL-SIZE,WAYS,COHERENCY-SIZE").get("caches")
    if not listed:
        pytest.skip("not checked: lscpu tells no caches")
    subsystem = cpu.get_property("MemorySubsystem")
    found = {memory["Name"]: memory for memory in subsystem["MemoryTypes"]}
    if any("core L" in name for name in found):
        pytest.skip("not checked: lscpu tells the caches of one kind of core only")
    keys = ("Size", "TotalSize", "Ways", "LineSize")
    expected = {
        cache["name"].replace("L1d", "L1"): tuple(
            int(cache[column]) for column in ("one-size", "all-size", "ways", "coherency-size")
        )
        for cache in listed
    }
    del found["Global"]
    assert {name: tuple(m[key] for key in keys) for name, m in found.items()} == expected


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_threads_that_the_process_may_use_are_those_of_its_affinity(cpu: nexus.Device) -> None:
    allowed = os.sched_getaffinity(0)
    assert read(cpu, "UsableThreadCount") == len(allowed)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert read(cpu, "UsableThreadCount") == 1
    finally:
        os.sched_setaffinity(0, allowed)


def test_what_is_live_is_within_its_bounds(cpu: nexus.Device) -> None:
    size = cpu.get_property("GlobalMemorySize")
    assert 0 < cpu.get_property("GlobalMemoryFree") <= size
    assert 0 < cpu.get_property("GlobalMemoryUsed") < size
    assert 0 <= cpu.get_property("MemoryUtilization") <= 100
    assert 0 <= cpu.get_property("CoreUtilization") <= 100


def test_many_threads_read_properties_at_the_same_time(cpu: nexus.Device) -> None:
    keys = cpu.get_property_keys()
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: {key: read(cpu, key) for key in keys}, range(32)))
    for answer in answers:
        assert 0 <= answer["CoreUtilization"] <= 100
        for key in ("Name", "CoreCount", "MemorySubsystem", "CoreSubsystem", "KernelModel"):
            assert answer.get(key) == read(cpu, key)


def test_trees_agree_with_the_properties_beside_them(cpu: nexus.Device) -> None:
    core = cpu.get_property("CoreSubsystem")
    flat = {"Count": "CoreCount", "BaseClock": "BaseClock", "MaxClock": "CoreClockRate"}
    flat |= {key: key for key in ("ThreadCount", "ThreadsPerCore", "SIMDSize", "SubUnitType")}
    assert {key: core.get(key) for key in flat} == {key: read(cpu, flat[key]) for key in flat}
    model = cpu.get_property("KernelModel")
    assert model["Processor"] == read(cpu, "Architecture")
    memory = cpu.get_property("MemorySubsystem")
    names = memory["SupportedMemoryTypes"]
    assert names[:3] == ["Global", "L2", "L1"]
    assert [each["Name"] for each in memory["MemoryTypes"]] == names
    assert read(cpu, "GlobalMemorySize") == memory["MemoryTypes"][0]["Size"]
    assert read(cpu, "CacheLineSize") == memory["MemoryTypes"][2]["LineSize"]


def test_this_processor_has_a_device_file(cpu: nexus.Device) -> None:
    words = (cpu.get_property(key) for key in ("Vendor", "Type", "Architecture"))
    stem = "-".join(words).lower().replace(" ", "_")
    assert Path(ROOT / "devices" / f"{stem}.json").is_file()
