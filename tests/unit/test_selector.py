# SPDX-License-Identifier: Apache-2.0
"""Which device a selector names, and which one is taken without one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from native import MakePlugin, write_manifest
from system import System

AddBackend = Callable[..., None]
"""The fixture add_backend: a name and options of tests/plugins/bad/base.h."""


@pytest.fixture
def add_backend(system: System, build_plugin: MakePlugin, tmp_path: Path) -> AddBackend:
    """Adds a backend to the system."""

    def add(name: str, *options: str, distribution: str = "") -> None:
        library = build_plugin("plain.c", f'-DNAME="{name}"', *options)
        system.add(write_manifest(tmp_path / name, name, library), distribution)

    return add


@pytest.fixture
def machine(system: System, add_backend: AddBackend) -> System:
    """A system with the backend `cpu`, one CPU, and `acme`, two accelerators."""
    add_backend("cpu")
    add_backend("acme", "-DDEVICES=2", '-DTYPE="npu"')
    return system


@pytest.mark.parametrize(
    ("selector", "device"),
    [("cpu", "cpu:0"), ("cpu:0", "cpu:0"), ("acme", "acme:0"), ("acme:1", "acme:1")],
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
    assert result["text"] == "There is no backend 'cuda'; there are acme and cpu."


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
    assert machine.call("select", "")["device"] == "cpu:0"


def test_a_third_partys_cpu_is_not_the_default(machine: System, add_backend: AddBackend) -> None:
    add_backend("aardvark", distribution="nexus-aardvark")
    report = machine.report()
    assert report.runtimes == ["cpu", "aardvark", "acme"]
    assert machine.call("select", "")["device"] == "cpu:0"


def test_the_first_gpu_that_compiles_the_portable_language_is_taken(
    machine: System, add_backend: AddBackend
) -> None:
    add_backend("alpha", '-DTYPE="gpu"')
    add_backend("beta", '-DTYPE="gpu"', '-DLANGUAGE="ptx"')
    add_backend("gamma", '-DTYPE="gpu"', '-DLANGUAGE="ptx\\0nexus"')
    add_backend("zeta", '-DTYPE="gpu"', '-DLANGUAGE="nexus"')
    assert machine.call("select", "")["device"] == "gamma:0"


def test_our_gpus_come_before_third_parties(machine: System, add_backend: AddBackend) -> None:
    for name in ("aardvark", "cuda"):
        add_backend(name, '-DTYPE="gpu"', '-DLANGUAGE="nexus"', distribution=f"nexus-{name}")
    assert machine.call("select", "")["device"] == "cuda:0"


def test_a_gpu_with_kernels_to_run_needs_no_compiler(
    machine: System, add_backend: AddBackend
) -> None:
    for name in ("alpha", "beta"):
        add_backend(name, '-DTYPE="gpu"')
    machine.config = {"beta.demo_kernels": "/beta/kernels.bin"}
    assert machine.call("select", "")["device"] == "beta:0"


def test_without_the_cpus_backend_the_first_device_is_taken(
    system: System, add_backend: AddBackend
) -> None:
    add_backend("beta", '-DTYPE="gpu"')
    add_backend("acme", '-DTYPE="npu"')
    assert system.call("select", "")["device"] == "acme:0"


def test_no_device_is_not_found(system: System) -> None:
    result = system.call("select", "")
    assert result["status"] == "NXS_DeviceNotFound"
    assert "nexus info" in result["text"]
