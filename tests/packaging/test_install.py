# SPDX-License-Identifier: Apache-2.0
"""Each documented way to install ends in a kernel that runs, in a fresh environment."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from environment import Environment

pytestmark = pytest.mark.install

GPUS = ["cuda", "hip"]  # the backends with a wheel for Linux


def assert_the_cpu_runs(environment: Environment) -> None:
    backends = json.loads(environment.run("nexus", "info", "--json"))["backends"]
    assert [(b["name"], b["state"]) for b in backends] == [("cpu", "PASS")]
    assert "cpu:0" in environment.run("nexus", "demo")  # which fails where a result is wrong


def assert_gpus_are_looked_for(environment: Environment, name: str) -> None:
    """They work, or the reason is a sentence: a machine need not have one."""
    backends = json.loads(environment.run("nexus", "info", "--json"))["backends"]
    (found,) = [backend for backend in backends if backend["name"] == name]
    assert (found["state"], bool(found["reason"])) in {("PASS", False), ("ABSENT", True)}


def test_both_packages_from_their_folders(environment: Environment, repository: Path) -> None:
    environment.pip_install("./packages/nexus-core", "./packages/nexus-cpu", cwd=repository)
    assert_the_cpu_runs(environment)


def test_both_packages_editable(environment: Environment, repository: Path) -> None:
    environment.pip_install(
        "-e", "./packages/nexus-core", "-e", "./packages/nexus-cpu", cwd=repository
    )
    assert_the_cpu_runs(environment)
    where = environment.run("python", "-c", "import nexus; print(nexus.__file__)").strip()
    assert Path(where) == repository / "packages" / "nexus-core" / "nexus" / "__init__.py"


def test_the_root_of_a_clone(environment: Environment, repository: Path) -> None:
    environment.pip_install(".", cwd=repository)
    assert_the_cpu_runs(environment)


def test_the_sdist_of_the_cpu_against_an_installed_core(
    environment: Environment, wheels: Path, repository: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "dist"
    make = [sys.executable, "-m", "build", "--sdist", "--outdir", str(folder)]
    subprocess.run([*make, "packages/nexus-cpu"], cwd=repository, check=True)
    (sdist,) = folder.glob("nexus_cpu-*.tar.gz")
    environment.pip_install("--find-links", wheels, "nexus-core")

    environment.pip_install("--find-links", wheels, "--no-binary", "nexus-cpu", sdist)

    assert_the_cpu_runs(environment)


@pytest.mark.parametrize("name", [*GPUS, "metal"])
def test_the_sdist_for_gpus_against_an_installed_core(
    environment: Environment, wheels: Path, repository: Path, tmp_path: Path, name: str
) -> None:
    make = [sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path)]
    subprocess.run([*make, f"packages/nexus-{name}"], cwd=repository, check=True)
    (sdist,) = tmp_path.glob(f"nexus_{name}-*.tar.gz")
    environment.pip_install("--find-links", wheels, "nexus-core")

    environment.pip_install("--find-links", wheels, "--no-binary", f"nexus-{name}", sdist)

    assert_gpus_are_looked_for(environment, name)


@pytest.mark.parametrize("name", GPUS)
def test_the_extra_for_gpus(environment: Environment, wheels: Path, name: str) -> None:
    (metapackage,) = wheels.glob("nexus-*.whl")  # whose extra is that of nexus-core
    environment.pip_install("--find-links", wheels, f"{metapackage}[{name}]")
    assert_gpus_are_looked_for(environment, name)


def test_the_extra_for_metal_adds_nothing_on_linux(environment: Environment, wheels: Path) -> None:
    environment.pip_install("--find-links", wheels, "nexus-core[metal]")
    assert json.loads(environment.run("nexus", "info", "--json"))["backends"] == []


def test_the_sdist_of_the_core_holds_the_device_files(repository: Path, tmp_path: Path) -> None:
    make = [sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path)]
    subprocess.run([*make, "packages/nexus-core"], cwd=repository, check=True)
    (sdist,) = tmp_path.glob("nexus_core-*.tar.gz")
    with tarfile.open(sdist) as archive:
        files = {Path(*Path(m.name).parts[1:]): m for m in archive.getmembers()}
        held = {path.name for path in files if path.parent == Path("devices")}
        schema = Path("schema", "device_info.schema.json")
        assert files[schema].isfile()
        assert all(files[Path("devices", name)].isfile() for name in held)
    assert held == {path.name for path in (repository / "devices").glob("*.json")}


def test_the_sdist_of_the_core_holds_the_reference_plugin(repository: Path, tmp_path: Path) -> None:
    make = [sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path)]
    subprocess.run([*make, "packages/nexus-core"], cwd=repository, check=True)
    (sdist,) = tmp_path.glob("nexus_core-*.tar.gz")
    with tarfile.open(sdist) as archive:
        held = {Path(*Path(m.name).parts[1:]): m for m in archive.getmembers()}
        assert held[Path("reference_plugin", "nexus_reference.cpp")].isfile()
        assert held[Path("reference_plugin", "nexus_reference", "__init__.py")].isfile()


def test_the_metapackage_from_a_folder_of_wheels_without_an_index(
    environment: Environment, wheels: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    environment.run(
        "python", "-m", "pip", "download", "-d", folder, "--only-binary", ":all:",
        "--find-links", wheels, "nexus-core[cpu]",
    )  # fmt: skip
    (metapackage,) = wheels.glob("nexus-*.whl")
    (folder / metapackage.name).write_bytes(metapackage.read_bytes())

    environment.pip_install("--no-index", "--find-links", folder, "nexus[cpu]")

    assert_the_cpu_runs(environment)


def test_the_core_alone_says_how_to_add_a_backend(environment: Environment, wheels: Path) -> None:
    environment.pip_install("--find-links", wheels, "nexus-core")
    assert json.loads(environment.run("nexus", "info", "--json"))["backends"] == []
    assert "pip install" in environment.run("nexus", "info")


def test_the_cmake_tree_of_cpp_developers(
    environment: Environment, repository: Path, tmp_path: Path
) -> None:
    environment.pip_install("cmake", "ninja", "pybind11>=3", "pluggy", "numpy", "rich")
    build = tmp_path / "build"
    environment.run(
        "cmake", "-S", repository, "-B", build, "-DNEXUS_BUILD_PYTHON_MODULE=ON",
        f"-DPython_EXECUTABLE={environment.program('python')}",
        "-DNEXUS_UNITY_BUILD=ON",  # a fifth of the time
    )  # fmt: skip
    environment.run("cmake", "--build", build, "--parallel", "2")

    program = f"import sys; sys.path.insert(0, {str(build / 'python')!r}); import nexus.cli as c; "
    environment.run("python", "-c", program + "sys.exit(c.main(['demo']))")
