# SPDX-License-Identifier: Apache-2.0
"""The peak rates of a device as a table of data types and units."""

from __future__ import annotations

import functools

from rich.table import Table

from nexus._units import clock_text, decimal_text, operation_unit
from nexus.cli._console import Rows, table
from nexus.cli.page._page import Page, Path

UNITS = ("vector", "matrix", "sparse matrix")


def rates(page: Page) -> list[Rows | Table]:
    """Returns the rates per second and per cycle, and the clock for which they hold."""
    paths = list(page.entries("PeakRates"))
    return [
        *_grid(page, paths, "Rate", "per second"),
        *_grid(page, paths, "OperationsPerClock", "per cycle and core"),
        _clocks(page, paths),
    ]


def kind_of(page: Page, path: Path) -> tuple[str, str]:
    """Returns an entry's data type and unit."""
    name, _, unit = str(page.get(*path, "Name")).partition(" ")
    return _word(page.get(*path, "DataType"), name), _word(
        page.get(*path, "Unit"), unit or UNITS[0]
    )


def _word(told: object, other: str) -> str:
    return told if isinstance(told, str) else other


def _grid(page: Page, paths: list[Path], key: str, title: str) -> list[Table]:
    cells = {}
    for path in paths:
        data_type, unit = kind_of(page, path)
        text = functools.partial(_text, key=key, data_type=data_type)
        shown = page.cell((*path, key), text)
        if shown:
            cells[data_type, unit] = shown
    units = [unit for unit in UNITS if any(unit == each for _, each in cells)]
    rows = [
        (data_type, *(cells.get((data_type, unit), "") for unit in units))
        for data_type in dict.fromkeys(data_type for data_type, _ in cells)
    ]
    return [table(rows, (title, *units))] if rows else []


def _text(rate: float, key: str, data_type: str) -> str:
    unit = operation_unit(data_type)
    return decimal_text(rate, f"{unit}/s") if key == "Rate" else f"{rate:g} {unit}"


def _clocks(page: Page, paths: list[Path]) -> Rows:
    told: dict[str, list[str]] = {}
    for path in paths:
        clock = page.cell((*path, "Clock"), clock_text)
        if clock:
            told.setdefault(clock, []).append(str(page.get(*path, "Name")))
    return [(f"at {clock}", ", ".join(names)) for clock, names in told.items()]
