# SPDX-License-Identifier: Apache-2.0
"""`nexus bench`: measures a device, and compares it with the peaks in its device file."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType
from rich.progress_bar import ProgressBar

import nexus
from nexus._plots import matplotlib
from nexus._units import decimal_text, time_text
from nexus.cli._console import heading, progress, section, sentence, show, table
from nexus.cli._measurements import MEASUREMENTS, Bench, Measurement
from nexus.cli.db._plot import Roof, picture_path, write_roofline

_BAR = 30  # columns
_SCALE = "A full bar is the largest value or peak of its group."
_TITLES = {"s": "Times", "B/s": "Bandwidths", "FLOP/s": "Rates of arithmetic"}


def run(options: argparse.Namespace) -> int:
    """Measures the device and prints the results; returns 0.

    Raises:
        Misuse: the file of --plot can't be written.
        nexus.NexusError: there is no such device, a kernel does not compile or run, or --plot needs
            matplotlib.
        ValueError: the selector is not valid.
    """
    plot = None
    if options.plot is not None:
        plot = picture_path("--plot", options.plot)
        matplotlib()  # fails before the measurements, not after
    device = nexus.get_device(options.selector)
    start = time.perf_counter()
    found = _measure(Bench(device))
    seconds = time.perf_counter() - start
    if plot is not None:
        title = f"Roofline of {device.get_property_str('Name')}, measured"
        write_roofline(plot, _roofs(found), title, "FLOP")
    if options.json:
        report = {
            "version": nexus.__version__,
            "selector": device.selector,
            "name": device.get_property_str("Name"),
            "seconds": seconds,
            "measurements": [_as_json(each) for each in found],
        }
        print(json.dumps(report, indent=2))
        return 0
    name = device.get_property_str("Name")
    parts: list[RenderableType] = [table([(heading(name), device.selector)], indented=False)]
    for unit, title in _TITLES.items():
        rows = _rows([each for each in found if each.unit == unit])
        parts += section(title, table(rows)) if rows else []
    missing = "" if any(each.peak for each in found) else " The device's file has no peaks."
    parts += ["", sentence(f"{_SCALE} Measured in {time_text(seconds)}.{missing}")]
    if plot is not None:
        parts += [f"{plot}: a roofline of these values"]
    show(*parts)
    return 0


def _measure(bench: Bench) -> list[Measurement]:
    found = []
    with progress(len(MEASUREMENTS)) as begin:
        for name, measure in MEASUREMENTS.items():
            begin(f"measuring: {name}")
            measured = measure(bench, name)
            if measured is not None:
                found.append(measured)
    return found


def _roofs(found: Sequence[Measurement]) -> list[Roof]:
    """Returns the measured roof of each data type, followed by its peaks if both are known."""
    named = {each.name: each for each in found}
    memory, roofs = named["device memory"], []
    for rate in (each for each in found if each.unit == "FLOP/s"):
        name = rate.name
        roofs.append(Roof(f"{name}, measured", memory.value, rate.value, group=name))
        if memory.peak and rate.peak:
            roofs.append(Roof(f"{name}, peak", memory.peak, rate.peak, group=name))
    return roofs


def _rows(found: Sequence[Measurement]) -> list[Sequence[RenderableType]]:
    if found and found[0].unit == "s":
        return [(each.name, time_text(each.value)) for each in found]
    largest = max((max(each.value, each.peak or 0) for each in found), default=0)
    return [
        (each.name, _bar(each.value / largest), decimal_text(each.value, each.unit), _of_peak(each))
        for each in found
    ]


def _bar(part: float) -> ProgressBar:
    style = "bold"
    return ProgressBar(1, part, _BAR, complete_style=style, finished_style=style)


def _of_peak(each: Measurement) -> str:
    if not each.peak:
        return ""
    return f"{each.value / each.peak:.0%} of {decimal_text(each.peak, each.unit)}"


def _as_json(each: Measurement) -> dict[str, Any]:
    return {"name": each.name, "value": each.value, "unit": each.unit, "peak": each.peak}
