# SPDX-License-Identifier: Apache-2.0
"""Properties that change while a GPU runs come from NVML, and are missing without it."""

from __future__ import annotations

from pathlib import Path

import cuda_machine
import pytest
from cuda_machine import CudaMachine

LIVE = {
    "GlobalMemoryFree": 4200,
    "GlobalMemoryUsed": 2100,
    "MemoryUtilization": 30,
    "CoreUtilization": 34,
    "MemoryBusUtilization": 12,
    "CurrentClock": 1755,
    "CurrentMemoryClock": 2619,
    "Temperature": 42.0,
    "PowerDraw": 123.456,
    "PowerLimit": 650.0,
    "MaxPower": 700.0,
    "FanSpeed": 30,
    "CorrectedMemoryErrors": 5,
    "UncorrectedMemoryErrors": 0,
    "CurrentLinkGeneration": 1,
    "CurrentLinkWidth": 8,
    "MIGMode": 0,
    "DriverVersion": "550.54.15",
    "PCIExpress": {"Generation": 5, "Lanes": 16},
    "Power": {"MinPower": 200.0, "MaxPower": 700.0, "MaxTemperature": 87.0},
}
# With MIG, these values are missing or differ for an instance.
OF_THE_INSTANCE = {"GlobalMemoryFree": 600, "GlobalMemoryUsed": 300, "MIGMode": 1}
NOT_OF_AN_INSTANCE = {"CoreUtilization", "MemoryBusUtilization"}
ONCE = "NVML can't be used"


def live(machine: CudaMachine) -> dict[str, object]:
    """Returns the machine's values from NVML."""
    return {name: value for name, value in machine.device().items() if name in LIVE}


def test_all_that_nvml_knows(machine: CudaMachine) -> None:
    assert live(machine) == LIVE


def test_each_device_is_found_by_its_uuid(machine: CudaMachine) -> None:
    two = machine.having(FAKE_CUDA="devices=2,attribute.139=refused", FAKE_NVML="gpus=2")
    assert [two.device(each)["PCIDeviceID"] for each in (0, 1)] == [0x2330, 0x2330]
    assert [two.device(each)["PCIVendorID"] for each in (0, 1)] == [0x10DE, 0x10DF]


@pytest.mark.parametrize("why", ["uuid=0", "uuid=1"])
def test_without_a_uuid_a_device_is_found_by_its_pci_address(
    machine: CudaMachine, why: str
) -> None:
    refusing = machine.having(FAKE_CUDA=why, FAKE_NVML="refuse=DeviceGetHandleByUUID")
    assert live(refusing) == LIVE


def test_an_instance_of_mig_has_its_own_memory_and_its_gpus_sensors(machine: CudaMachine) -> None:
    expected = {k: v for k, v in (LIVE | OF_THE_INSTANCE).items() if k not in NOT_OF_AN_INSTANCE}
    assert live(machine.having(FAKE_NVML="mig=2")) == expected


def test_an_instance_that_nvml_hides_does_not_tell_its_gpus_memory(machine: CudaMachine) -> None:
    hidden = machine.having(FAKE_NVML="mig=2 refuse=DeviceGetHandleByUUID")
    told = live(hidden)
    assert not {"GlobalMemoryFree", "GlobalMemoryUsed", "MemoryUtilization"} & told.keys()
    assert (told["MIGMode"], told["Temperature"]) == (1, 42.0)


def test_an_older_nvml_tells_what_it_can(driver: Path, old_nvml: Path) -> None:
    # The memory in use includes the driver's own.
    older = {"Temperature": 41.0, "GlobalMemoryUsed": 2800, "MemoryUtilization": 40}
    assert live(cuda_machine.named(driver, old_nvml)) == LIVE | older


@pytest.mark.parametrize(
    ("function", "names"),
    [
        ("DeviceGetFanSpeed", {"FanSpeed"}),
        ("DeviceGetPowerUsage", {"PowerDraw"}),
        ("DeviceGetTotalEccErrors", {"CorrectedMemoryErrors", "UncorrectedMemoryErrors"}),
        ("DeviceGetUtilizationRates", {"CoreUtilization", "MemoryBusUtilization"}),
        ("DeviceGetCurrPcieLinkWidth", {"CurrentLinkWidth"}),
    ],
)
def test_what_a_gpu_does_not_measure_is_not_there(
    machine: CudaMachine, function: str, names: set[str]
) -> None:
    expected = {name: value for name, value in LIVE.items() if name not in names}
    assert live(machine.having(FAKE_NVML=f"refuse={function}")) == expected


def test_a_gpu_that_can_not_be_divided_is_a_whole_one(machine: CudaMachine) -> None:
    assert live(machine.having(FAKE_NVML="refuse=DeviceGetMigMode"))["MIGMode"] == 0


def test_without_nvml_the_values_are_absent_and_never_0(driver: Path) -> None:
    assert live(cuda_machine.named(driver)) == {}


def test_without_nvml_one_line_of_the_log_says_so(driver: Path) -> None:
    twice = (
        "import nexus\nfor _ in range(2): nexus.get_device('cuda').get_property_keys()\nprint(0)"
    )
    log = cuda_machine.named(driver).run(twice)[1]
    assert log.count(ONCE) == 1
    assert "/nonexistent/lib.so.1" in log
    assert "NEXUS_NVML_LIBRARY" in log


def test_an_nvml_that_does_not_start_is_none(machine: CudaMachine) -> None:
    broken = machine.having(FAKE_NVML="init=18")
    assert live(broken) == {}
    log = broken.run("import nexus; nexus.get_device('cuda').get_property_keys(); print(0)")[1]
    assert "returned 18" in log


def test_a_file_that_is_no_nvml_is_refused(driver: Path, tmp_path: Path) -> None:
    text = tmp_path / "libnvidia-ml.so.1"
    text.write_text("no library")
    assert live(cuda_machine.named(driver, text)) == {}
    assert live(cuda_machine.named(driver, driver)) == {}  # a library without nvmlInit_v2


def test_the_setting_names_nvml_too(driver: Path, nvml: Path) -> None:
    code = f"import nexus\nnexus.set_config('cuda.nvml', {str(nvml)!r})\n"
    code += "print(nexus.get_device('cuda').get_property_int('FanSpeed'))"
    alone = cuda_machine.named(driver).having(NEXUS_NVML_LIBRARY="")
    assert alone.run(code)[0] == 30


def test_nvml_is_not_opened_before_it_is_asked(driver: Path) -> None:
    code = "import nexus; print(nexus.get_device('cuda').get_property_int('MaxThreadsPerBlock'))"
    assert ONCE not in cuda_machine.named(driver).run(code)[1]
