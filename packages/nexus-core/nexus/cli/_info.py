# SPDX-License-Identifier: Apache-2.0
"""`nexus info`: the backends, the devices, and the properties of one device."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rich.console import RenderableType

import nexus
from nexus._units import size_text
from nexus.cli import _probe
from nexus.cli._console import section, show, table
from nexus.cli._misuse import Misuse
from nexus.cli.page._info_page import page_of

BACKEND_HINT = (
    "No backend is installed, so there is no device. `pip install nexus-cpu` adds the CPU."
)


def run(options: argparse.Namespace) -> int:
    """Prints the backends and devices, or the page of the selected device, and returns 0.

    Raises:
        Misuse: --sources without a device, or --isolate with one.
        nexus.NexusError: there is no such device.
        ValueError: the selector is not valid.
    """
    selector = options.selector
    if selector is None:
        if options.sources:
            raise Misuse("--sources needs a device, such as cpu:0.")
        report = _probe.describe_isolated() if options.isolate else _probe.describe_machine()
        if options.json:
            print(json.dumps(report, indent=2))
        else:
            show(*_machine(report))
    elif options.isolate:
        raise Misuse("--isolate checks all backends: leave out the device.")
    elif options.json:
        print(json.dumps(_probe.describe_device(nexus.get_device(selector)), indent=2))
    else:
        show(*page_of(nexus.get_device(selector), sources=options.sources))
    return 0


def _machine(report: dict[str, Any]) -> list[RenderableType]:
    """Lays out the report as text."""
    title = f"Nexus {report['version']} on Python {report['python']}"
    if not report["backends"]:
        return [title, "", BACKEND_HINT]
    backends = [
        [each[key] for key in ("state", "name", "distribution", "version", "reason")]
        for each in report["backends"]
    ]
    devices = report["devices"]
    parts = [title, *section("Backends", table(backends))]
    parts += section("Devices", table(map(_device_row, devices) if devices else [("none",)]))
    if devices:
        parts += ["", f"`nexus info {devices[0]['selector']}` shows the properties of a device."]
    return parts


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
