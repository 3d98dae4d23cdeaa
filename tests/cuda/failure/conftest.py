# SPDX-License-Identifier: Apache-2.0
"""The CUDA backend on the simulated driver in this process, where each call can fail.

A process has one driver: if it already uses another, these tests are skipped.
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

from cuda_bench import DEVICES, KERNELS, Bench  # noqa: E402
from driver_functions import DRIVER  # noqa: E402
from failure_programs import PROGRAMS  # noqa: E402
from simulated import Driver, environment  # noqa: E402
from simulated_cubin import Nvrtc  # noqa: E402


@pytest.fixture(scope="session")
def machine() -> dict[str, str]:
    """Returns the variables that select the simulated drivers."""
    variables = environment()
    if find_spec("nexus_cuda") is None:
        pytest.skip("needs the plug-in: install nexus-cuda")
    if not all(Path(path).exists() for path in variables.values()):
        pytest.skip("needs the simulated drivers: ninja -C build simulated_cuda simulated_nvml "
                    "simulated_nvrtc simulated_nvjitlink")  # fmt: skip
    return variables


@pytest.fixture(scope="session")
def driver(machine: dict[str, str]) -> Driver:
    """Returns the driver of this process, which the backend uses."""
    named = os.environ.get("NEXUS_CUDA_DRIVER", machine["NEXUS_CUDA_DRIVER"])
    if named != machine["NEXUS_CUDA_DRIVER"]:
        pytest.skip(f"needs a process of its own: NEXUS_CUDA_DRIVER is {named}")
    os.environ.update(machine)
    os.environ["NEXUS_SIMULATED_CUDA"] = f"devices={DEVICES},memory={1 << 30}"
    made = Driver()
    if len(nexus.get_runtime("cuda").get_devices()) != DEVICES:
        pytest.skip("needs a process of its own: the simulated driver was started before")
    return made


@pytest.fixture(scope="session")
def cubin(machine: dict[str, str]) -> bytes:
    """Returns the kernels of these tests."""
    os.environ.update(machine)
    return Nvrtc().compile(KERNELS, "kernels.cu", "--gpu-architecture=sm_90")


@pytest.fixture(scope="session")
def bench(driver: Driver, cubin: bytes) -> Bench:
    """Returns the device that must survive all failures."""
    return Bench(driver, nexus.get_device("cuda:0"), cubin)


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
