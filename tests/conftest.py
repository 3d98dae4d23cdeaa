# SPDX-License-Identifier: Apache-2.0
"""Fixtures that several folders of tests use. NEXUS_DEVICE chooses the device."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import nexus
from nexus._toolchain import build_kernel_library

BuildLibrary = Callable[[Path], Path]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leaves out what the marker says can't run under the sanitizers that are preloaded."""
    sanitizers = os.environ.get("NEXUS_SANITIZE", "").split(",")
    for marker in item.iter_markers("unsanitized"):
        if sanitizers != [""] and marker.kwargs.get("by", sanitizers[0]) in sanitizers:
            pytest.skip(marker.args[0])


@pytest.fixture(scope="session")
def build_library(tmp_path_factory: pytest.TempPathFactory) -> BuildLibrary:
    """Builds a kernel library from a C file, once a session, and returns its path."""
    folder = tmp_path_factory.mktemp("kernels")
    built: dict[Path, Path] = {}

    def build(source: Path) -> Path:
        if source not in built:
            output = folder / f"{source.stem}{len(built)}.so"
            build_kernel_library(source, output)
            built[source] = output
        return built[source]

    return build


@pytest.fixture(scope="session")
def device() -> nexus.Device:
    """The device that the tests run on."""
    return nexus.get_device()
