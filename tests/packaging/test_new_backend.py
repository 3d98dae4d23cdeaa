# SPDX-License-Identifier: Apache-2.0
"""What `nexus new-backend` writes: built, installed in a clean environment, and proved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from environment import Environment

pytestmark = pytest.mark.install

BUILD_TOOLS = ["scikit-build-core>=1.1,<2", "cmake>=3.20", "ninja"]


@pytest.fixture(scope="module")
def builder(
    tmp_path_factory: pytest.TempPathFactory, wheels: Path, build_cache: Path
) -> Environment:
    """An environment with nexus-core and what builds a plug-in."""
    environment = Environment.create(tmp_path_factory.mktemp("builder"), build_cache)
    environment.pip_install("--find-links", wheels, "nexus-core", "build", *BUILD_TOOLS)
    return environment


@pytest.fixture
def project(builder: Environment, tmp_path: Path) -> Path:
    """A project of a backend `acme`, made by the installed nexus-core."""
    builder.run("nexus", "new-backend", "acme", cwd=tmp_path)
    return tmp_path / "nexus-acme"


def test_a_generated_backend_conforms_in_a_clean_environment(
    builder: Environment, wheels: Path, project: Path, tmp_path: Path, build_cache: Path
) -> None:
    dist = tmp_path / "dist"
    builder.run(
        "python", "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "-w", dist,
        cwd=project,
    )  # fmt: skip
    (wheel,) = dist.glob("nexus_acme-0.1.0-py3-none-*.whl")
    clean = Environment.create(tmp_path / "clean", build_cache)
    clean.pip_install("--find-links", wheels, f"{wheel}[test]")

    told = json.loads(clean.run("nexus", "info", "--json"))
    assert [(each["name"], each["state"]) for each in told["backends"]] == [("acme", "PASS")]
    assert [each["selector"] for each in told["devices"]] == ["acme:0"]
    clean.run("python", "-m", "pytest", "-W", "error", "tests", cwd=project)


def test_a_generated_backend_has_an_sdist_that_builds(
    builder: Environment, project: Path, tmp_path: Path
) -> None:
    builder.run(
        "python", "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", cwd=project
    )
    names = sorted(path.name for path in (tmp_path / "dist").iterdir())
    assert [name.partition("-py3-none-")[0] for name in names] == [
        "nexus_acme-0.1.0",
        "nexus_acme-0.1.0.tar.gz",
    ]
