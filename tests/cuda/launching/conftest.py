# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests of launches: kernels, and processes with other simulated GPUs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import simulated
from python_process import run_python

import nexus

# The launch that the simulation shows to the kernel, for each group.
PLACES = """
extern "C" __global__ void places(int *out, int mark) {
  if (threadIdx.x == 0) {
    int cluster = (int)nexus_simulated_current->cluster_size[0];
    out[blockIdx.x] = cluster * 1000 + mark;
  }
}
extern "C" __global__ void tiled(int *out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = 1;
  out[0] = tile[0];
}
"""


@pytest.fixture(scope="session")
def library(gpu: nexus.Device) -> nexus.Library:
    """Returns the kernels above."""
    return gpu.compile(PLACES, "cuda")


@pytest.fixture
def places(library: nexus.Library) -> nexus.Kernel:
    """Returns the kernel that reports its launch."""
    return library.get_kernel("places")


@pytest.fixture
def out(gpu: nexus.Device) -> nexus.Buffer:
    """Returns a buffer with a number for each group."""
    return gpu.create_buffer(np.zeros(64, np.int32))


@pytest.fixture(autouse=True)
def cuda(started: simulated.Driver, gpu: nexus.Device) -> Iterator[simulated.Driver]:
    """Yields the driver with its counts reset; checks that no call is misuse."""
    gpu.synchronize()
    started.forget()
    yield started
    started.clear_failures()
    gpu.synchronize()
    assert started.misuse() == []


Run = Callable[..., str]


@pytest.fixture(scope="session")
def run_on() -> Run:
    """Runs a program on another simulated GPU: run_on("print(gpu)", architecture=80)."""

    def run(program: str, **machine: object) -> str:
        words = ",".join(f"{key}={value}" for key, value in machine.items())
        environment = os.environ | simulated.environment() | {"NEXUS_SIMULATED_CUDA": words}
        head = f"import nexus\ngpu = nexus.get_device('cuda:0')\nlibrary = gpu.compile({PLACES!r}, "
        done = run_python(
            "-W", "error", "-c", head + "'cuda')\n" + program, env=environment, check=True
        )
        return done.stdout

    return run
