# SPDX-License-Identifier: Apache-2.0
"""`nexus top`: monitors the use of the devices."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.live import Live

import nexus
from nexus.cli._console import heading, labelled, sentence, show, table
from nexus.cli._info import BACKEND_HINT
from nexus.cli._misuse import Misuse
from nexus.cli.page._citations import Star
from nexus.cli.page._info_page import live_rows
from nexus.cli.page._page import Page

_LONGEST = 3600.0  # seconds


def run(options: argparse.Namespace) -> int:
    """Shows the devices until Ctrl-C, or once if the output is not a terminal; returns 0.

    Returns 1 if there is no device.

    Raises:
        Misuse: the interval is not valid.
        nexus.NexusError: there is no such device.
        ValueError: the selector is not valid.
    """
    interval = _interval(options.interval)
    chosen = options.selector
    devices = list(nexus.get_devices()) if chosen is None else [nexus.get_device(chosen)]
    if not devices:
        show("There is no device." if nexus.get_backends() else BACKEND_HINT)
        return 1
    if options.once or not sys.stdout.isatty():
        show(*_screen(devices))
        return 0
    try:
        with Live(Group(*_screen(devices)), auto_refresh=False, screen=True) as live:
            while True:
                time.sleep(interval)
                live.update(Group(*_screen(devices)), refresh=True)
    except KeyboardInterrupt:
        return 0


def _interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST:
        raise Misuse(f"--interval is {text!r}: write seconds, more than 0 and at most 3600.")
    return seconds


def _screen(devices: Sequence[nexus.Device]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for device in devices:
        parts += ["", *_use(device)] if parts else _use(device)
    return parts


def _use(device: nexus.Device) -> list[RenderableType]:
    """Returns a device's name and the rows of its live values, or the error of its driver."""
    try:
        page = Page(device.get_info(), Star())
        name = str(page.get("Name") or "")
        rows = live_rows(page)
    except nexus.NexusError as error:
        return [heading(device.selector), sentence(str(error))]
    title = table([(heading(device.selector), name)], indented=False)
    return [title, labelled(rows) if rows else sentence("  Its driver reports no usage.")]
