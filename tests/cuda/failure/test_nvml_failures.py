# SPDX-License-Identifier: Apache-2.0
"""If a function of NVML fails, only its values are missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cuda_bench import UNKNOWN, Bench, run_alone
from driver_functions import NVML

# Properties that are missing, or come from elsewhere, when a function fails.
GONE = {
    "nvmlSystemGetDriverVersion": {"DriverVersion"},
    "nvmlDeviceGetMemoryInfo_v2": {"GlobalMemoryUsed", "MemoryUtilization"},  # older ones differ
    "nvmlDeviceGetUtilizationRates": {"CoreUtilization", "MemoryBusUtilization"},
    "nvmlDeviceGetTotalEccErrors": {"CorrectedMemoryErrors", "UncorrectedMemoryErrors"},
    "nvmlDeviceGetClockInfo": {"CurrentClock", "CurrentMemoryClock"},
    "nvmlDeviceGetPowerUsage": {"PowerDraw"},
    "nvmlDeviceGetEnforcedPowerLimit": {"PowerLimit"},
    "nvmlDeviceGetPowerManagementLimitConstraints": {"MaxPower", "Power"},
    "nvmlDeviceGetTemperature": {"Temperature"},
    "nvmlDeviceGetTemperatureThreshold": {"Power"},
    "nvmlDeviceGetMaxPcieLinkGeneration": {"PCIExpress"},
    "nvmlDeviceGetMaxPcieLinkWidth": {"PCIExpress"},
    "nvmlDeviceGetCurrPcieLinkGeneration": {"CurrentLinkGeneration"},
    "nvmlDeviceGetCurrPcieLinkWidth": {"CurrentLinkWidth"},
}
# Called to find the device; they have tests of their own.
FINDING = {"nvmlInit_v2", "nvmlDeviceGetHandleByUUID", "nvmlDeviceGetHandleByPciBusId_v2"}
# Their failure or absence changes no property of this device.
NOT_ASKED = {
    "nvmlDeviceGetMemoryInfo": "for an NVML without _v2",
    "nvmlDeviceGetTemperatureV": "the simulation lacks it",
    "nvmlDeviceGetFanSpeed": "the simulation says that there is no fan",
    "nvmlDeviceGetPciInfo_v3": "asked once in a process",
    "nvmlDeviceGetMigMode": "the simulation lacks it; tests/cuda/devices has it fail",
    "nvmlDeviceGetDeviceHandleFromMigDeviceHandle": "of instances: tests/cuda/devices",
    "nvmlDeviceGetMaxMigDeviceCount": "of instances: tests/cuda/devices",
    "nvmlDeviceGetMigDeviceHandleByIndex": "of instances: tests/cuda/devices",
    "nvmlDeviceGetCount_v2": "when no device is visible: tests/cuda/devices",
    "nvmlDeviceGetHandleByIndex_v2": "when no device is visible: tests/cuda/devices",
    "nvmlDeviceGetName": "when no device is visible: tests/cuda/devices",
    "nvmlDeviceGetUUID": "when no device is visible: tests/cuda/devices",
}
DEVICE = """
import json, nexus
device = nexus.get_device("cuda:0")
print(json.dumps(["PowerDraw" in device.get_property_keys(), device.get_property("Name"),
                  device.create_buffer(64).numpy().size]))
"""


def told(bench: Bench) -> dict[str, Any]:
    """Returns all properties of the device."""
    device = bench.device
    return {key: device.get_property(key) for key in device.get_property_keys() if key != "Keys"}


def test_each_function_is_tested_or_it_is_said_why_not() -> None:
    assert sorted([*GONE, *FINDING, *NOT_ASKED]) == sorted(NVML)


@pytest.mark.parametrize("function", [*GONE, *NOT_ASKED])
def test_what_nvml_does_not_tell_is_not_there(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    before = told(bench)
    monkeypatch.setenv("NEXUS_SIMULATED_NVML_FAIL", f"{function}:{UNKNOWN}")
    failing = told(bench)
    bench.device.get_info()
    changed = {key for key in before if before[key] != failing.get(key)}
    assert changed == GONE.get(function, set())
    monkeypatch.delenv("NEXUS_SIMULATED_NVML_FAIL")
    assert told(bench) == before


@pytest.mark.parametrize(
    ("functions", "known"),
    [
        (["nvmlInit_v2"], False),
        (["nvmlDeviceGetHandleByUUID"], True),  # it has a PCI address too
        (["nvmlDeviceGetHandleByPciBusId_v2"], True),
        (["nvmlDeviceGetHandleByUUID", "nvmlDeviceGetHandleByPciBusId_v2"], False),
    ],
)
def test_a_device_that_nvml_does_not_find_works(
    machine: dict[str, str], functions: list[str], known: bool
) -> None:
    planned = ",".join(f"{function}:{UNKNOWN}" for function in functions)
    run = run_alone(machine, DEVICE, NEXUS_SIMULATED_NVML_FAIL=planned)
    power, name, size = json.loads(run.stdout)
    assert (power, name, size) == (known, "Simulated GPU", 64)
    said = "NVML can't be used" in run.stderr and "nvmlInit_v2" in run.stderr
    assert said == ("nvmlInit_v2" in functions)
