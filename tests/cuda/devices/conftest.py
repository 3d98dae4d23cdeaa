# SPDX-License-Identifier: Apache-2.0
"""Builds the driver and the NVML of this folder."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import cuda_machine
import pytest
from built_plugin import cpp_command
from cuda_machine import CudaMachine

FOLDER = Path(__file__).parent
Build = Callable[..., Path]


@pytest.fixture(scope="session", autouse=True)
def _the_plug_in() -> None:
    """Skips the tests if the plug-in is missing."""
    if find_spec("nexus_cuda") is None:
        pytest.skip("needs the plug-in: install nexus-cuda")


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds one of the libraries, once in a session."""
    folder = tmp_path_factory.mktemp("drivers")
    built: dict[str, Path] = {}

    def build(source: str, *options: str) -> Path:
        key = shlex.join([source, *options])
        if key not in built:
            output = folder / f"lib{len(built)}.so"
            command = [*cpp_command(), "-shared", *options, str(FOLDER / source)]
            subprocess.run([*command, "-o", output], check=True)
            built[key] = output
        return built[key]

    return build


@pytest.fixture(scope="session")
def driver(build: Build) -> Path:
    """Builds the replacement of libcuda.so.1."""
    return build("fake_cuda.cpp")


@pytest.fixture(scope="session")
def nvml(build: Build) -> Path:
    """Builds the replacement of libnvidia-ml.so.1."""
    return build("fake_nvml.cpp")


@pytest.fixture(scope="session")
def old_nvml(build: Build) -> Path:
    """Builds an NVML without the functions of CUDA 12."""
    return build("fake_nvml.cpp", "-DOLD_NVML")


@pytest.fixture
def machine(driver: Path, nvml: Path) -> CudaMachine:
    """Returns a machine with a GPU, its driver and NVML."""
    return cuda_machine.named(driver, nvml)
