# SPDX-License-Identifier: Apache-2.0
"""Properties of other machines, from recorded files of the system."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from building import ROOT
from machine_trees import ask, machine_files, write_tree

pytestmark = pytest.mark.long

KIB, MIB = 1 << 10, 1 << 20

Read = Callable[..., dict[str, Any]]


@pytest.fixture
def read(machine_tool: Path, tmp_path: Path) -> Read:
    """Returns the properties of a machine. changes: new texts of files; None removes a file."""

    def run(
        name: str, vendor: str = "-", architecture: str = "-", **options: Any
    ) -> dict[str, Any]:
        files = machine_files(name)
        for path, text in options.get("changes", {}).items():
            files.pop(path, None)
            if text is not None:
                files[path] = text
        return ask(
            machine_tool, "machine", vendor, architecture, write_tree(files, tmp_path / name)
        )

    return run


def chosen(values: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: values[key] for key in keys}


def memories(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {memory.pop("Name"): memory for memory in values["MemorySubsystem"]["MemoryTypes"]}


def cache(size: int, count: int, unit: str, threads: int, ways: int) -> dict[str, Any]:
    return {
        "Kind": "cache", "Size": size, "Count": count, "TotalSize": size * count,
        "SharedBy": unit, "ThreadsSharing": threads, "LineSize": 64, "Ways": ways,
    }  # fmt: skip


TOPOLOGY = ("CoreCount", "ThreadCount", "ThreadsPerCore", "SocketCount", "NumaNodeCount")


# ---- An Arm server ------------------------------------------------------


def test_an_arm_server_is_told_by_its_part_number(read: Read) -> None:
    values = read("arm-server")
    keys = ("Name", "Vendor", "Architecture", "Family", "Model", "Stepping")
    assert chosen(values, *keys) == {
        "Name": "neoverse-n1",  # Arm kernels tell no brand
        "Vendor": "ARM",
        "Architecture": "neoverse-n1",
        "Family": None,
        "Model": 0xD0C,
        "Stepping": 0x31,  # r3p1
    }


def test_an_arm_server_has_one_thread_in_each_core(read: Read) -> None:
    values = read("arm-server")
    assert chosen(values, *TOPOLOGY) == dict(zip(TOPOLOGY, (8, 8, 1, 1, 1), strict=True))
    assert values["CoreSubsystem"] == {
        "SubUnitType": "Core", "Count": 8, "ThreadCount": 8, "ThreadsPerCore": 1, "SIMDSize": 4,
        "BaseClock": 2800, "MaxClock": 3000,
    }  # fmt: skip


def test_an_arm_server_tells_each_cache(read: Read) -> None:
    assert memories(read("arm-server")) == {
        "L1": cache(64 * KIB, 8, "Core", 1, 4),
        "L2": cache(1 * MIB, 8, "Core", 1, 8),
        "L3": cache(32 * MIB, 1, "Device", 8, 16),
        "Global": {"Kind": "memory", "Size": 131072000 * KIB, "Count": 1},
        "L1i": cache(64 * KIB, 8, "Core", 1, 4),
    }


def test_an_arm_server_says_how_it_is_at_the_time(read: Read) -> None:
    keys = ("GlobalMemoryFree", "GlobalMemoryUsed", "MemoryUtilization")
    values = read("arm-server")
    assert chosen(values, *keys, "CurrentClock", "Temperature") == {
        "GlobalMemoryFree": 117964800 * KIB,  # what programs can get, not what is unused
        "GlobalMemoryUsed": 13107200 * KIB,
        "MemoryUtilization": 10,
        "CurrentClock": 2750,  # of the fastest
        "Temperature": 47.5,  # not the case's 90
    }


def test_limits_of_version_2_are_the_smallest_of_the_groups_around(read: Read) -> None:
    limits = chosen(read("arm-server"), "ProcessorTimeLimit", "MemoryLimit")
    assert limits == {"ProcessorTimeLimit": 3.5, "MemoryLimit": 64 << 30}


def test_without_cpuinfo_the_register_tells_the_part(read: Read) -> None:
    values = read("arm-server", changes={"/proc/cpuinfo": None})
    assert chosen(values, "Vendor", "Architecture", "Stepping", "ThreadCount") == {
        "Vendor": "ARM", "Architecture": "neoverse-n1", "Stepping": 0x31, "ThreadCount": 8,
    }  # fmt: skip


def test_without_the_list_cpuinfo_tells_the_threads(read: Read) -> None:
    online = "/sys/devices/system/cpu/online"
    assert read("arm-server", changes={online: None})["ThreadCount"] == 8


def test_a_socket_that_the_firmware_does_not_tell_is_not_found(read: Read) -> None:
    package = "/sys/devices/system/cpu/cpu0/topology/physical_package_id"
    assert read("arm-server", changes={package: "-1\n"})["SocketCount"] is None


def test_vector_and_matrix_extensions_are_told_apart(read: Read) -> None:
    line = "processor : 0\nFeatures : fp asimd aes sve svei8mm i8mm bf16 sme smef64f64 paca\n"
    line += "CPU implementer : 0x41\nCPU part : 0xd4f\n"
    values = read("arm-server", changes={"/proc/cpuinfo": line})
    assert values["VectorExtensions"] == ["asimd", "sve", "bf16"]
    assert values["MatrixExtensions"] == ["svei8mm", "i8mm", "sme", "smef64f64"]


# ---- Cores of several kinds ---------------------------------------------


def test_an_arm_machine_tells_each_kind_of_core_with_the_largest_first(read: Read) -> None:
    values = read("arm-three-kinds")
    assert values["Architecture"] == "cortex-x1"
    units = [("cortex-x1", 1, 2802), ("cortex-a55", 4, 1803), ("cortex-a78", 3, 2250)]
    assert values["CoreSubsystem"]["Units"] == [
        {
            "Name": name, "Count": count, "TotalCount": count, "ThreadsPerCore": 1,
            "MaxClock": clock, "Architecture": name,
        }
        for name, count, clock in units
    ]  # fmt: skip


def test_what_a_machine_does_not_tell_is_not_found(read: Read) -> None:
    values = read("arm-three-kinds")
    assert values["MemorySubsystem"]["SupportedMemoryTypes"] == ["Global"]
    keys = ("NumaNodeCount", "BaseClock", "CacheLineSize", "CurrentClock", "MemoryLimit")
    assert chosen(values, *keys) == dict.fromkeys(keys)


def test_without_the_kernels_estimate_unused_memory_is_free(read: Read) -> None:
    assert read("arm-three-kinds")["GlobalMemoryFree"] == 781250 * KIB


def test_of_several_thermal_zones_the_hottest_of_the_processor_counts(read: Read) -> None:
    assert read("arm-three-kinds")["Temperature"] == 58.25


def test_a_hybrid_client_tells_its_kinds_of_cores(read: Read) -> None:
    values = read("hybrid-client", "Intel", "alderlake")
    assert values["CoreSubsystem"] == {
        "SubUnitType": "Core",
        "Count": 12,
        "ThreadCount": 16,  # no ThreadsPerCore: the cores differ in it
        "BaseClock": 3200,
        "MaxClock": 4900,
        "Units": [
            {
                "Name": "P-core",
                "Count": 4,
                "TotalCount": 4,
                "ThreadsPerCore": 2,
                "BaseClock": 3200,
                "MaxClock": 4900,
            },
            {
                "Name": "E-core",
                "Count": 8,
                "TotalCount": 8,
                "ThreadsPerCore": 1,
                "BaseClock": 2400,
                "MaxClock": 3600,
                "Architecture": "gracemont",
            },
        ],
    }


def test_a_hybrid_client_tells_the_caches_of_each_kind(read: Read) -> None:
    found = memories(read("hybrid-client", "Intel", "alderlake"))
    assert found == {
        "L1": cache(48 * KIB, 4, "P-core", 2, 12),
        "L2": cache(1280 * KIB, 4, "P-core", 2, 10),
        "L3": cache(18 * MIB, 1, "Device", 16, 9),
        "Global": {"Kind": "memory", "Size": 32768000 * KIB, "Count": 1},
        "L1i": cache(32 * KIB, 4, "P-core", 2, 8),
        "E-core L1": cache(32 * KIB, 8, "E-core", 1, 8),
        "E-core L2": cache(2 * MIB, 2, "E-core cluster", 4, 16),
        "E-core L1i": cache(64 * KIB, 8, "E-core", 1, 8),
    }
    assert list(found)[:4] == ["L1", "L2", "L3", "Global"]


def test_a_hybrid_client_says_how_it_is_at_the_time(read: Read) -> None:
    values = read("hybrid-client", "Intel", "alderlake")
    assert chosen(values, "CurrentClock", "Temperature", "ProcessorTimeLimit", "MemoryLimit") == {
        "CurrentClock": 4000, "Temperature": 62, "ProcessorTimeLimit": None, "MemoryLimit": None,
    }  # fmt: skip


def test_the_smaller_cores_of_another_generation_have_no_architecture(read: Read) -> None:
    units = read("hybrid-client", "Intel", "meteorlake")["CoreSubsystem"]["Units"]
    assert ["Architecture" in unit for unit in units] == [False, False]


# ---- Two sockets --------------------------------------------------------


def test_two_sockets_are_counted(read: Read) -> None:
    values = read("two-sockets", "AMD", "znver4")
    assert chosen(values, *TOPOLOGY) == dict(zip(TOPOLOGY, (8, 16, 2, 2, 4), strict=True))
    assert chosen(values, "BaseClock", "CoreClockRate") == {
        "BaseClock": 2400,
        "CoreClockRate": 3700,
    }


def test_caches_of_one_level_may_differ_in_size(read: Read) -> None:
    found = memories(read("two-sockets", "AMD", "znver4"))
    assert found["L3"] == {
        **cache(32 * MIB, 4, "CCX", 4, 16),
        "MaxSize": 96 * MIB,
        "TotalSize": 192 * MIB,
    }
    assert found["L2"] == cache(1 * MIB, 8, "Core", 2, 8)


def test_a_cache_that_a_socket_shares_says_so(read: Read) -> None:
    shared = {
        f"/sys/devices/system/cpu/cpu{i}/cache/index3/shared_cpu_list": "0-3,8-11\n"
        if i % 8 < 4
        else "4-7,12-15\n"
        for i in range(16)
    }
    l3 = memories(read("two-sockets", "AMD", "znver4", changes=shared))["L3"]
    assert chosen(l3, "SharedBy", "Count", "ThreadsSharing") == {
        "SharedBy": "Socket",
        "Count": 2,
        "ThreadsSharing": 8,
    }


def test_caches_that_do_not_tell_who_shares_them_are_not_counted(read: Read) -> None:
    lists = {
        f"/sys/devices/system/cpu/cpu{i}/cache/index2/shared_cpu_list": None for i in range(16)
    }
    l2 = memories(read("two-sockets", "AMD", "znver4", changes=lists))["L2"]
    assert l2 == {"Kind": "cache", "Size": 1 * MIB, "LineSize": 64, "Ways": 8}


def test_a_processor_that_is_off_is_not_counted(read: Read) -> None:
    changes = {
        "/sys/devices/system/cpu/online": "0-14\n",
        "/sys/devices/system/cpu/cpu7/topology/thread_siblings_list": "7\n",
    }
    values = read("two-sockets", "AMD", "znver4", changes=changes)
    assert chosen(values, "CoreCount", "ThreadCount", "ThreadsPerCore") == {
        "CoreCount": 8,
        "ThreadCount": 15,
        "ThreadsPerCore": None,
    }


def test_a_value_that_steers_the_fan_is_no_temperature(read: Read) -> None:
    assert read("two-sockets", "AMD", "znver4")["Temperature"] == 56.5


def test_limits_of_version_1_are_found(read: Read) -> None:
    limits = chosen(read("two-sockets", "AMD", "znver4"), "ProcessorTimeLimit", "MemoryLimit")
    assert limits == {"ProcessorTimeLimit": 6, "MemoryLimit": 16 << 30}


# ---- A virtual machine, recorded ----------------------------------------


def test_a_virtual_machine_hides_clocks_and_sensors(read: Read) -> None:
    values = read("virtual-machine", "Intel", "emeraldrapids")
    hidden = ("BaseClock", "CoreClockRate", "CurrentClock", "Temperature")
    assert chosen(values, *hidden) == dict.fromkeys(hidden)
    assert chosen(values, *TOPOLOGY) == dict(zip(TOPOLOGY, (2, 2, 1, 1, 1), strict=True))
    found = memories(values)
    assert found["L2"] == cache(2 * MIB, 2, "Core", 1, 16)
    assert found["L3"] == cache(260 * MIB, 1, "Device", 2, 20)


# ---- The form of the trees ----------------------------------------------


@pytest.mark.parametrize("name", ["arm-server", "arm-three-kinds", "hybrid-client", "two-sockets"])
def test_trees_have_the_keys_and_the_order_of_device_files(read: Read, name: str) -> None:
    schema = json.loads((ROOT / "schema" / "device_info.schema.json").read_text(encoding="utf-8"))
    values = read(name, "Intel", "alderlake") if name == "hybrid-client" else read(name)
    core, memory = values["CoreSubsystem"], values["MemorySubsystem"]
    # Two keys of the catalogue exist only on present devices, not in files.
    names = memory.pop("SupportedMemoryTypes")
    assert names == [one["Name"] for one in memory["MemoryTypes"]]
    for one in memory["MemoryTypes"]:
        one.pop("ThreadsSharing", None)
    parts = [("core_subsystem", core), ("memory_subsystem", memory)]
    parts += [("unit", unit) for unit in core.get("Units", [])]
    parts += [("memory", one) for one in memory["MemoryTypes"]]
    for form, part in parts:
        known = list(schema["$defs"][form]["properties"])
        assert list(part) == sorted(part, key=known.index)


# ---- Between two looks --------------------------------------------------


@pytest.fixture
def between(machine_tool: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Returns the difference of two readings of the hybrid client, with changes in between."""

    def run(changes: dict[str, str], milliseconds: int = 1000) -> dict[str, Any]:
        files = machine_files("hybrid-client")
        before = write_tree(files, tmp_path / "before")
        after = write_tree({**files, **changes}, tmp_path / "after")
        return ask(machine_tool, "activity", before, after, str(milliseconds))

    return run


def test_utilization_is_the_part_of_the_ticks_that_were_not_idle(
    between: Callable[..., dict[str, Any]],
) -> None:
    # From cpu 3000 100 900 20000 1000 50 50 0 0 0.
    busy = {"/proc/stat": "cpu  3020 100 905 20060 1010 50 50 5 900 0\n"}
    assert between(busy)["CoreUtilization"] == 30  # the guest's 900 are among the first 3020
    idle = {"/proc/stat": "cpu  3000 100 900 20100 990 50 50 0 0 0\n"}
    assert between(idle)["CoreUtilization"] == 0
    full = {"/proc/stat": "cpu  3010 100 900 20000 1000 50 50 0 0 0\n"}
    assert between(full)["CoreUtilization"] == 100


def test_without_a_tick_there_is_no_utilization(between: Callable[..., dict[str, Any]]) -> None:
    assert between({})["CoreUtilization"] is None


def test_power_is_the_energy_of_the_packages_in_the_time(
    between: Callable[..., dict[str, Any]],
) -> None:
    zone = "/sys/class/powercap/intel-rapl:0"
    assert between({f"{zone}/energy_uj": "262143250000\n"}, 500)["PowerDraw"] == 0.5
    # It begins again at 0 after 262143328850.
    assert between({f"{zone}/energy_uj": "19671150\n"}, 2000)["PowerDraw"] == 10
    assert between({f"{zone}/energy_uj": ""})["PowerDraw"] is None
