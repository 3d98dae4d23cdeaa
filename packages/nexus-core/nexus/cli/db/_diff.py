# SPDX-License-Identifier: Apache-2.0
"""`nexus db diff`: the values that differ between two device files."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.table import Table

import nexus
from nexus._units import decimal_text, operation_unit, size_text, value_text
from nexus.cli._console import heading, show, table
from nexus.cli._misuse import Misuse
from nexus.cli.db._device_check import leaves
from nexus.cli.db._lookup import look_up, stem_of

_ABSENT = "-"
_LEFT_OUT = ("Sources", "Variants", "Aliases", "DeviceNames", "Description", "Extensions")
# Units in the schema but not in the catalogue, in which the key has other uses.
_SIZES = ("Size", "MaxSize", "TotalSize")


class Difference(NamedTuple):
    """A value that differs; None if a file does not have it."""

    path: str
    a: Any
    b: Any

    @property
    def ratio(self) -> float | None:
        """The ratio b / a; None if a or b is not a number, or a is 0."""
        if not _is_number(self.a) or not _is_number(self.b) or not self.a:
            return None
        return float(self.b / self.a)


def run(options: argparse.Namespace) -> int:
    """Prints the differences and returns 0.

    Raises:
        Misuse: a name matches no device, or several; or it is unclear where the first name ends.
    """
    found = _found([options.a, options.b, *options.more])
    differences = list(_differences(*map(_told, found)))
    names = [str(properties.get("Name", stem_of(properties))) for properties in found]
    if options.json:
        listed = [{**each._asdict(), "ratio": each.ratio} for each in differences]
        print(json.dumps({"a": names[0], "b": names[1], "differences": listed}, indent=2))
    elif shown := [each for each in differences if _is_shown(each.path)]:
        show(_table(names, shown))
    else:
        show(f"The files of {names[0]} and {names[1]} have the same values.")
    return 0


def _found(words: Sequence[str]) -> Sequence[nexus.Properties]:
    """Returns the two devices. More than two words have to split into two names in one way."""
    if len(words) == 2:
        return [look_up(name) for name in words]
    pairs = []
    for at in range(1, len(words)):
        with contextlib.suppress(Misuse):
            pairs.append([look_up(" ".join(part)) for part in (words[:at], words[at:])])
    if len(pairs) == 1:
        return pairs[0]
    problem = (
        "are the names of two devices in more than one way"
        if pairs
        else "are not the names of two devices"
    )
    raise Misuse(
        f"'{' '.join(words)}' {problem}: write names with blanks in quotes, as in "
        '`nexus db diff "RTX 4090" H200`.'
    )


def _told(properties: nexus.Properties) -> dict[str, Any]:
    """Returns the values of the file by their paths, without computed values."""
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
    """Yields the differences in the order of the files, grouped by object."""
    order: dict[tuple[str, ...], int] = {}
    for path in [*a, *b]:
        for stem in _stems(path):
            order.setdefault(stem, len(order))
    for path in sorted({*a, *b}, key=lambda path: [order[stem] for stem in _stems(path)]):
        if a.get(path) != b.get(path):
            yield Difference(path, a.get(path), b.get(path))


def _stems(path: str) -> list[tuple[str, ...]]:
    """Returns the path and its parents, the shortest first."""
    steps = tuple(path.split("/"))
    return [steps[: length + 1] for length in range(len(steps))]


def _is_shown(path: str) -> bool:
    """Returns whether to show the value: not if the name of its entry repeats it."""
    steps = path.split("/")
    said = {"PeakRates": ("DataType", "Unit"), "MemorySubsystem": ("Kind",)}
    return steps[-1] not in said.get(steps[0], ())


def _table(names: list[str], differences: list[Difference]) -> Table:
    groups: dict[str, list[Difference]] = {}
    for each in sorted(differences, key=lambda each: "/" in each.path):
        first = each.path.partition("/")[0] if "/" in each.path else ""
        groups.setdefault(first, []).append(each)
    rows: list[Sequence[RenderableType]] = []
    for title, group in groups.items():
        rows += [("",), (heading(title),)] if title else []
        rows += map(_row, group)
    return table(rows, ("", *names, "b : a"), indented=False)


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


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
