# SPDX-License-Identifier: Apache-2.0
"""The module's functions that find runtimes, devices and backends."""

from __future__ import annotations

from pathlib import Path

import pytest

import nexus

pytestmark = pytest.mark.smoke


def test_runtimes_are_a_sequence() -> None:
    runtimes = nexus.get_runtimes()
    assert len(runtimes) == runtimes.size() >= 1
    assert runtimes[0] == runtimes.get(0) == next(iter(runtimes))
    assert runtimes[-1] == runtimes[len(runtimes) - 1]


def test_a_runtime_by_name() -> None:
    runtime = nexus.get_runtimes()[0]
    assert nexus.get_runtime(runtime.name) == runtime


def test_a_runtime_has_the_name_by_which_it_is_found(faulty_device: nexus.Device) -> None:
    runtime = nexus.get_runtime("faulty")  # its plug-in calls itself "reference"
    assert runtime.name == runtime.get_property_str("Name") == "faulty"
    assert faulty_device in runtime.get_devices()


def test_an_unknown_runtime_says_which_there_are() -> None:
    name = nexus.get_runtimes()[0].name
    with pytest.raises(nexus.NexusError, match=f"'warp'.*{name}") as error:
        nexus.get_runtime("warp")
    assert error.value.status == nexus.status.NXS_InvalidRuntime


def test_devices_are_those_of_all_runtimes() -> None:
    devices = nexus.get_devices()
    assert devices.size() == sum(len(each.get_devices()) for each in nexus.get_runtimes())


def test_a_device_by_its_selector() -> None:
    for device in nexus.get_devices():
        assert nexus.get_device(device.selector) == device


def test_the_default_device_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    last = nexus.get_devices()[-1]
    monkeypatch.setenv("NEXUS_DEVICE", last.selector)
    assert nexus.get_device() == last


def test_a_record_for_each_backend() -> None:
    backends = nexus.get_backends()
    for runtime in nexus.get_runtimes():
        (record,) = [b for b in backends if (b.name, b.state) == (runtime.name, "PASS")]
        assert record.reason == ""
        assert Path(record.library).is_file()


def test_the_folder_of_the_headers() -> None:
    include = Path(nexus.get_include())
    assert (include / "nexus.h").is_file()
    assert (include / "nexus-api" / "nxs.h").is_file()


def test_the_version_is_that_of_libnexus() -> None:
    assert nexus.__version__.count(".") == 2


def test_an_attribute_that_there_is_not() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'get_nothing'"):
        nexus.get_nothing  # noqa: B018
