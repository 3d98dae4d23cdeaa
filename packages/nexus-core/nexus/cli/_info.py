# SPDX-License-Identifier: Apache-2.0
"""`nexus info`: the backends, the devices, and the properties of one device."""

from __future__ import annotations

import json
from typing import Any

import nexus
from nexus.cli import _probe
from nexus.cli._console import show
from nexus.cli._info_page import page_lines
from nexus.cli._misuse import Misuse
from nexus.cli._table import columns, size_text

BACKEND_HINT = (
    "No backend is installed, so there is no device. `pip install nexus-cpu` adds the CPU."
)


def run(selector: str | None, *, sources: bool, isolate: bool, as_json: bool) -> int:
    """Prints what there is, or what is known of the selected device, and returns 0.

    Args:
        sources: list where the values of the device come from.
        isolate: load each backend in a process of its own.

    Raises:
        Misuse: sources is wanted, but no device; or isolate and a device.
        nexus.NexusError: there is no such device.
        ValueError: selector is none.
    """
    if selector is None:
        if sources:
            raise Misuse("--sources needs a device, such as cpu:0.")
        report = _probe.describe_isolated() if isolate else _probe.describe_machine()
        show([json.dumps(report, indent=2) if as_json else machine_text(report)])
    elif isolate:
        raise Misuse("--isolate looks at all backends; leave the device out.")
    elif as_json:
        print(json.dumps(_probe.describe_device(nexus.get_device(selector)), indent=2))
    else:
        show(page_lines(nexus.get_device(selector), sources=sources))
    return 0


def machine_text(report: dict[str, Any]) -> str:
    """The report for people."""
    lines = [f"Nexus {report['version']} on Python {report['python']}", ""]
    if not report["backends"]:
        return "\n".join([*lines, BACKEND_HINT])
    lines.append("Backends")
    for backend in report["backends"]:
        origin = " ".join(filter(None, (backend["distribution"], backend["version"])))
        lines += columns([(backend["state"].ljust(6), backend["name"].ljust(8), origin)])
        if backend["reason"]:
            lines.append(f"          {backend['reason']}")
    lines += ["", "Devices"]
    if not report["devices"]:
        return "\n".join([*lines, "  none"])
    lines += columns([_device_row(device) for device in report["devices"]])
    first = report["devices"][0]["selector"]
    lines += ["", f"`nexus info {first}` shows what a device says of itself."]
    return "\n".join(lines)


def _device_row(device: dict[str, Any]) -> tuple[str, ...]:
    if "problem" in device:
        return (device["selector"], device["problem"])
    cores, memory = device["CoreCount"], device["GlobalMemorySize"]
    return (
        device["selector"],
        device["Name"] or "",
        device["Architecture"] or "",
        f"{cores} cores" if cores else "",
        size_text(memory) if memory else "",
    )
