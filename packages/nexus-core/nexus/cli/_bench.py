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
from nexus._units import decimal_text, time_text
from nexus.cli._console import busy, heading, section, sentence, show, table
from nexus.cli._measurements import MEASUREMENTS, Bench, Measurement

_BAR = 30  # columns
_SCALE = "A full bar is the largest value or peak of its group."
_TITLES = {"s": "Times", "B/s": "Bandwidths", "FLOP/s": "Rates of arithmetic"}


def run(options: argparse.Namespace) -> int:
    """Measures the device and prints the results; returns 0.

    Raises:
        nexus.NexusError: there is no such device, or a kernel does not compile or run.
        ValueError: the selector is not valid.
    """
    device = nexus.get_device(options.selector)
    start = time.perf_counter()
    found = _measure(Bench(device))
    seconds = time.perf_counter() - start
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
    show(*parts)
    return 0


def _measure(bench: Bench) -> list[Measurement]:
    found = []
    with busy("") as status:
        for name, measure in MEASUREMENTS.items():
            status.update(f"measuring: {name}")
            measured = measure(bench, name)
            if measured is not None:
                found.append(measured)
    return found


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
