# SPDX-License-Identifier: Apache-2.0
"""The devices that the promises are tested on."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from workload import Obstacle, Workload

import nexus
from nexus import _core

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KERNELS = b"nexus-reference 1\nfill_i32\ncopy_i32\nadd_i32\n"  # a library of the reference backend


@pytest.fixture(scope="session")
def cpu_library(build_library: Callable[[Path], Path]) -> Path:
    """The library built from kernels.c."""
    return build_library(HERE / "kernels.c")


@pytest.fixture(scope="session")
def on_cpu(cpu_library: Path) -> Workload:
    """Work on the CPU backend."""
    return Workload(nexus.get_device("cpu"), cpu_library)


@pytest.fixture(scope="session")
def on_reference(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Work on the reference backend."""
    folder = tmp_path_factory.mktemp("reference")
    named = os.environ.get("CXX", "")
    found = next((name for name in ("g++", "clang++", "c++") if shutil.which(name)), "c++")
    command = shlex.split(named) or [found]
    library = folder / "libnexus_reference.so"
    include = ROOT / "packages/nexus-core/include"
    source = ROOT / "tests/plugins/nexus-reference/nexus_reference.cpp"
    options = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread"]
    subprocess.run([*command, *options, f"-I{include}", source, "-o", library], check=True)
    manifest = folder / "nxs_plugin.json"
    manifest.write_text(
        json.dumps(
            {
                "manifest_version": 1,
                "name": "reference",
                "library": str(library),
                "version": "0.1.0",
                "abi": {"min": "1.0", "max": "1.0"},
            }
        )
    )
    _core.add_manifest(str(manifest), "")
    return Workload(nexus.get_device("reference"), KERNELS)


@pytest.fixture(params=["cpu", "reference"])
def work(request: pytest.FixtureRequest) -> Workload:
    """Work on each backend."""
    loaded: Workload = request.getfixturevalue(f"on_{request.param}")
    return loaded


@pytest.fixture
def device(work: Workload) -> nexus.Device:
    """The device of the work."""
    return work.device


@pytest.fixture(params=["cpu-held", "cpu-running", "reference-held"])
def obstacle(request: pytest.FixtureRequest) -> Obstacle:
    """Each way to hold up work, on each backend."""
    backend, _, how = request.param.partition("-")
    return Obstacle(request.getfixturevalue(f"on_{backend}"), how == "running")
