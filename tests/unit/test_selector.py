# SPDX-License-Identifier: Apache-2.0
"""Which device a selector names, and which one is taken without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from native import MakePlugin, write_manifest
from system import System


@pytest.fixture
def machine(system: System, build_plugin: MakePlugin, tmp_path: Path) -> System:
    """A system with the backend `host`, one CPU, and `acme`, two accelerators."""
    for name, options in {
        "host": [],
        "acme": ["-DDEVICES=2", '-DTYPE="npu"'],
    }.items():
        library = build_plugin("plain.c", f'-DNAME="{name}"', *options)
        system.add(write_manifest(tmp_path / name, name, library))
    return system


@pytest.mark.parametrize(
    ("selector", "device"),
    [("host", "host:0"), ("host:0", "host:0"), ("acme", "acme:0"), ("acme:1", "acme:1")],
)
def test_a_selector_names_a_device(machine: System, selector: str, device: str) -> None:
    assert machine.call("select", selector) == {"status": "NXS_Success", "device": device}


@pytest.mark.parametrize("selector", [":", "acme:", ":1", "acme:x", "acme:-1", "ACME", "acme:1:2"])
def test_what_is_no_selector_is_refused(machine: System, selector: str) -> None:
    result = machine.call("select", selector)
    assert result["status"] == "NXS_InvalidValue"
    assert result["text"].startswith(f"selector is '{selector}', which is no selector;")


def test_a_device_that_is_not_there_is_not_found(machine: System) -> None:
    result = machine.call("select", "acme:2")
    assert result["status"] == "NXS_DeviceNotFound"
    assert "index is 2, and the runtime 'acme' has 2 devices" in result["text"]


def test_a_backend_that_is_not_there_is_not_found(machine: System) -> None:
    result = machine.call("select", "cuda:0")
    assert result["status"] == "NXS_DeviceNotFound"
    assert result["text"] == "There is no backend 'cuda'; there are acme and host."


def test_without_a_selector_the_environment_says(machine: System) -> None:
    machine.environment = {"NEXUS_DEVICE": "acme:1"}
    assert machine.call("select", "")["device"] == "acme:1"


def test_a_wrong_environment_is_named(machine: System) -> None:
    machine.environment = {"NEXUS_DEVICE": "acme/1"}
    result = machine.call("select", "")
    assert result["status"] == "NXS_InvalidValue"
    assert result["text"].startswith("NEXUS_DEVICE is 'acme/1', which is no selector;")


def test_a_device_of_the_environment_that_is_not_there_is_told_as_such(machine: System) -> None:
    machine.environment = {"NEXUS_DEVICE": "nowhere"}
    result = machine.call("select", "")
    assert result["status"] == "NXS_DeviceNotFound"
    assert "'nowhere'" in result["text"]
    assert result["text"].endswith("The environment variable NEXUS_DEVICE asks for it.")


def test_without_a_gpu_the_cpu_is_taken(machine: System) -> None:
    machine.manifests.reverse()
    assert machine.call("select", "")["device"] == "host:0"


def test_the_first_gpu_is_taken(machine: System, build_plugin: MakePlugin, tmp_path: Path) -> None:
    for name in ("zeta", "beta"):
        library = build_plugin("plain.c", f'-DNAME="{name}"', '-DTYPE="gpu"')
        machine.add(write_manifest(tmp_path / name, name, library))
    assert machine.call("select", "")["device"] == "zeta:0"


def test_any_device_is_better_than_none(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    library = build_plugin("plain.c", '-DNAME="acme"', '-DTYPE="npu"')
    system.add(write_manifest(tmp_path / "acme", "acme", library))
    assert system.call("select", "")["device"] == "acme:0"


def test_no_device_is_not_found(system: System) -> None:
    result = system.call("select", "")
    assert result["status"] == "NXS_DeviceNotFound"
    assert "nexus info" in result["text"]
