# SPDX-License-Identifier: Apache-2.0
"""HTML of objects, for notebooks. Imported when one is shown.

Each function is named after the class that it shows, in lower case. What it returns begins with the
object's name, if it has one, and its class.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from nexus import _core
from nexus._units import counted, list_text, size_text, time_text, value_text

if TYPE_CHECKING:
    from nexus import (
        Buffer,
        Catalog,
        Device,
        DeviceMemoryResource,
        Kernel,
        Linker,
        MemoryPool,
        ObjectCode,
        Program,
        ProgramOptions,
        Properties,
        PropertyView,
        Runtime,
        Schedule,
    )
    from nexus._trace._summary import Total
    from nexus.trace import Trace

_MOST_ROWS = 40
_MOST_LETTERS = 400
_MOST_VALUES = 8  # of a buffer, in each direction
_DEEPEST = 6  # levels of properties
_IN_BYTES = frozenset(  # fields of records
    {"size", "limit", "local_memory_size", "private_memory_size", "constant_memory_size",
     "free_local_memory"}
)  # fmt: skip
# What the table of a list of these shows; the others' tables show all fields.
_COLUMNS = {"Backend": ("name", "state", "version", "reason", "distribution")}


def runtime(shown: Runtime) -> str:
    """Shows a backend and its devices."""
    note, parts = _text(shown, "Version"), [_devices(shown.get_devices())]
    return _card(shown, _text(shown, "Name"), note, parts)


def device(shown: Device) -> str:
    """Shows a device: its memory, and all properties."""
    note = ", ".join(filter(None, (_text(shown, "Type"), _text(shown, "Architecture"))))
    rows = [(key, _value(shown, key)) for key in shown.get_property_keys() if key != "Keys"]
    parts = [_memory(shown), _fold(f"{len(rows)} properties", _properties(rows, 0))]
    return _card(shown, _text(shown, "Name"), note, parts, shown.selector)


def properties(shown: Properties) -> str:
    """Shows a property tree."""
    rows = [(key, shown.get(key)) for key in shown.get_keys()]
    name = str(dict(rows).get("Name", ""))
    return _card(shown, name, f"of {len(rows)} keys", [_properties(rows, 0)])


def propertyview(shown: PropertyView) -> str:
    """Shows the properties of an object, and the memory of a device as a bar."""
    owner = shown._owner  # noqa: SLF001
    rows = [(key, _value(owner, key)) for key in shown._ipython_key_completions_()]
    parts = [_memory(owner), _properties(rows, 0)]
    return _card(shown, _text(owner, "Name"), f"of {repr(owner).strip('<>')}", parts)


def objectcode(shown: ObjectCode) -> str:
    """Shows object code and its kernels."""
    rows = [("target", shown.target), ("flags", " ".join(shown.flags)), ("origin", shown.origin)]
    rows += [("kernel", str(kernel)) for kernel in shown.kernels]
    return _card(shown, shown.name, size_text(len(shown.code)), [_table((), rows)])


def buffer(shown: Buffer) -> str:
    """Shows a buffer with its first values, which waits for the work that uses it."""
    try:
        note = f"{shown.dtype} {shown.shape}, {size_text(shown.nbytes)}"
        place = shown.device.selector if shown.device else "host"
        return _card(shown, "", note, [_values(shown)], place)
    except Exception as error:  # such as of a closed buffer, or of work that failed
        return _card(shown, "", f"{_description(shown)}: {error}", [])


def kernel(shown: Kernel) -> str:
    """Shows a kernel with its arguments and what it requires."""
    arguments = [(each.name, each.type or each.kind) for each in shown.arguments or ()]
    needs = {name: value for name, value in shown.attributes._asdict().items() if value}
    parts = [_table(("argument", "type"), arguments), _fields(needs)]
    return _card(shown, _text(shown, "Name"), "", parts)


def general(shown: Any) -> str:
    """Shows any object by its properties."""
    try:
        keys = [key for key in shown.get_property_keys() if key not in ("Keys", "ID")]
    except RuntimeError:  # a closed object
        keys = []
    rows = [  # in bytes, a Size of the classes below; of others it may be a count
        (key, _size(shown, key) if key == "Size" else _value(shown, key)) for key in keys
    ]
    return _card(shown, "", _description(shown), [_properties(rows, 0)])


def schedule(shown: Schedule) -> str:
    """Shows a schedule as a graph."""
    picture = shown._repr_svg_()  # type: ignore[attr-defined]
    return _card(shown, "", _description(shown), [picture])


stream = event = command = library = general


def memory(shown: DeviceMemoryResource | MemoryPool) -> str:
    """Shows a memory resource: its memory as a bar, and the most that was in use."""
    rows = [("peak", size_text(shown.peak))]
    blocks = getattr(shown, "allocations", None)  # only pools count them
    rows += [] if blocks is None else [("allocations", str(blocks))]
    parts = [_bar(shown.used, shown.reserved, "held"), _table((), rows)]
    return _card(shown, "", _description(shown), parts)


devicememoryresource = memorypool = memory


def program(shown: Program) -> str:
    """Shows a program: its options, and the beginning of its source, folded."""
    lines = shown.source.splitlines()
    text = "\n".join(line[:_MOST_LETTERS] for line in lines[:_MOST_ROWS])
    if len(lines) > _MOST_ROWS:
        text += f"\nand {len(lines) - _MOST_ROWS} more"
    source = _fold(f"source, {counted(len(lines), 'line')}", f"<pre>{escape(text)}</pre>")
    parts = [_fields(_changed(shown.options)), source]
    return _card(shown, shown.name, f"in {shown.language}", parts)


def programoptions(shown: ProgramOptions) -> str:
    """Shows the options that differ from the defaults."""
    changed = _changed(shown)
    return _card(shown, "", "" if changed else "all defaults", [_fields(changed)])


def linker(shown: Linker) -> str:
    """Shows a linker and its pieces."""
    sizes = [size_text(len(code)) for code in shown._codes]  # noqa: SLF001
    pieces = list(zip(shown._names, sizes, strict=True))  # noqa: SLF001
    target = shown._target  # noqa: SLF001
    fields = {"target": getattr(target, "selector", target)}
    fields |= _changed(shown._options)  # noqa: SLF001
    parts = [_table(("piece", "size"), pieces), _fields(fields)]
    return _card(shown, shown._name, "", parts)  # noqa: SLF001


def catalog(shown: Catalog) -> str:
    """Shows a catalog and its libraries."""
    fields = {"description": shown.description, "license": shown.license, "path": shown.path}
    return _card(shown, shown.name, shown.version, [_fields(fields), _records(shown.libraries)])


def record(shown: Any) -> str:
    """Shows a named tuple, such as a nexus.CatalogLibrary, as a table of its fields."""
    fields = shown._asdict()
    return _card(shown, fields.get("name", ""), "", [_fields(fields)])


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
    return _card(shown, shown.path, note, [_timeline.svg(shown._parts), *folded])  # noqa: SLF001


def _totals(rows: Sequence[Total]) -> str:
    head = ("name", "count", "total", "mean", "longest", "share")
    cells = [
        (each.name, each.count, *map(time_text, (each.total, each.mean, each.longest)),
         f"{each.share:.1%}")
        for each in rows
    ]  # fmt: skip
    return _table(head, cells)


def objects(shown: Sequence[object]) -> str:
    """Shows a list of objects, and a list of devices or records as a table."""
    kinds = {type(each) for each in shown}
    kind = kinds.pop() if len(kinds) == 1 else object
    if kind is _core.Device:
        body = _devices(shown)
    elif hasattr(kind, "_fields"):
        body = _records(shown)
    else:
        body = _table(("", "object"), list(enumerate(shown)))
    return _box(f"<b>{escape(counted(len(shown), kind.__name__))}</b>", [body])


def _devices(shown: Iterable[Any]) -> str:
    head = ("device", "name", "type", "architecture", "memory")
    rows = [
        (each.selector, *(_text(each, key) for key in ("Name", "Type", "Architecture")),
         _size(each, "GlobalMemorySize"))
        for each in shown
    ]  # fmt: skip
    return _table(head, rows)


def _records(shown: Sequence[Any]) -> str:
    """Returns a table of named tuples of one class, of which each is a row."""
    if not shown:
        return ""
    names = _COLUMNS.get(type(shown[0]).__name__, shown[0]._fields)
    head = [name.replace("_", " ") for name in names]
    return _table(head, [[_field(name, getattr(each, name)) for name in names] for each in shown])


def _fields(values: Mapping[str, Any]) -> str:
    """Returns a table of the values that are neither None nor empty. Records in it are folded."""
    simple, folded = [], []
    for name, value in values.items():
        title = name.replace("_", " ")
        if _is_record(value):
            folded.append(_fold(title, _fields(value._asdict())))
        elif isinstance(value, tuple) and value and all(map(_is_record, value)):
            folded.append(_fold(title, _records(value)))
        elif value is not None and value not in ("", ()):
            simple.append((title, _field(name, value)))
    return _table((), simple) + "".join(folded)


def _field(name: str, value: Any) -> Any:
    """Returns what a cell shows of a field of a record."""
    if value is None:
        return ""
    return size_text(value) if name in _IN_BYTES else value


def _is_record(value: object) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _changed(options: ProgramOptions) -> dict[str, Any]:
    """Returns the options that differ from the defaults."""
    fields = dataclasses.fields(options)
    values = {each.name: getattr(options, each.name) for each in fields}
    return {each.name: values[each.name] for each in fields if values[each.name] != each.default}


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


def _memory(shown: Any) -> str:
    """Returns a bar of the memory in use; empty if the object is not a device."""
    size, used = _value(shown, "GlobalMemorySize"), _value(shown, "MemoryUsed")
    if not isinstance(size, int) or size <= 0:
        return ""
    if not isinstance(used, int):
        return f"<div>{size_text(size)} of memory</div>"
    return _bar(used, size, "of memory in use")


def _bar(used: int, size: int, what: str) -> str:
    if size == 0:
        return ""
    text = f"{size_text(used)} of {size_text(size)} {what}"
    return f'<div><meter max="{size}" value="{used}">{text}</meter> {text}</div>'


def _properties(rows: Sequence[tuple[str, object]], depth: int) -> str:
    """Returns a table of simple values, followed by a folded section for each structured one."""
    simple = [
        # a Size in a section is in bytes; that of an object may be a count
        (key, size_text(value) if depth and key == "Size" and isinstance(value, int)
         else value_text(key, value))
        for key, value in rows
        if not _is_tree(value)
    ]  # fmt: skip
    folded = [_fold(key, _tree(value, depth + 1)) for key, value in rows if _is_tree(value)]
    if rest := simple[_MOST_ROWS:]:
        folded.insert(0, _fold(f"{len(rest)} more", _table((), rest)))
    return _table((), simple[:_MOST_ROWS]) + "".join(folded)


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


def _card(shown: object, name: str, note: str, parts: Iterable[str], code: str = "") -> str:
    """Returns the object's name and class, a short text behind them, and the parts."""
    kind = type(shown).__name__
    head = f"<b>{escape(name)}</b> {escape(kind)}" if name else f"<b>{escape(kind)}</b>"
    head += f" <code>{escape(code)}</code>" if code else ""
    head += f" {escape(_short(note))}" if note else ""
    return _box(head, parts)


def _box(head: str, parts: Iterable[str]) -> str:
    """Returns a heading, and parts that scroll if they are too wide."""
    body = "\n".join(filter(None, parts))
    return f'<div style="max-width: 100%; overflow-x: auto"><div>{head}</div>\n{body}</div>'


def _description(shown: object) -> str:
    """Returns the object's repr without the class: 'on cpu:0, idle' of a stream."""
    return repr(shown).removeprefix(f"<nexus.{type(shown).__name__}").removesuffix(">").strip()


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
