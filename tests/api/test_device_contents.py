# SPDX-License-Identifier: Apache-2.0
"""Lists of the contents of devices, libraries and the device database."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nexus

MAKERS: dict[str, Callable[[nexus.Device, Path], Any]] = {
    "get_buffers": lambda device, file: device.create_buffer(64),
    "get_libraries": lambda device, file: device.load_library(file),
    "get_streams": lambda device, file: device.create_stream(),
    "get_events": lambda device, file: device.create_event(),
    "get_schedules": lambda device, file: device.create_schedule(),
}


@pytest.mark.parametrize("getter", MAKERS)
def test_a_device_lists_what_lives_on_it_in_order(
    device: nexus.Device, kernel_file: Path, getter: str
) -> None:
    gc.collect()
    present = getattr(device, getter)()
    made = [MAKERS[getter](device, kernel_file) for _ in range(3)]
    listed = getattr(device, getter)()
    assert isinstance(listed, nexus.ObjectList)
    assert list(listed) == [*present, *made]
    assert listed[-1] is made[-1]


def test_the_default_stream_is_not_listed(device: nexus.Device) -> None:
    assert device.default_stream not in device.get_streams()


def test_the_device_info_database_has_an_entry_for_each_file() -> None:
    database = nexus.get_device_info()
    for stem in database.get_keys():
        vendor, kind, architecture = stem.split("-", 2)
        assert all((vendor, kind, architecture))
        assert nexus.lookup_device_info(stem).get_str("Vendor").lower() == vendor


def test_an_unknown_device_info_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="no-such-device"):
        nexus.lookup_device_info("no-such-device")
    with pytest.raises(TypeError, match="name has to be a str"):
        nexus.lookup_device_info(1)  # type: ignore[arg-type]
