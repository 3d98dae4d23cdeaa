# SPDX-License-Identifier: Apache-2.0
"""Which device a selector names, and which one is taken without one."""

from __future__ import annotations

import pytest
from native import Install
from system import System


@pytest.fixture
def machine(system: System, install: Install) -> System:
    """A system with the backend `cpu`, one CPU, and `acme`, two accelerators."""
    install("cpu")
    install("acme", "plain.c", "-DDEVICES=2", '-DTYPE="npu"')
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
    assert result["text"].startswith(f"selector is '{selector}', which is not a selector;")


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
    assert result["text"].startswith("NEXUS_DEVICE is 'acme/1', which is not a selector;")


def test_a_device_of_the_environment_that_is_not_there_is_told_as_such(machine: System) -> None:
    machine.environment = {"NEXUS_DEVICE": "nowhere"}
    result = machine.call("select", "")
    assert result["status"] == "NXS_DeviceNotFound"
    assert "'nowhere'" in result["text"]
    assert result["text"].endswith("The environment variable NEXUS_DEVICE asks for it.")


def test_without_a_gpu_the_cpu_is_taken(machine: System) -> None:
    machine.manifests.reverse()
    assert machine.call("select", "")["device"] == "cpu:0"


def test_a_third_partys_cpu_is_not_the_default(machine: System, install: Install) -> None:
    install("aardvark", distribution="nexus-aardvark")
    report = machine.report()
    assert report.runtimes == ["cpu", "aardvark", "acme"]
    assert machine.call("select", "")["device"] == "cpu:0"


def test_the_first_gpu_that_compiles_the_portable_language_is_taken(
    machine: System, install: Install
) -> None:
    install("alpha", "plain.c", '-DTYPE="gpu"')
    install("beta", "plain.c", '-DTYPE="gpu"', '-DLANGUAGE="ptx"')
    install("gamma", "plain.c", '-DTYPE="gpu"', '-DLANGUAGE="ptx\\0nexus"')
    install("zeta", "plain.c", '-DTYPE="gpu"', '-DLANGUAGE="nexus"')
    assert machine.call("select", "")["device"] == "gamma:0"


def test_our_gpus_come_before_third_parties(machine: System, install: Install) -> None:
    for name in ("aardvark", "cuda"):
        install(name, "plain.c", '-DTYPE="gpu"', '-DLANGUAGE="nexus"', distribution=f"nexus-{name}")
    assert machine.call("select", "")["device"] == "cuda:0"


def test_a_gpu_with_kernels_to_run_needs_no_compiler(machine: System, install: Install) -> None:
    for name in ("alpha", "beta"):
        install(name, "plain.c", '-DTYPE="gpu"')
    machine.config = {"beta.demo_kernels": "/beta/kernels.bin"}
    assert machine.call("select", "")["device"] == "beta:0"


def test_without_the_cpus_backend_the_first_device_is_taken(
    system: System, install: Install
) -> None:
    install("beta", "plain.c", '-DTYPE="gpu"')
    install("acme", "plain.c", '-DTYPE="npu"')
    assert system.call("select", "")["device"] == "acme:0"


def test_no_device_is_not_found(system: System) -> None:
    result = system.call("select", "")
    assert result["status"] == "NXS_DeviceNotFound"
    assert "nexus info" in result["text"]
