# SPDX-License-Identifier: Apache-2.0
"""Devices of the simulated driver (tests/drivers), chosen by CUDA_VISIBLE_DEVICES."""

from __future__ import annotations

from typing import Any

import pytest
import simulated
from cuda_machine import CudaMachine

FOLDER = simulated.folder()
DEVICES = """
import json, nexus
def told(device):
    info = device.get_info()
    return {key: info.get(key, None) for key in ("UUID", "PCIAddress", "GlobalMemoryFree")}
print(json.dumps([told(device) for device in nexus.get_runtime("cuda").get_devices()]))
"""


@pytest.fixture(scope="module")
def two() -> CudaMachine:
    """Returns a machine with two simulated GPUs."""
    names = {"NEXUS_CUDA_DRIVER": "libcuda.so.1", "NEXUS_NVML_LIBRARY": "libnvidia-ml.so.1"}
    if not all((FOLDER / name).exists() for name in names.values()):
        pytest.skip("needs the simulated driver: ninja -C build simulated_cuda simulated_nvml")
    return CudaMachine({key: str(FOLDER / name) for key, name in names.items()})


@pytest.fixture(scope="module")
def both(two: CudaMachine) -> Any:
    """Returns the properties of the two devices."""
    return two.run(DEVICES)[0]


def test_the_devices_are_told_apart(both: Any) -> None:
    assert both[0]["UUID"] != both[1]["UUID"]
    assert both[0]["PCIAddress"] != both[1]["PCIAddress"]


def in_nvidias_form(uuid: str) -> str:
    """Returns a UUID as nvidia-smi -L writes it."""
    return f"GPU-{uuid[:8]}-{uuid[8:12]}-{uuid[12:16]}-{uuid[16:20]}-{uuid[20:]}"


@pytest.mark.parametrize("by_uuid", [False, True])
def test_a_device_alone_is_the_one_that_was_named(
    two: CudaMachine, both: Any, by_uuid: bool
) -> None:
    name = in_nvidias_form(both[1]["UUID"]) if by_uuid else "1"
    assert two.having(CUDA_VISIBLE_DEVICES=name).run(DEVICES)[0] == both[1:]
