# SPDX-License-Identifier: Apache-2.0
"""A device that pretends to be a GPU (tests/plugins/nexus-pretending), and arrays in its memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_plugin import build_plugin

import nexus
from nexus import _core

_SOURCE = Path(__file__).parents[1] / "plugins" / "nexus-pretending" / "pretending.cpp"


def _made(name: str, folder: Path, *defines: str) -> nexus.Device:
    _core.add_manifest(str(build_plugin(name, _SOURCE, folder, *defines)), "")
    return nexus.get_device(name)


@pytest.fixture(scope="session")
def gpu(tmp_path_factory: pytest.TempPathFactory) -> nexus.Device:
    """The device, which DLPack calls CUDA's device 0."""
    if any(backend.name == "cuda" and backend.state == "PASS" for backend in nexus.get_backends()):
        pytest.skip("a real CUDA GPU has the place of the device that pretends to be one")
    return _made("pretending", tmp_path_factory.mktemp("pretending"))


@pytest.fixture(scope="session")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> nexus.Device:
    """One that DLPack calls ROCm's device 0."""
    if any(backend.name == "hip" and backend.state == "PASS" for backend in nexus.get_backends()):
        pytest.skip("a real AMD GPU has the place of the device that pretends to be one")
    folder = tmp_path_factory.mktemp("rocm")
    return _made("pretended_rocm", folder, "PRETENDED_ROCM")
