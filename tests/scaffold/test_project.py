# SPDX-License-Identifier: Apache-2.0
"""The project that `nexus new-backend` writes: its files, and that they are a backend."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nexus.cli import main

pytestmark = pytest.mark.long

NewBackend = Callable[..., tuple[int, str, str]]

REPOSITORY = Path(__file__).resolve().parents[2]
REFERENCE = REPOSITORY / "tests/plugins/nexus-reference"


def files_of(folder: Path) -> dict[str, str]:
    """The texts of a folder's files by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_command_says_what_to_do_next(new_backend: NewBackend) -> None:
    status, told, _ = new_backend("acme")
    assert status == 0
    assert told.startswith("Wrote nexus-acme: ")
    assert "Its README.md explains how to" in told


def test_it_prints_the_first_commands_of_the_projects_readme(
    new_backend: NewBackend, tmp_path: Path
) -> None:
    _, told, _ = new_backend("acme", "--folder", "my work/acme")
    printed = [line.strip() for line in told.splitlines() if line.startswith("  ")]
    readme = (tmp_path / "my work/acme/README.md").read_text(encoding="utf-8")
    assert printed[0] == "cd 'my work/acme'"
    assert "\n".join(["```sh", *printed[1:], "```"]) in readme
    assert any(line.startswith("nexus info") and "acme:0" in line for line in printed)


@pytest.mark.parametrize(("typed", "kind"), [("driver\n", "driver"), ("\n", "host"), ("", "host")])
def test_it_asks_for_the_kind_on_a_terminal(
    new_backend: NewBackend, tmp_path: Path, typed: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO(typed)
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    status, told, _ = new_backend("acme")
    assert status == 0
    assert "Kind [host]: Wrote nexus-acme" in told
    assert (tmp_path / "nexus-acme/acme_driver.cpp").exists() == (kind == "driver")


def test_it_has_the_files_of_a_project(project: Path, kind: str) -> None:
    files = files_of(project).keys()
    assert ("acme_driver.cpp" in files) == (kind == "driver")
    expected = {
        ".gitignore",
        "CMakeLists.txt",
        "README.md",
        "acme_device.hpp",
        "devices/acme_corp.-cpu-acme.json",
        "nexus_acme.cpp",
        "nexus_acme/__init__.py",
        "nexus_acme/nxs_plugin.json.in",
        "pyproject.toml",
        "tests/test_backend.py",
        "tests/test_conformance.py",
        "tests/test_device_files.py",
    }
    assert expected <= files


def test_nothing_is_called_after_the_reference_plugin(project: Path) -> None:
    for name, text in files_of(project).items():
        found = re.findall(r"^.*reference.*$", f"{name}\n{text}", re.IGNORECASE | re.MULTILINE)
        assert found == [], name


def test_nothing_names_the_repository(project: Path) -> None:
    for name, text in files_of(project).items():
        assert "tests/plugins" not in text, name
        assert "packages/" not in text, name


def test_what_is_for_tests_of_nexus_is_left_out(project: Path) -> None:
    texts = files_of(project)
    assert all("scaffold" not in text for text in texts.values())
    assert "hang" not in texts["acme_compiler.hpp"]


def test_the_manifest_and_the_entry_point_have_the_name(project: Path) -> None:
    texts = files_of(project)
    assert '"name": "acme"' in texts["nexus_acme/nxs_plugin.json.in"]
    assert '[project.entry-points.nexus]\nacme = "nexus_acme"' in texts["pyproject.toml"]


def test_the_namespace_can_clash_with_no_function_of_the_c_library(
    new_backend: NewBackend, tmp_path: Path
) -> None:
    assert new_backend("time")[0] == 0
    texts = files_of(tmp_path / "nexus-time")
    assert "namespace nexus_time NXS_HIDDEN" in texts["time_device.hpp"]


def test_vendor_and_description_stand_where_people_read_them(
    new_backend: NewBackend, tmp_path: Path
) -> None:
    new_backend(
        "acme", "--vendor", "Reference Inc", "--description", 'Runs on "Acme" \\ 1', "--folder", "x"
    )
    texts = files_of(tmp_path / "x")
    assert 'description = "Runs on \\"Acme\\" \\\\ 1"' in texts["pyproject.toml"]
    assert (
        '{NP_Vendor, [](const Device &) -> Value { return "Reference Inc"; }}'
        in (texts["nexus_acme.cpp"])
    )
    assert json.loads(texts["devices/reference_inc-cpu-acme.json"])["Vendor"] == "Reference Inc"


def test_its_device_files_have_no_problem(project: Path) -> None:
    assert main(["db", "validate", *map(str, (project / "devices").iterdir())]) == 0


def test_its_tests_are_python(project: Path) -> None:
    for name, text in files_of(project).items():
        if name.endswith(".py"):
            compile(text, name, "exec")


def test_each_file_of_the_reference_plugin_is_there(project: Path, kind: str) -> None:
    """Whatever the folder gets is in the project, but for what its own first lines leave out."""
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=REFERENCE, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    left_out = "scaffold: leave out this file"
    wanted = [name for name in tracked if left_out not in (REFERENCE / name).read_text("utf-8")]
    of_driver = {name for name in wanted if name.startswith("driver/")}
    if kind == "driver":
        wanted += [name.removeprefix("driver/") for name in of_driver]
    devices = {"devices/nexus-cpu-reference.json"}  # named after the vendor
    missing = [
        name
        for name in sorted(set(wanted) - devices - of_driver)
        if not (project / name.replace("reference", "acme")).is_file()
    ]
    assert missing == []


def test_it_is_a_backend(
    project: Path, tmp_path: Path, build_backend: Callable[[str, Path, Path], Path]
) -> None:
    plugin = tmp_path / "plugin"
    plugin.mkdir()
    manifest = build_backend("acme", project, plugin)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/test_backend.py"],
        cwd=project,
        env=os.environ | {"NEXUS_PLUGIN_PATH": str(manifest)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
