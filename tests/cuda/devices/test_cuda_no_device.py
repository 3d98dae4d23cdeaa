# SPDX-License-Identifier: Apache-2.0
"""Without a GPU the backend's record says what to do, and Nexus works."""

from __future__ import annotations

from pathlib import Path

import cuda_machine
import pytest
from cuda_machine import CudaMachine

NONE_SHOWN = "init=100"  # CUDA_ERROR_NO_DEVICE


@pytest.fixture
def hidden(machine: CudaMachine) -> CudaMachine:
    """Returns a machine with two GPUs, of which the driver shows none."""
    return machine.having(FAKE_CUDA=NONE_SHOWN, FAKE_NVML="gpus=2")


def shows(machine: CudaMachine, devices: str) -> str:
    """Returns why there is no device with a value of CUDA_VISIBLE_DEVICES."""
    return machine.having(CUDA_VISIBLE_DEVICES=devices).why_absent()


def test_no_driver() -> None:
    why = cuda_machine.CudaMachine({"LD_LIBRARY_PATH": ""}).why_absent()
    assert "NVIDIA's driver was not found" in why
    assert "install the driver" in why
    assert "docker run --gpus all" in why


def test_a_named_driver_that_is_not_there() -> None:
    assert "NEXUS_CUDA_DRIVER names that library" in cuda_machine.named().why_absent()


def test_a_library_that_is_no_driver(nvml: Path) -> None:
    assert "is not NVIDIA's driver" in cuda_machine.named(nvml).why_absent()


def test_a_driver_too_old_says_which_is_needed(machine: CudaMachine) -> None:
    why = machine.having(FAKE_CUDA="driver=11080").why_absent()
    assert "too old: it has CUDA 11.8" in why
    assert "CUDA 12.0 (on Linux 525.60.13)" in why
    assert "install a newer driver" in why


@pytest.mark.parametrize("settings", [NONE_SHOWN, "devices=0"])
def test_no_gpu(machine: CudaMachine, settings: str) -> None:
    why = machine.having(FAKE_CUDA=settings, FAKE_NVML="gpus=0").why_absent()
    assert "finds no GPU" in why
    assert "nvidia-smi" in why


def test_no_gpu_and_no_nvml(driver: Path) -> None:
    why = cuda_machine.named(driver).having(FAKE_CUDA=NONE_SHOWN).why_absent()
    assert "finds no GPU" in why


def test_gpus_that_only_nvml_sees(hidden: CudaMachine) -> None:
    why = hidden.why_absent()
    assert why.count("Fake GPU 9000") == 2
    assert "/dev/nvidia-uvm" in why


@pytest.mark.parametrize("devices", ["", "-1", " ", "-1,0"])
def test_a_variable_that_hides_all(hidden: CudaMachine, devices: str) -> None:
    why = shows(hidden, devices)
    assert f"CUDA_VISIBLE_DEVICES is '{devices}', which hides all; unset it" in why
    assert "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f" in why


@pytest.mark.parametrize(
    ("devices", "first"),
    [("7", "7"), ("GPU-ffff", "GPU-ffff"), ("gpu0, 1", "gpu0"), ("MIG-1234", "MIG-1234")],
)
def test_a_variable_that_names_none(hidden: CudaMachine, devices: str, first: str) -> None:
    why = shows(hidden, devices)
    assert f"CUDA_VISIBLE_DEVICES is '{devices}', and there is no '{first}'" in why
    assert "name devices of this machine: 'Fake GPU 9000' (GPU-00010203" in why


def test_a_variable_that_names_a_device_twice(machine: CudaMachine) -> None:
    twice = machine.having(FAKE_CUDA="init=101")
    assert "which names '0' twice" in shows(twice, "1,0,0")


def test_a_variable_that_names_an_instance_where_none_is_divided(hidden: CudaMachine) -> None:
    assert "MIG is turned off" in shows(hidden, "MIG-1234")
    assert "MIG is turned off" not in shows(hidden, "GPU-1234")


def test_instances_are_listed_where_gpus_are_divided(machine: CudaMachine) -> None:
    divided = machine.having(FAKE_CUDA=NONE_SHOWN, FAKE_NVML="mig=2")
    why = shows(divided, "GPU-1234")
    assert why.count("an instance of 'Fake GPU 9000' (MIG-") == 2


def test_without_nvml_nvidia_smi_is_named(driver: Path) -> None:
    machine = cuda_machine.named(driver).having(FAKE_CUDA=NONE_SHOWN)
    assert "nvidia-smi -L lists them" in shows(machine, "7")


@pytest.mark.parametrize("devices", [None, "0"])
def test_a_gpu_that_is_divided_into_nothing(machine: CudaMachine, devices: str | None) -> None:
    divided = machine.having(FAKE_CUDA=NONE_SHOWN, FAKE_NVML="mig=0")
    why = divided.why_absent() if devices is None else shows(divided, devices)
    assert "divided by MIG and has no instance" in why
    assert "nvidia-smi mig -cgi" in why


def test_many_gpus_are_not_all_listed(machine: CudaMachine) -> None:
    many = machine.having(FAKE_CUDA=NONE_SHOWN, FAKE_NVML="mig=7 gpus=2")
    assert shows(many, "7").endswith(" and 6 more.")


@pytest.mark.parametrize(
    ("result", "remedy"),
    [
        ("34", "toolkit's stub"),
        ("46", "another process has the device"),
        ("802", "nvidia-fabricmanager"),
        ("803", "restart the system"),
        ("804", "LD_LIBRARY_PATH"),
        ("999", "starting NVIDIA's driver failed"),
    ],
)
def test_a_driver_that_does_not_start(machine: CudaMachine, result: str, remedy: str) -> None:
    assert remedy in machine.having(FAKE_CUDA=f"init={result}").why_absent()


LIST = "import nexus, json; print(json.dumps(len(nexus.get_runtime('cuda').get_devices())))"


def test_a_wrong_name_among_right_ones_is_told_to_the_log(machine: CudaMachine) -> None:
    count, log = machine.having(CUDA_VISIBLE_DEVICES="0,9,1").run(LIST)
    assert count == 1
    assert "there is no '9', so CUDA ignores it and the entries after it" in log


@pytest.mark.parametrize("devices", ["0", "0,-1,1", "0,"])
def test_a_list_that_ends_is_none_to_tell_of(machine: CudaMachine, devices: str) -> None:
    log = machine.having(CUDA_VISIBLE_DEVICES=devices).run(LIST)[1]
    assert "CUDA_VISIBLE_DEVICES" not in log


def test_a_second_instance_of_mig_is_told_to_the_log(machine: CudaMachine) -> None:
    two = machine.having(CUDA_VISIBLE_DEVICES="MIG-1,MIG-2", FAKE_NVML="mig=2")
    assert "a process can use only the first MIG instance" in two.run(LIST)[1]
