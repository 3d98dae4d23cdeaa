# SPDX-License-Identifier: Apache-2.0
"""Fixtures that several folders of tests use. NEXUS_DEVICE chooses the device."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from built_plugin import build_plugin

import nexus
from nexus import _core
from nexus.conformance._fixtures import default_sigint

__all__ = ["default_sigint"]

BuildLibrary = Callable[[Path], Path]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leaves out what the marker says can't run under the sanitizers that are preloaded."""
    sanitizers = os.environ.get("NEXUS_SANITIZE", "").split(",")
    for marker in item.iter_markers("unsanitized"):
        if sanitizers != [""] and marker.kwargs.get("by", sanitizers[0]) in sanitizers:
            pytest.skip(marker.args[0])


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Object code is kept in a folder of this run's, for it and the processes that it starts."""
    os.environ.setdefault("NEXUS_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


def compile_c(source: Path) -> nexus.ObjectCode:
    """A C file, which may use the system's headers beside nexus_kernel.h, for the CPU."""
    options = nexus.ProgramOptions(include_paths=[nexus.get_include()])
    return nexus.Program(source, "c", options=options).compile("cpu")


@pytest.fixture(scope="session")
def build_library(tmp_path_factory: pytest.TempPathFactory) -> BuildLibrary:
    """Builds a kernel library from a C file, once a session, and returns its path."""
    folder = tmp_path_factory.mktemp("kernels")
    built: dict[Path, Path] = {}

    def build(source: Path) -> Path:
        if source not in built:
            output = folder / f"{source.stem}{len(built)}.so"
            output.write_bytes(compile_c(source).code)
            built[source] = output
        return built[source]

    return build


@pytest.fixture(scope="session")
def build_backend() -> Callable[[str, Path, Path], Path]:
    """Builds a plug-in of a name from C++ files in a folder, and returns its manifest."""
    return build_plugin


@pytest.fixture(scope="session")
def device() -> nexus.Device:
    """The device that the tests run on."""
    return nexus.get_device()


@pytest.fixture(scope="session")
def faulty_manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manifest of tests/plugins/nexus-faulty: the reference backend, failing on demand."""
    source = Path(__file__).parent / "plugins" / "nexus-faulty" / "faulty.cpp"
    return build_plugin("faulty", source, tmp_path_factory.mktemp("faulty"))


@pytest.fixture(scope="session")
def faulty_device(faulty_manifest: Path) -> nexus.Device:
    """The device of that backend, in this process."""
    _core.add_manifest(str(faulty_manifest), "")
    device = nexus.get_device("faulty")
    assert device.default_stream.is_idle  # made at its first use, which is here
    return device
