# SPDX-License-Identifier: Apache-2.0
"""`nexus info`, `nexus --version` and misuse."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from python_process import run_python

import nexus
from nexus import _core
from nexus.cli import _probe, main


def run_nexus(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_python("-m", "nexus.cli", *arguments, more=environment)


@pytest.fixture
def core_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nexus.get_backends", list)
    monkeypatch.setattr("nexus.get_runtimes", list)


@pytest.mark.smoke
def test_info_shows_the_backend_and_a_selector_to_paste(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^  PASS +cpu ", text, re.MULTILINE)
    assert re.search(r"^  cpu:0 ", text, re.MULTILINE)


def test_info_as_json_has_the_backends_and_devices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (backend,) = (b for b in report["backends"] if b["name"] == "cpu")
    assert (backend["state"], backend["reason"]) == ("PASS", "")
    (device,) = (d for d in report["devices"] if d["selector"] == "cpu:0")
    assert device["Name"] == nexus.get_device("cpu:0").get_property_str("Name")


def test_info_of_a_device_as_json_has_every_property(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "cpu", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["selector"] == "cpu:0"
    assert set(report["properties"]) == set(nexus.get_device("cpu").get_info().get_keys())


def test_a_device_that_is_not_there_is_an_error_in_words() -> None:
    result = run_nexus("info", "cpu:99")
    assert result.returncode == 1
    assert result.stdout == ""
    assert "99" in result.stderr
    assert "Traceback" not in result.stderr


def test_what_is_no_selector_is_misuse() -> None:
    result = run_nexus("info", "cpu:first")
    assert result.returncode == 2
    assert "'cpu:first', which is not a selector" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_backend_that_is_left_out_is_shown_as_off() -> None:
    result = run_nexus("info", NEXUS_BACKENDS="none-of-that-name")
    assert result.returncode == 0
    assert "  OFF   cpu " in result.stdout
    assert "NEXUS_BACKENDS" in result.stdout


def test_isolated_backends_are_each_shown_once_where_others_are_left_out() -> None:
    result = run_nexus("info", "--isolate", "--json", NEXUS_BACKENDS="cpu,acme")
    found = json.loads(result.stdout)["backends"]
    states = [(each["name"], each["state"]) for each in found if each["state"] != "OFF"]
    assert sorted(states) == [("acme", "FAIL"), ("cpu", "PASS")]


def write_manifest(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    fields = {"manifest_version": 1, "name": name, "library": "missing.so", "version": "1.0",
              "abi": {"min": "1.0", "max": "1.0"}}  # fmt: skip
    (folder / "nxs_plugin.json").write_text(json.dumps(fields))


def test_isolated_backends_of_the_plugin_path_are_shown_beside_the_installed_ones(
    tmp_path: Path,
) -> None:
    write_manifest(tmp_path / "acme", "acme")
    places = f"{tmp_path}:{tmp_path}/nowhere"
    result = run_nexus("info", "--isolate", "--json", NEXUS_PLUGIN_PATH=places)
    found = json.loads(result.stdout)["backends"]
    names = [each["name"] for each in found if each["name"] in ("cpu", "acme", "nowhere")]
    assert sorted(names) == ["acme", "cpu", "nowhere"]
    (nowhere,) = (each for each in found if each["name"] == "nowhere")
    assert "does not exist" in nowhere["reason"]


def test_an_isolated_backend_beside_libnexus_needs_no_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_manifest(tmp_path / "nexus_acme", "acme")
    monkeypatch.setattr(_core, "__file__", str(tmp_path / "nexus" / "_core.so"))
    found = {each["name"]: each for each in _probe.describe_isolated()["backends"]}
    assert found["acme"]["distribution"] == "nexus-acme"
    assert "missing.so" in found["acme"]["reason"]


@pytest.mark.usefixtures("core_alone")
def test_with_the_core_alone_info_says_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    assert "pip install nexus-cpu" in capsys.readouterr().out


@pytest.mark.usefixtures("core_alone")
def test_with_the_core_alone_the_json_lists_are_empty(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["backends"], report["devices"]) == ([], [])


def test_the_version_is_that_of_the_package() -> None:
    result = run_nexus("--version")
    assert (result.returncode, result.stdout) == (0, f"nexus {nexus.__version__}\n")


@pytest.mark.parametrize("arguments", [["fly"], ["info", "cpu:0", "more"], ["demo", "--fast"]])
def test_misuse_ends_with_2_and_the_usage(arguments: list[str]) -> None:
    result = run_nexus(*arguments)
    assert result.returncode == 2
    assert "usage: nexus" in result.stderr
