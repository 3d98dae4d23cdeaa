# SPDX-License-Identifier: Apache-2.0
"""The table of speed: a case for each module of gpu_rows. A missed goal is not a failure."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from gpu_cases import Bench, NotThere, add_case
from harness import NotMeasured
from measurement import Measurement, verdict

ROWS = {  # the seconds that each may take
    "launch": 120,
    "launch_hip": 120,
    "schedule_100": 90,
    "branches_100": 60,
    "while_1000": 60,
    "record_100": 90,
    "rebind": 90,
    "copies_256m": 150,
    "overlap": 120,
    "allocate": 90,
    "vector_add_2_28": 150,
    "algorithms": 180,
    "algorithms_metal": 180,
    "gallery_kernels": 300,
    "first_result": 240,
}


def measure(row: str, bench: Bench, *, smoke: bool = False) -> str:
    """Measures the lines of a module; returns which goals are met."""
    module: Any = importlib.import_module(f"gpu_rows.{row}")
    lines: list[dict[str, Any]] = []
    bench.data["rows"] = lines
    try:
        for each in module.measure(smoke=smoke):
            lines.append(each.as_json())
            _show(lines[-1])
    except NotMeasured as reason:
        lines.append(Measurement.missing(module.NAME, module.GOAL, reason).as_json())
        raise NotThere(str(reason)) from reason
    return "; ".join(f"{line['name']}: {verdict(line)}, {line['figure']}" for line in lines)


def _show(line: dict[str, Any]) -> None:
    print(f"{verdict(line):<14}{line['name']}: {line['figure']} ({line['goal']})")
    for each in line["timings"]:
        print(f"{'':14}{each['label']}: {each['median'] * 1e6:.3f} us", flush=True)


for _row, _seconds in ROWS.items():
    add_case(__name__, _row, partial(measure, _row), limit=_seconds)
