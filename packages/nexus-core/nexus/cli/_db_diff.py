# SPDX-License-Identifier: Apache-2.0
"""`nexus db diff`: what two device files tell differently."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any, NamedTuple

import nexus
from nexus._device_check import leaves
from nexus.cli._console import heading, show, width
from nexus.cli._lookup import look_up, stem_of
from nexus.cli._table import size_text
from nexus.cli._units import decimal_text, operation_unit, value_text

_ABSENT = "-"
_LEFT_OUT = ("Sources", "Variants", "Aliases", "DeviceNames", "Description", "Extensions")
# Units that the schema has and the catalogue, in which the key has other uses, has not.
_SIZES = ("Size", "MaxSize", "TotalSize")


class Difference(NamedTuple):
    """A value that differs; None where a device's file does not tell it."""

    path: str
    a: Any
    b: Any

    @property
    def ratio(self) -> float | None:
        """How many times a it is in b; None where that says nothing."""
        if not _is_number(self.a) or not _is_number(self.b) or not self.a:
            return None
        return float(self.b / self.a)


def run(a: str, b: str, *, as_json: bool) -> int:
    """Prints the differences and returns 0.

    Raises:
        Misuse: a name is none or that of several devices.
    """
    found = [look_up(name) for name in (a, b)]
    differences = list(_differences(*map(_told, found)))
    names = [str(properties.get("Name", stem_of(properties))) for properties in found]
    if as_json:
        listed = [{**each._asdict(), "ratio": each.ratio} for each in differences]
        print(json.dumps({"a": names[0], "b": names[1], "differences": listed}, indent=2))
    elif shown := [each for each in differences if _is_shown(each.path)]:
        show(_lines(names, shown))
    else:
        show([f"The files of {names[0]} and {names[1]} tell the same."])
    return 0


def _told(properties: nexus.Properties) -> dict[str, Any]:
    """The values of the file by their paths, without those that follow from others."""
    tree = properties.to_dict()
    kept = {
        key: value
        for key, value in tree.items()
        if key not in _LEFT_OUT and properties.source([key]).kind != "computed"
    }
    told = dict(leaves(kept))
    told.pop("MemorySubsystem/SupportedMemoryTypes", None)  # likewise
    return told


def _differences(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Difference]:
    """In the order of the files, with what belongs to one object together."""
    order: dict[tuple[str, ...], int] = {}
    for path in [*a, *b]:
        for stem in _stems(path):
            order.setdefault(stem, len(order))
    for path in sorted({*a, *b}, key=lambda path: [order[stem] for stem in _stems(path)]):
        if a.get(path) != b.get(path):
            yield Difference(path, a.get(path), b.get(path))


def _stems(path: str) -> list[tuple[str, ...]]:
    """The paths above it and itself, the shortest first."""
    steps = tuple(path.split("/"))
    return [steps[: length + 1] for length in range(len(steps))]


def _is_shown(path: str) -> bool:
    """Whether people need it: not what the name of an entry says as well."""
    steps = path.split("/")
    said = {"PeakRates": ("DataType", "Unit"), "MemorySubsystem": ("Kind",)}
    return steps[-1] not in said.get(steps[0], ())


def _lines(names: list[str], differences: list[Difference]) -> list[str]:
    groups: dict[str, list[Difference]] = {}
    for each in sorted(differences, key=lambda each: "/" in each.path):
        first = each.path.partition("/")[0] if "/" in each.path else ""
        groups.setdefault(first, []).append(each)
    rows = [_row(each) for each in differences]
    widths = _widths([("", *names, "b : a"), *rows])
    lines = [heading(line) for line in _wrapped_row(("", *names, "b : a"), widths)]
    for title, group in groups.items():
        lines += ["", heading(title)] if title else []
        for each in group:
            lines += _wrapped_row(_row(each), widths)
    return lines


def _row(each: Difference) -> tuple[str, str, str, str]:
    label = each.path.partition("/")[2].replace("MemoryTypes/", "").replace("/", " ")
    a, b = each.a, each.b
    if isinstance(a, list) and isinstance(b, list) and not any(map(_is_number, a + b)):
        a, b = ([part for part in x if part not in y] for x, y in ((a, b), (b, a)))
        label = f"{label or each.path}, only"
    ratio = "" if each.ratio is None else f"{each.ratio:.3g}"
    key = each.path.rpartition("/")[2]
    return f"  {label or each.path}", _text(each.path, key, a), _text(each.path, key, b), ratio


def _text(path: str, key: str, value: Any) -> str:
    if value is None or value == []:
        return _ABSENT
    if not _is_number(value):
        return value_text(key, value)
    if key in _SIZES:
        return size_text(value)
    if path.startswith("PeakRates/") and key == "Rate":
        return decimal_text(value, f"{operation_unit(path.split('/')[1])}/s")
    return value_text(key, value)


def _widths(rows: list[tuple[str, ...]]) -> list[int]:
    """The widths of the columns: those of both devices share what the others leave."""
    label, a, b, ratio = (max(len(cell) for cell in column) for column in zip(*rows, strict=True))
    label = min(label, width() * 2 // 5)
    left = max(20, width() - label - ratio - 6)
    if a + b > left:
        a = max(min(a, left // 2), left - b)
        b = left - a
    return [label, a, b, ratio]


def _wrapped_row(row: tuple[str, ...], widths: list[int]) -> list[str]:
    cells = [
        textwrap.wrap(cell, each, subsequent_indent="    " if index == 0 else "",
                      break_on_hyphens=False) or [""]
        for index, (cell, each) in enumerate(zip(row, widths, strict=True))
    ]  # fmt: skip
    cells[0][0] = row[0] if len(row[0]) <= widths[0] else f"  {cells[0][0].lstrip()}"
    height = max(map(len, cells))
    return [
        "  ".join(
            (cell[line] if line < len(cell) else "").ljust(each)
            for cell, each in zip(cells, widths, strict=True)
        ).rstrip()
        for line in range(height)
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
