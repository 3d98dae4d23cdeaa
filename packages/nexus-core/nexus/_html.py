# SPDX-License-Identifier: Apache-2.0
"""HTML of objects, for notebooks. Imported when one is shown.

Each function is named after the class that it shows, in lower case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from nexus import _core
from nexus._units import list_text, size_text, time_text, value_text

if TYPE_CHECKING:
    from nexus import Buffer, Device, Kernel, ObjectCode, Properties, Runtime, Schedule
    from nexus._trace._summary import Total
    from nexus.trace import Trace

_MOST_ROWS = 40
_MOST_LETTERS = 200
_MOST_VALUES = 8  # of a buffer, in each direction
_DEEPEST = 6  # levels of properties


def runtime(shown: Runtime) -> str:
    """Shows a backend and its devices."""
    return _card(_text(shown, "Name"), _text(shown, "Version"), [_devices(shown.get_devices())])


def device(shown: Device) -> str:
    """Shows a device: its memory, and all properties."""
    note = ", ".join(filter(None, (_text(shown, "Type"), _text(shown, "Architecture"))))
    rows = [(key, _value(shown, key)) for key in shown.get_property_keys() if key != "Keys"]
    parts = [_memory(shown), _fold(f"{len(rows)} properties", _properties(rows, 0))]
    return _card(_text(shown, "Name"), note, parts, shown.selector)


def properties(shown: Properties) -> str:
    """Shows a property tree."""
    rows = [(key, shown.get(key)) for key in shown.get_keys()]
    name = dict(rows).get("Name", repr(shown))
    return _card(str(name), f"{len(rows)} properties", [_properties(rows, 0)])


def objectcode(shown: ObjectCode) -> str:
    """Shows object code and its kernels."""
    rows = [("target", shown.target), ("flags", " ".join(shown.flags)), ("origin", shown.origin)]
    rows += [("kernel", str(kernel)) for kernel in shown.kernels]
    return _card(repr(shown), size_text(len(shown.code)), [_table((), rows)])


def buffer(shown: Buffer) -> str:
    """Shows a buffer with its first values, which waits for the work that uses it."""
    try:
        note = f"{shown.dtype} {shown.shape}, {size_text(shown.nbytes)}"
        place = shown.device.selector if shown.device else "host"
        return _card("Buffer", note, [_values(shown)], place)
    except Exception as error:  # such as of a closed buffer, or of work that failed
        return _card(repr(shown), str(error), [])


def kernel(shown: Kernel) -> str:
    """Shows a kernel with its arguments and what it requires."""
    arguments = [(each.name, each.type or each.kind) for each in shown.arguments or ()]
    needs = [
        (name.replace("_", " "), value)
        for name, value in shown.attributes._asdict().items()
        if value
    ]
    parts = [_table(("argument", "type"), arguments), _table((), needs)]
    return _card(_text(shown, "Name"), "kernel", parts)


def general(shown: Any) -> str:
    """Shows any object by its properties."""
    try:
        keys = [key for key in shown.get_property_keys() if key not in ("Keys", "ID")]
    except RuntimeError:  # a closed object
        keys = []
    return _card(repr(shown), "", [_properties([(key, _value(shown, key)) for key in keys], 0)])


def schedule(shown: Schedule) -> str:
    """Shows a schedule as a graph."""
    return _card(repr(shown), "", [shown._repr_svg_()])  # type: ignore[attr-defined]


stream = event = command = library = general


def trace(shown: Trace) -> str:
    """Shows a trace as a timeline, with its times in folded tables."""
    from nexus._trace import _summary, _timeline

    begin, end = _timeline.window(shown._parts)  # noqa: SLF001
    span = f"spans {time_text((end - begin) / 1e6)}"
    note = span if end > begin else "The trace holds no work."
    found = _summary.summarize(shown._parts)  # noqa: SLF001
    tables = {"Work of devices": found.kernels, "Copies": found.copies,
              "Calls of plug-ins": found.calls, "Ranges of the program": found.ranges}  # fmt: skip
    folded = [_fold(title, _totals(rows)) for title, rows in tables.items() if rows]
    return _card(shown.path, note, [_timeline.svg(shown._parts), *folded])  # noqa: SLF001


def _totals(rows: Sequence[Total]) -> str:
    head = ("name", "count", "total", "mean", "longest", "share")
    cells = [
        (each.name, each.count, *map(time_text, (each.total, each.mean, each.longest)),
         f"{each.share:.1%}")
        for each in rows
    ]  # fmt: skip
    return _table(head, cells)


def objects(shown: Sequence[object]) -> str:
    """Shows a list of objects, and a list of devices as a table."""
    if shown and all(isinstance(each, _core.Device) for each in shown):
        return _devices(shown)
    return _card(f"{len(shown)} objects", "", [_table(("", "object"), list(enumerate(shown)))])


def _devices(shown: Iterable[Any]) -> str:
    head = ("device", "name", "type", "architecture", "memory")
    rows = [
        (each.selector, *(_text(each, key) for key in ("Name", "Type", "Architecture")),
         _size(each, "GlobalMemorySize"))
        for each in shown
    ]  # fmt: skip
    return _table(head, rows)


def _values(shown: Buffer) -> str:
    """Returns the values at the beginning of the last two dimensions."""
    if shown.ndim == 0 or shown.size == 0:
        return escape(str(shown))
    first = shown[(0,) * max(shown.ndim - 2, 0)] if shown.ndim > 2 else shown
    corner = first[tuple(slice(0, _MOST_VALUES) for _ in range(first.ndim))]
    values = corner.ascontiguous().numpy()
    rows = [[str(value) for value in row] for row in values.reshape(-1, values.shape[-1])]
    if first.shape[-1] > _MOST_VALUES:
        rows = [[*row, "…"] for row in rows]
    if first.ndim == 2 and first.shape[0] > _MOST_VALUES:
        rows.append(["…"] * len(rows[0]))
    return _table((), rows)


def _memory(shown: Device) -> str:
    """Returns a bar of the memory in use."""
    size, used = _value(shown, "GlobalMemorySize"), _value(shown, "MemoryUsed")
    if not isinstance(size, int) or size <= 0:
        return ""
    if not isinstance(used, int):
        return f"<div>{size_text(size)} of memory</div>"
    text = f"{size_text(used)} of {size_text(size)} of memory in use"
    return f'<div><meter max="{size}" value="{used}">{text}</meter> {text}</div>'


def _properties(rows: Sequence[tuple[str, object]], depth: int) -> str:
    """Returns a table of simple values, followed by a folded section for each structured one."""
    simple = [(key, value_text(key, value)) for key, value in rows if not _is_tree(value)]
    folded = [_fold(key, _tree(value, depth + 1)) for key, value in rows if _is_tree(value)]
    return _table((), simple) + "".join(folded)


def _is_tree(value: object) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(each, dict) for each in value)
    )


def _tree(value: Any, depth: int) -> str:
    if depth > _DEEPEST:
        return escape(_short(value))
    if isinstance(value, dict):
        return _properties(list(value.items()), depth)
    named = [(str(each.get("Name", at)) if isinstance(each, dict) else str(at), each)
             for at, each in enumerate(value)]  # fmt: skip
    return _properties(named, depth)


def _text(shown: Any, key: str) -> str:
    value = _value(shown, key)
    return value if isinstance(value, str) else ""


def _size(shown: Any, key: str) -> str:
    value = _value(shown, key)
    return size_text(value) if isinstance(value, int) else ""


def _value(shown: Any, key: str) -> object:
    try:
        return shown.get_property(key)
    except RuntimeError as error:  # a property that fails does not hide the others
        return error


def _card(title: str, note: str, parts: Iterable[str], code: str = "") -> str:
    """Returns a title, a short text behind it, and parts that scroll if they are too wide."""
    head = f"<b>{escape(title)}</b>"
    head += f" <code>{escape(code)}</code>" if code else ""
    head += f" {escape(_short(note))}" if note else ""
    body = "\n".join(filter(None, parts))
    return f'<div style="max-width: 100%; overflow-x: auto"><div>{head}</div>\n{body}</div>'


def _fold(title: str, body: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return ""
    lines = ["<table>", *([_row("th", head)] if head else [])]
    lines += [_row("td", row) for row in rows[:_MOST_ROWS]]
    if len(rows) > _MOST_ROWS:
        lines.append(_row("td", [f"and {len(rows) - _MOST_ROWS} more"]))
    return "\n".join([*lines, "</table>"])


def _row(tag: str, cells: Iterable[object]) -> str:
    style = ' style="text-align: left"'
    return (
        "<tr>"
        + "".join(f"<{tag}{style}>{escape(_short(each))}</{tag}>" for each in cells)
        + "</tr>"
    )


def _short(cell: object) -> str:
    text = list_text(cell) if isinstance(cell, (list, tuple)) else str(cell)
    return text if len(text) <= _MOST_LETTERS else text[:_MOST_LETTERS] + "…"
