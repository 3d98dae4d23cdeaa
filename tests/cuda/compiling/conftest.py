# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's real compilers, from wheels, with a simulated GPU.

No compiled code runs: the simulated driver only loads it and lists its kernels.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import simulated

import nexus

WHEELS = "pip install nvidia-cuda-nvrtc nvidia-nvjitlink nvidia-cuda-runtime nvidia-nvvm"


@pytest.fixture(scope="session")
def wheels() -> dict[str, str]:
    """Returns the compilers' paths that the backend's hook finds."""
    toolkit = pytest.importorskip(
        "nexus_cuda._toolkit", reason="needs the plug-in: install nexus-cuda"
    )
    found: dict[str, str] = toolkit.toolkit_config()
    if "cuda.nvrtc" not in found:
        pytest.skip(f"needs NVRTC: {WHEELS}")
    return found


@pytest.fixture(scope="session")
def device(wheels: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> nexus.Device:
    """Returns a simulated GPU, with NVIDIA's compilers and an empty cache."""
    driver = simulated.folder() / "libcuda.so.1"
    if not driver.exists():
        pytest.skip("needs the simulated driver: ninja -C build simulated_cuda")
    os.environ["NEXUS_CUDA_DRIVER"] = str(driver)
    os.environ["NEXUS_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    for variable in ("NEXUS_CUDA_NVRTC", "NEXUS_CUDA_NVJITLINK", "NEXUS_CUDA_NVVM"):
        os.environ.pop(variable, None)
    return nexus.get_device("cuda:0")


@pytest.fixture(scope="session")
def linker(wheels: dict[str, str], device: nexus.Device) -> nexus.Device:
    """Returns the device if nvJitLink is installed too."""
    if "cuda.nvjitlink" not in wheels:
        pytest.skip(f"needs nvJitLink: {WHEELS}")
    return device


@pytest.fixture(scope="session")
def nvvm(wheels: dict[str, str], device: nexus.Device) -> nexus.Device:
    """Returns the device if libNVVM is installed too."""
    if "cuda.nvvm" not in wheels:
        pytest.skip(f"needs libNVVM: {WHEELS}")
    if _folder_of(wheels, "cuda.nvvm") != _folder_of(wheels, "cuda.nvjitlink"):
        pytest.skip(f"needs libNVVM and nvJitLink of one folder, so of one version: {WHEELS}")
    return device


def _folder_of(wheels: dict[str, str], key: str) -> Path | None:
    """Returns the parent of a library's folder, or None."""
    return Path(wheels[key].split(":")[0]).parents[1] if key in wheels else None
