# SPDX-License-Identifier: Apache-2.0
"""Programs without Python find backends."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from native import MakePlugin, libnexus, write_manifest
from system import System


@pytest.fixture
def finding(system: System) -> System:
    """A system that discovers."""
    system.discovery = True
    return system


@pytest.fixture
def site(finding: System, tmp_path: Path) -> Path:
    """A site-packages with libnexus, which the system uses, and no backend."""
    site = tmp_path / "site"
    library = site / "nexus" / "lib" / libnexus().name
    library.parent.mkdir(parents=True)
    shutil.copyfile(libnexus(), library)
    finding.library = library
    return site


def test_packages_beside_libnexus_are_found(
    finding: System, site: Path, build_plugin: MakePlugin
) -> None:
    for name in ("acme", "zeta"):
        library = build_plugin("plain.c", f'-DNAME="{name}"')
        write_manifest(site / f"nexus_{name}", name, library)
    write_manifest(site / "other_package", "other", "libother.so")
    report = finding.report()
    assert report.runtimes == ["acme", "zeta"]
    assert [record["distribution"] for record in report.backends] == ["nexus-acme", "nexus-zeta"]


def test_a_package_beside_libnexus_keeps_its_name_from_an_impostor(
    finding: System, site: Path, build_plugin: MakePlugin
) -> None:
    library = build_plugin("plain.c", '-DNAME="cpu"')
    write_manifest(site / "nexus_aaa", "cpu", library)
    write_manifest(site / "nexus_cpu", "cpu", library)
    states = {r["distribution"]: r["state"] for r in finding.report().backends}
    assert states == {"nexus-aaa": "FAIL", "nexus-cpu": "PASS"}


def test_no_discovery_finds_nothing(finding: System, site: Path, build_plugin: MakePlugin) -> None:
    library = build_plugin("plain.c", '-DNAME="acme"')
    write_manifest(site / "nexus_acme", "acme", library)
    finding.discovery = False
    assert finding.report().backends == []


def test_the_plugin_path_names_manifests_folders_and_folders_of_folders(
    finding: System, site: Path, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    manifests = {}
    for name in ("one", "two", "three"):
        library = build_plugin("plain.c", f'-DNAME="{name}"')
        manifests[name] = write_manifest(tmp_path / name / name, name, library)
    places = [str(manifests["one"]), f" {manifests['two'].parent} ", f"{tmp_path}/three/"]
    finding.environment = {"NEXUS_PLUGIN_PATH": ":".join(places)}
    assert finding.report().runtimes == ["one", "three", "two"]


def test_a_place_in_the_plugin_path_without_a_manifest_is_a_record(
    finding: System, site: Path, tmp_path: Path
) -> None:
    finding.environment = {"NEXUS_PLUGIN_PATH": f"{tmp_path}/nowhere:{tmp_path}/site/"}
    nowhere, empty = finding.report().backends
    assert nowhere["name"] == "nowhere"
    assert nowhere["reason"] == (
        f"NEXUS_PLUGIN_PATH names '{tmp_path}/nowhere', which does not exist or can't be read."
    )
    assert empty["name"] == "site"
    assert empty["reason"] == (
        f"NEXUS_PLUGIN_PATH names '{tmp_path}/site/', which holds no nxs_plugin.json, "
        "nor do its folders."
    )


def test_a_relative_path_of_the_plugin_path_is_one_of_the_working_folder(
    finding: System,
    site: Path,
    build_plugin: MakePlugin,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = build_plugin("plain.c", '-DNAME="near"')
    write_manifest(tmp_path / "near", "near", library)
    monkeypatch.chdir(tmp_path)
    finding.environment = {"NEXUS_PLUGIN_PATH": "near"}
    assert finding.report().runtimes == ["near"]
