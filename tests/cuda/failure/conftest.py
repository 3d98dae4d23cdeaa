# SPDX-License-Identifier: Apache-2.0
"""The CUDA or HIP backend on the simulated driver in this process, where each call can fail.

A process has one driver: if it already uses another, these tests are skipped. HIP has its pools and
graphs on, so that the tests reach all of its functions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import nexus

_TESTS = Path(__file__).resolve().parents[2]
_PATHS = ("tests", "benchmarks/gpu", "benchmarks")
sys.path[:0] = [str(_TESTS.parent / each) for each in _PATHS]

from cuda_bench import DEVICES, FIRST, KERNELS, Bench  # noqa: E402
from driver_functions import BACKEND, DRIVER  # noqa: E402
from failure_programs import PROGRAMS  # noqa: E402
from simulated import Driver, HipDriver, environment, hip_environment  # noqa: E402
from simulated_cubin import Nvrtc  # noqa: E402

if BACKEND == "hip":
    collect_ignore = [
        f"test_{name}.py"
        for name in (
            "compiler_failures", "foreign_copies", "gpu_cases", "nvml_failures",
            "property_failures", "start_failures",
        )
    ]  # fmt: skip


def variables_of(**machine: int) -> dict[str, str]:
    """Returns the variables that select a simulated machine."""
    if BACKEND == "hip":
        settings = {"NEXUS_HIP_POOLS": "1", "NEXUS_HIP_GRAPHS": "1"}
        return hip_environment(7, None, **machine) | settings
    return environment(None, **machine)


@pytest.fixture(scope="session")
def machine() -> dict[str, str]:
    """Returns the variables that select the simulated drivers."""
    variables = variables_of()
    if find_spec(f"nexus_{BACKEND}") is None:
        pytest.skip(f"needs the plug-in: install nexus-{BACKEND}")
    if not all(Path(path).exists() for path in variables.values() if path.startswith("/")):
        pytest.skip("needs the simulated drivers: ninja -C build simulated_drivers")
    return variables


@pytest.fixture(scope="session")
def driver(machine: dict[str, str]) -> Driver:
    """Returns the driver of this process, which the backend uses."""
    setting = f"NEXUS_{BACKEND.upper()}_DRIVER"
    named = os.environ.get(setting, machine[setting])
    if named != machine[setting]:
        pytest.skip(f"needs a process of its own: {setting} is {named}")
    os.environ.update(variables_of(devices=DEVICES, memory=1 << 30))
    made = HipDriver() if BACKEND == "hip" else Driver()
    if len(nexus.get_runtime(BACKEND).get_devices()) != DEVICES:
        pytest.skip("needs a process of its own: the simulated driver was started before")
    return made


@pytest.fixture(scope="session")
def cubin(driver: Driver) -> bytes | nexus.ObjectCode:
    """Returns the kernels of these tests."""
    if BACKEND == "hip":
        return nexus.Program(KERNELS, "hip").compile(nexus.get_device(FIRST))
    return Nvrtc().compile(KERNELS, "kernels.cu", "--gpu-architecture=sm_90")


@pytest.fixture(scope="session")
def bench(driver: Driver, cubin: bytes | nexus.ObjectCode) -> Bench:
    """Returns the device that must survive all failures."""
    return Bench(driver, nexus.get_device(FIRST), cubin)


@pytest.fixture(scope="session")
def reached(bench: Bench) -> dict[str, dict[str, int]]:
    """Returns how often each program calls each function after a warm-up."""
    found: dict[str, dict[str, int]] = {name: {} for name in DRIVER}
    for name, program in PROGRAMS.items():
        for _ in range(2):
            bench.driver.forget()
            program(bench)
            bench.settle()
        for function in DRIVER:
            if calls := bench.driver.calls(function):
                found[function][name] = calls
    return found


@pytest.fixture(autouse=True)
def _no_fault_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "driver" in request.fixturenames:
        driver: Driver = request.getfixturevalue("driver")
        driver.clear_failures()
        driver.release()
