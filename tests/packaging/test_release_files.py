# SPDX-License-Identifier: Apache-2.0
"""tools/release_files.py: what is published beside the wheels."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.install


def gather(repository: Path, folder: Path, *files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(repository / "tools" / "release_files.py"), str(folder)]
    pinned = ["--pinned=pybind11==3.1.0", "--pinned=ziglang==0.17.0"]
    return subprocess.run(
        [*command, *map(str, files), *pinned], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def release(repository: Path, wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a release of the wheels."""
    folder = tmp_path_factory.mktemp("parent") / "release"
    done = gather(repository, folder, *wheels.glob("*.whl"), *wheels.glob("*.tar.gz"))
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def components(release: Path) -> dict[str, Any]:
    """The packages of the bill of materials by their references."""
    listed = json.loads((release / "nexus.cdx.json").read_text(encoding="utf-8"))["components"]
    return {component["bom-ref"]: component for component in listed}


def test_the_checksums_are_those_of_all_files(release: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=release, check=True)
    listed = {line.split()[1] for line in (release / "SHA256SUMS").read_text().splitlines()}
    assert listed == {p.name for p in release.iterdir() if p.suffix in (".whl", ".gz")}


def test_the_subjects_of_an_attestation_are_the_files_of_the_checksums(release: Path) -> None:
    subjects = json.loads((release / "subjects.intoto.json").read_text(encoding="utf-8"))
    lines = (release / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert [f"{each['digest']['sha256']}  {each['name']}" for each in subjects] == lines


def test_the_bill_of_materials_has_each_file_of_a_package(
    release: Path, components: dict[str, Any]
) -> None:
    (package,) = (each for each in components.values() if each["name"] == "nexus-cpu")
    held = {file["name"] for file in package["components"]}
    assert held == {p.name for p in release.glob("nexus_cpu-*")}


def test_the_bill_of_materials_has_what_is_compiled_in(components: dict[str, Any]) -> None:
    assert {"pkg:pypi/pybind11@3.1.0", "pkg:pypi/ziglang@0.17.0"} <= set(components)


@pytest.mark.parametrize(("name", "scope"), [("numpy", "required"), ("matplotlib", "optional")])
def test_the_bill_of_materials_has_what_is_required(
    components: dict[str, Any], name: str, scope: str
) -> None:
    package = components[f"pkg:pypi/{name}"]
    assert package["scope"] == scope
    assert "version" not in package  # the user's installer chooses it


def test_the_notes_are_of_the_version(release: Path, repository: Path) -> None:
    version = (repository / "VERSION").read_text(encoding="utf-8").strip()
    assert (release / "notes.md").read_text(encoding="utf-8").startswith(f"## {version} (")


def test_a_folder_with_other_files_is_not_replaced(
    repository: Path, wheels: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = gather(repository, tmp_path, *wheels.glob("*.whl"))
    assert done.returncode == 2
    assert str(tmp_path) in done.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine"
