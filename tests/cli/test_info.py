# SPDX-License-Identifier: Apache-2.0
"""`nexus info`, `nexus --version` and misuse."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from python_process import run_python

import nexus
from nexus.cli import main


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
