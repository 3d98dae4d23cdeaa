# SPDX-License-Identifier: Apache-2.0
"""Metadata and contents of the installed packages."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from importlib.metadata import Distribution, distribution

import pytest

pytestmark = pytest.mark.smoke

EXTRAS = {"cpu", "cuda", "hip", "metal", "all", "dask", "plot", "validate", "conformance"}


def requirements(package: Distribution) -> set[str]:
    return {line.split(";")[0].strip() for line in package.requires or () if "extra" not in line}


def files(package: Distribution) -> set[str]:
    return {str(path) for path in package.files or ()}


def test_one_version_for_all_packages() -> None:
    import nexus

    assert nexus.__version__ == distribution("nexus-core").version
    assert nexus.__version__ == distribution("nexus-cpu").version


def test_the_core_needs_pluggy_numpy_and_rich_only() -> None:
    names = {line.split(">=")[0] for line in requirements(distribution("nexus-core"))}
    assert names == {"pluggy", "numpy", "rich"}


def test_the_cores_extras_are_the_backends_and_what_single_commands_need() -> None:
    assert set(distribution("nexus-core").metadata.get_all("Provides-Extra") or ()) == EXTRAS


def test_the_cpu_is_found_through_its_entry_point() -> None:
    (entry,) = importlib.metadata.entry_points(group="nexus", name="cpu")
    assert entry.value == "nexus_cpu"


def test_the_cpus_wheel_serves_every_python() -> None:
    tags = (distribution("nexus-cpu").read_text("WHEEL") or "").splitlines()
    assert [
        tag for tag in tags if tag.startswith("Tag: ") and not tag.startswith("Tag: py3-none-")
    ] == []
    assert any(tag.startswith("Tag: py3-none-") for tag in tags)


def test_the_cpus_wheel_holds_no_python_extension() -> None:
    libraries = {path for path in files(distribution("nexus-cpu")) if path.endswith(".so")}
    assert "nexus_cpu/libnexus_cpu.so" in libraries
    assert not [path for path in libraries if "cpython" in path or "abi3" in path]


@pytest.mark.parametrize(
    "path",
    [
        "nexus/py.typed",
        "nexus/_core.pyi",
        "nexus/lib/libnexus.so",
        "nexus/cmake/nexus-config.cmake",
        "nexus/include/nexus.h",
        "nexus/include/nexus-api/nxs.h",
        "nexus/include/nexus-api/nxs_functions.def",
        "nexus/include/nexus_kernel.h",
        "nexus/include/nexus-kernel/cpu.h",
        "nexus/devices/amd-cpu-znver4.json",
        "nexus/devices/index.json",
        "nexus/schema/device_info.schema.json",
        "nexus/schema/kernel_catalog.schema.json",
        "nexus/schema/properties.json",
        "nexus/conformance/conftest.py",
        "nexus/conformance/capi/test_ids.py",
        "nexus/conformance/kernels/elements.c",
        "_nexus_pytest/__init__.py",
    ],
)
def test_the_cores_wheel_holds(path: str) -> None:
    assert path in files(distribution("nexus-core"))


def test_the_cpus_wheel_holds_its_manifest() -> None:
    assert "nexus_cpu/nxs_plugin.json" in files(distribution("nexus-cpu"))


def test_the_cores_wheel_holds_no_sources_but_those_of_a_new_backend() -> None:
    sources = [path for path in files(distribution("nexus-core")) if path.endswith((".cpp", ".in"))]
    begun_from = ("nexus/scaffold/", "nexus/reference_plugin/")
    assert [path for path in sources if not path.startswith(begun_from)] == []


def test_the_demo_gives_numpys_result_on_every_device() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nexus.cli", "demo"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "cpu:0" in done.stdout
