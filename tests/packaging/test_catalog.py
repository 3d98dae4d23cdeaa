# SPDX-License-Identifier: Apache-2.0
"""The example of a wheel with a kernel catalog, examples/catalog."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from environment import Environment

pytestmark = pytest.mark.install

PROGRAM = """
import nexus

(catalog,) = nexus.get_catalogs()
library = nexus.get_device("cpu").load_library(catalog, "vector")
x = nexus.ones(3, device="cpu")
library.get_kernel("scale")(x, 2.0, 3, grid=3)
assert x.numpy().tolist() == [2, 2, 2]
print(catalog.name, library.get_info()["Match"])
"""


def test_an_installed_wheel_offers_its_kernels(
    environment: Environment, wheels: Path, repository: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "catalog"
    shutil.copytree(repository / "examples" / "catalog", folder)
    environment.pip_install("--find-links", wheels, "nexus-core[cpu]")
    build = ["catalog", "build", "nexus_vector", "vector.c", "--name", "nexus-vector"]
    environment.run("nexus", *build, "--target", "cpu", cwd=folder)
    environment.pip_install("--no-deps", folder)
    shutil.rmtree(folder)

    assert environment.run("python", "-c", PROGRAM) == "nexus-vector architecture\n"
    assert environment.run("nexus", "catalog", "verify") == "1 catalog, 0 problems\n"
