# SPDX-License-Identifier: Apache-2.0
"""Runtimes."""

from __future__ import annotations

from typing import Any

import pytest

import nexus


@pytest.fixture
def runtime(device: nexus.Device) -> nexus.Runtime:
    return device.runtime


def test_the_name_is_the_property(runtime: nexus.Runtime) -> None:
    assert runtime.name == runtime.get_property_str("Name")


def test_the_size_is_the_number_of_devices(runtime: nexus.Runtime) -> None:
    assert runtime.get_property_int("Size") == runtime.get_devices().size()


def test_a_device_by_index(runtime: nexus.Runtime) -> None:
    assert runtime.get_device(0) == runtime.get_devices()[0]


def test_a_device_that_there_is_not(runtime: nexus.Runtime) -> None:
    with pytest.raises(nexus.NexusError) as error:
        runtime.get_device(1000)
    assert error.value.status == nexus.status.NXS_InvalidDevice


@pytest.mark.parametrize(("index", "kind"), [(-1, ValueError), ("0", TypeError), (0.0, TypeError)])
def test_what_is_no_index(runtime: nexus.Runtime, index: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="id"):
        runtime.get_device(index)


def test_a_device_knows_its_runtime(runtime: nexus.Runtime) -> None:
    assert all(device.runtime == runtime for device in runtime.get_devices())


def test_the_repr_tells_name_and_devices(runtime: nexus.Runtime) -> None:
    assert repr(runtime).startswith(f"<nexus.Runtime {runtime.name}, ")
