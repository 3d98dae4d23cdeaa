# SPDX-License-Identifier: Apache-2.0
"""`nexus devices`: the devices of this machine, a line each."""

from __future__ import annotations

import json
from typing import Any

import nexus
from nexus.cli._console import show
from nexus.cli._info import BACKEND_HINT
from nexus.cli._lookup import stem_of
from nexus.cli._table import columns, size_text

_TOLD = ("Name", "Type", "Architecture", "CoreCount", "GlobalMemorySize")


def run(*, as_json: bool) -> int:
    """Prints the devices and returns 0."""
    devices = [_told(device) for device in nexus.get_devices()]
    if as_json:
        print(json.dumps(devices, indent=2))
    elif devices:
        show(columns([_row(device) for device in devices], indent=""))
    else:
        show([BACKEND_HINT if not nexus.get_backends() else "There is no device."])
    return 0


def _told(device: nexus.Device) -> dict[str, Any]:
    """What the list shows of a device; None for what is not known."""
    info = device.get_info()
    return {
        "selector": device.selector,
        **{key: info.get(key) for key in _TOLD},
        "DeviceFile": _stem(device),
    }


def _stem(device: nexus.Device) -> str | None:
    try:
        return stem_of(nexus.lookup_device_info(device))
    except ValueError:  # it has none
        return None


def _row(device: dict[str, Any]) -> tuple[str, ...]:
    cores, memory = device["CoreCount"], device["GlobalMemorySize"]
    return (
        device["selector"],
        device["Name"] or "",
        device["Type"] or "",
        device["Architecture"] or "",
        f"{cores} core{'' if cores == 1 else 's'}" if cores else "",
        size_text(memory) if memory else "",
        device["DeviceFile"] or "-",
    )
