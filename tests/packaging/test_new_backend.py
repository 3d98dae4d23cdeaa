# SPDX-License-Identifier: Apache-2.0
"""Projects of `nexus new-backend` are built, installed in a clean environment, and tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from environment import Environment

pytestmark = pytest.mark.install


@pytest.fixture(scope="module")
def vendor(
    tmp_path_factory: pytest.TempPathFactory, wheels: Path, build_cache: Path
) -> Environment:
    """An environment with nexus-core and nothing else of ours, which no index has."""
    environment = Environment.create(tmp_path_factory.mktemp("vendor"), build_cache)
    environment.pip_install("--find-links", wheels, "nexus-core")
    return environment


@pytest.fixture(scope="module", params=["host", "driver"])
def work(
    request: pytest.FixtureRequest, vendor: Environment, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder in which `nexus new-backend acme` ran, and after it what that printed."""
    folder = tmp_path_factory.mktemp("work")
    vendor.run("python", "-m", "pip", "uninstall", "-y", "nexus-acme")  # that of the other kind
    told = vendor.shell(f"nexus new-backend acme --kind {request.param}", folder)
    printed = [line.removeprefix("  ") for line in told.splitlines() if line.startswith("  ")]
    assert len(printed) >= 5, told
    vendor.shell("\n".join(printed), folder)
    return folder


def test_the_printed_commands_build_install_and_test_a_backend(
    vendor: Environment, work: Path
) -> None:
    told = json.loads(vendor.run("nexus", "info", "--json"))
    assert [(each["name"], each["state"]) for each in told["backends"]] == [("acme", "PASS")]
    assert [each["selector"] for each in told["devices"]] == ["acme:0"]
    assert len(list((work / "nexus-acme/dist").glob("nexus_acme-0.1.0-py3-none-*.whl"))) == 1


def test_the_printed_commands_keep_what_they_compile_in_the_folder_they_name(work: Path) -> None:
    assert list((work / "nexus-acme/build").glob("**/*.o"))


def test_the_printed_commands_make_a_wheel_for_a_clean_environment(
    wheels: Path, work: Path, tmp_path: Path, build_cache: Path
) -> None:
    (wheel,) = (work / "nexus-acme/dist").glob("*.whl")
    clean = Environment.create(tmp_path / "clean", build_cache)
    clean.pip_install("--find-links", wheels, f"{wheel}[test]")
    tests = "tests/test_backend.py"
    clean.run("python", "-m", "pytest", "-W", "error", tests, cwd=work / "nexus-acme")


def test_a_generated_backend_has_an_sdist_that_builds(
    vendor: Environment, work: Path, tmp_path: Path
) -> None:
    vendor.pip_install("build")
    vendor.run(
        "python", "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist",
        cwd=work / "nexus-acme",
    )  # fmt: skip
    names = sorted(path.name for path in (tmp_path / "dist").iterdir())
    assert [name.partition("-py3-none-")[0] for name in names] == [
        "nexus_acme-0.1.0",
        "nexus_acme-0.1.0.tar.gz",
    ]
