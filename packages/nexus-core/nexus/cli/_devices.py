# SPDX-License-Identifier: Apache-2.0
"""`nexus devices`: lists the devices of this machine, one per line."""

from __future__ import annotations

import argparse
import json
from typing import Any

import nexus
from nexus._units import counted, size_text
from nexus.cli._console import show, table
from nexus.cli._info import BACKEND_HINT
from nexus.cli.db._lookup import stem_of

_TOLD = ("Name", "Type", "Architecture", "CoreCount", "GlobalMemorySize")


def run(options: argparse.Namespace) -> int:
    """Prints the devices and returns 0."""
    devices = [_told(device) for device in nexus.get_devices()]
    if options.json:
        print(json.dumps(devices, indent=2))
    elif devices:
        show(table([_row(device) for device in devices], indented=False))
    else:
        show("There is no device." if nexus.get_backends() else BACKEND_HINT)
    return 0


def _told(device: nexus.Device) -> dict[str, Any]:
    """Returns a device's row of the list; None for unknown values."""
    info = device.get_info()
    return {
        "selector": device.selector,
        **{key: info.get(key) for key in _TOLD},
        "DeviceFile": _stem(device),
    }


def _stem(device: nexus.Device) -> str | None:
    try:
        return stem_of(nexus.lookup_device_info(device))
    except ValueError:  # the device has none
        return None


def _row(device: dict[str, Any]) -> tuple[str, ...]:
    cores, memory = device["CoreCount"], device["GlobalMemorySize"]
    return (
        device["selector"],
        device["Name"] or "",
        device["Type"] or "",
        device["Architecture"] or "",
        counted(cores, "core") if cores else "",
        size_text(memory) if memory else "",
        device["DeviceFile"] or "-",
    )
