# SPDX-License-Identifier: Apache-2.0
"""nexus_plugin_manifest of CMake refuses bad input, and writes the manifest."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "packages/nexus-core"
TEMPLATE = """{"abi": {"min": "@NEXUS_ABI_MIN@", "max": "@NEXUS_ABI_MAX@"}}\n"""
PROJECT = f"""
cmake_minimum_required(VERSION 3.24)
project(acme LANGUAGES NONE)
include("{CORE}/cmake/nexus-plugin.cmake")
add_library(headers INTERFACE)
target_include_directories(headers INTERFACE "${{CMAKE_SOURCE_DIR}}")
add_library(nexus::headers ALIAS headers)
add_library(nexus_acme MODULE IMPORTED)
set_target_properties(nexus_acme PROPERTIES IMPORTED_LOCATION "${{CMAKE_BINARY_DIR}}/acme.so")
nexus_plugin_manifest(nexus_acme TEMPLATE "${{CMAKE_SOURCE_DIR}}/manifest.in" VERSION 3.2.1 %s)
"""


def configure(folder: Path, oldest: str = "") -> subprocess.CompletedProcess[str]:
    """Configures the project of a plug-in that is built with headers of the C-API 1.2."""
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake: pip install cmake")
    (folder / "nexus-api").mkdir()
    numbers = "#define NXS_API_VERSION_MAJOR 1\n#define NXS_API_VERSION_MINOR 2\n"
    (folder / "nexus-api/nxs.h").write_text(numbers)
    (folder / "manifest.in").write_text(TEMPLATE)
    (folder / "CMakeLists.txt").write_text(PROJECT % (f"ABI_MIN {oldest}" if oldest else ""))
    return subprocess.run(
        ["cmake", "-S", str(folder), "-B", str(folder / "build")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("oldest", ["0.1", "2.0", "1.3", "1", "1.x"])
def test_a_host_that_the_plugin_can_t_serve_is_refused(tmp_path: Path, oldest: str) -> None:
    done = configure(tmp_path, oldest)
    assert done.returncode != 0
    words = " ".join(done.stderr.split())
    assert f"nexus_plugin_manifest(nexus_acme): ABI_MIN is {oldest}, and the plug-in is" in words
    assert "give a version from 1.0 to 1.2." in words


@pytest.mark.parametrize(("oldest", "written"), [("", "1.2"), ("1.0", "1.0"), ("1.2", "1.2")])
def test_the_manifest_has_the_oldest_and_the_newest_version(
    tmp_path: Path, oldest: str, written: str
) -> None:
    done = configure(tmp_path, oldest)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "build/nxs_plugin.json").read_text())
    assert manifest == {"abi": {"min": written, "max": "1.2"}}
