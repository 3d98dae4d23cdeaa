# SPDX-License-Identifier: Apache-2.0
"""HTML tables of objects, for notebooks. Imported when one is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nexus import Device, ObjectCode, Properties, Runtime

_MOST_ROWS = 40
_MOST_LETTERS = 200


def runtime(shown: Runtime) -> str:
    """Shows a runtime and its devices."""
    rows = [
        (each.selector, _value(each, "Name"), _value(each, "Type")) for each in shown.get_devices()
    ]
    return _table(repr(shown), ("device", "name", "type"), rows)


def device(shown: Device) -> str:
    """Shows a device's own properties."""
    return _table(repr(shown), ("property", "value"), _own_properties(shown))


def properties(shown: Properties) -> str:
    """Shows the top level of a property tree."""
    return _table(
        repr(shown), ("property", "value"), [(key, shown.get(key)) for key in shown.get_keys()]
    )


def objectcode(shown: ObjectCode) -> str:
    """Shows object code and its kernels."""
    rows = [("target", shown.target), ("flags", " ".join(shown.flags)), ("origin", shown.origin)]
    rows += [("kernel", str(kernel)) for kernel in shown.kernels]
    return _table(repr(shown), ("", ""), rows)


def objects(shown: Sequence[object]) -> str:
    """Shows a list of objects."""
    return _table(f"{len(shown)} objects", ("", "object"), list(enumerate(shown)))


def _own_properties(shown: Device) -> list[tuple[str, object]]:
    return [(key, _value(shown, key)) for key in shown.get_property_keys() if key != "Keys"]


def _value(shown: Device, key: str) -> object:
    try:
        return shown.get_property(key)
    except RuntimeError as error:  # an object that fails does not hide the others
        return error


def _table(caption: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [f"<table><caption>{escape(caption)}</caption>", _row("th", head)]
    lines += [_row("td", row) for row in rows[:_MOST_ROWS]]
    if len(rows) > _MOST_ROWS:
        lines.append(_row("td", [f"and {len(rows) - _MOST_ROWS} more"]))
    return "\n".join([*lines, "</table>"])


def _row(tag: str, cells: Iterable[object]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(_short(cell))}</{tag}>" for cell in cells) + "</tr>"


def _short(cell: object) -> str:
    text = str(cell)
    return text if len(text) <= _MOST_LETTERS else text[:_MOST_LETTERS] + "…"
