# SPDX-License-Identifier: Apache-2.0
"""Schedules as text, as a graph in the language DOT, and as a picture."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from nexus._schedule._reader import CONDITIONS, Reader, commands_of, predecessors

if TYPE_CHECKING:
    from nexus import Command, Schedule

_DEEPEST = 50  # levels of nesting that are shown
_MOST_BOXES = 200  # of a picture
_MOST_LETTERS = 60  # characters of one argument
_DOT_SECONDS = 10

_BODIES = {("If", 0): "then", ("If", 1): "otherwise", ("While", 0): "body"}


class _Item(NamedTuple):
    """A command to show: its place, the parts of its text, and a nested schedule's commands.

    A schedule that a condition runs has no number and follows no command: `after` is None.
    """

    place: tuple[int, ...]
    words: list[str]
    after: list[int] | None
    inner: list[_Item]

    def lines(self) -> list[str]:
        if self.after is None:
            return self.words
        return [f"{self.place[-1]} {self.words[0]}", *self.words[1:]]

    def text(self) -> str:
        index, words = self.place[-1], self.lines()
        if self.after is not None and self.after != ([index - 1] if index > 0 else []):
            words = [*words, f"after {', '.join(map(str, self.after)) or 'none'}"]
        return " ".join(words)


class _Shown:
    """The text of a schedule: a heading, the commands, and a line for each buffer."""

    def __init__(self, schedule: Schedule) -> None:
        self._reader = Reader(schedule)
        self._expanded: set[int] = set()
        name = schedule.get_property_str("Name")
        self.heading = f"{name} on {schedule.device.selector}"
        self.items = self._items(0, ())
        self.buffers = [self._buffer(each) for each in range(len(self._reader.buffers))]

    def _items(self, number: int, place: tuple[int, ...]) -> list[_Item]:
        self._expanded.add(number)
        commands = self._reader.commands[number] or ()
        records = self._reader.records[number]
        return [
            self._item(command, records[index], (*place, index), predecessors(command))
            for index, command in enumerate(commands)
        ]

    def _item(
        self, command: Command, record: dict[str, Any], place: tuple[int, ...], after: list[int]
    ) -> _Item:
        disabled = [] if record["enabled"] else ["(disabled)"]
        if record["type"] in CONDITIONS:
            inner = []
            for index, body in enumerate(command.get_bodies()):
                words = [_BODIES.get((record["type"], index), f"case {index}")]
                words.append(body.get_property_str("Name"))
                inner.append(self._nested(words, record["bodies"][index], (*place, index), None))
            return _Item(place, [*_words(command, record), *disabled], after, inner)
        if record["type"] != "Schedule":
            return _Item(place, [*_words(command, record), *disabled], after, [])
        words = [command.get_property_str("Name"), *disabled]
        return self._nested(words, record["schedule"], place, after)

    def _nested(
        self, words: list[str], number: int, place: tuple[int, ...], after: list[int] | None
    ) -> _Item:
        inner: list[_Item] = []
        if self._reader.commands[number] is None:
            words.append("(closed)")
        elif number in self._expanded:
            words.append("(as above)")
        elif len(place) < _DEEPEST:
            inner = self._items(number, place)
        return _Item(place, words, after, inner)

    def _buffer(self, number: int) -> str:
        buffer = self._reader.buffers[number]
        memory = self._reader.memories[buffer["memory"]]
        text = f"buffer {number}: {buffer['dtype'] or 'bytes'} {tuple(buffer['shape'])}"
        if buffer["bytes"] != memory["bytes"] and memory["place"] != "system":
            text += f" at byte {buffer['offset']} of memory {buffer['memory']}"
        if memory["place"] == "scratch":
            return text + " in scratch memory"
        return text if memory["place"] == "device" else f"{text} on {memory['place']}"


def _words(command: Command, record: dict[str, Any]) -> list[str]:
    kind: str = record["type"]
    if kind == "Dispatch":
        arguments = ", ".join(map(_argument, record["arguments"]))
        return [
            f"kernel '{record['kernel']}'",
            _launch(command, record["launch"]),
            f"({arguments})",
        ]
    if kind == "Copy":
        return ["copy", f"buffer {record['src']} to buffer {record['dst']}"]
    if kind == "Fill":
        return ["fill", f"buffer {record['buffer']} with {_value(record['value'])}"]
    if kind in ("Signal", "Wait"):
        return [
            kind.lower(),
            f"event {record['event']}",
            f"value {record['value']} step {record['step']}",
        ]
    if kind in CONDITIONS:
        words = [kind.lower(), f"buffer {record['buffer']}"]
        most = record.get("max_count")
        return words if most is None else [*words, f"at most {most} turns"]
    if kind == "Captured":
        return ["captured work"]
    words = ["host function", command.get_property_str("Name")]
    if record["buffers"]:
        words.append(f"({', '.join(f'buffer {number}' for number in record['buffers'])})")
    return words


def _argument(record: dict[str, Any] | None) -> str:
    if record is None:
        return "not set"
    if "buffer" in record:
        return f"buffer {record['buffer']}"
    if "local_memory" in record:
        return f"{record['local_memory']} bytes of local memory"
    return _value(record["scalar"])


def _value(value: object) -> str:
    text = f"bytes {value.hex()}" if isinstance(value, bytes) else repr(value)
    return text if len(text) <= _MOST_LETTERS else text[:_MOST_LETTERS] + "..."


def _launch(command: Command, launch: dict[str, Any] | None) -> str:
    if launch is None:
        return "not finalized"
    words = [f"grid {_size(launch['grid_size'])}"]
    if command.group_size is not None:
        words.append(f"group {_size(command.group_size)}")
    if launch["cluster_size"] is not None:
        words.append(f"cluster {_size(launch['cluster_size'])}")
    if launch["local_memory"]:
        words.append(f"local memory {launch['local_memory']}")
    words += [word for word in ("cooperative", "programmatic") if launch[f"{word}_launch"]]
    return " ".join(words)


def _size(lengths: Any) -> str:
    """Returns '1024' or '16 x 8', without lengths of 1 at the end."""
    count = max((at for at, length in enumerate(lengths, 1) if length != 1), default=1)
    return " x ".join(map(str, lengths[:count]))


# ---- Text ----


def text(schedule: Schedule) -> str:
    """Returns the commands as an indented list."""
    if commands_of(schedule) is None:
        return repr(schedule)
    shown = _Shown(schedule)
    lines = ["  " * len(item.place) + item.text() for item in _walk(shown.items)]
    return "\n".join([shown.heading, *lines, *shown.buffers])


def _walk(items: list[_Item]) -> Iterator[_Item]:
    for item in items:
        yield item
        yield from _walk(item.inner)


# ---- DOT ----


def dot(schedule: Schedule) -> str:
    """Returns the graph in the language DOT."""
    shown = _Shown(schedule)
    heading = "\\l".join(map(_escaped, [shown.heading, *shown.buffers])) + "\\l"
    lines = [
        f"digraph {_quoted(shown.heading)} {{",
        f'  label="{heading}";',
        "  labelloc=t; labeljust=l; compound=true;",
        "  node [shape=box];",
        *_dot_items(shown.items, "  "),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _dot_items(items: list[_Item], indent: str) -> Iterator[str]:
    for item in items:
        words = "\\n".join(map(_escaped, item.lines()))
        if item.inner:
            yield f"{indent}subgraph {_quoted(_cluster(item))} {{"
            yield f'{indent}  label="{words}";'
            yield from _dot_items(item.inner, indent + "  ")
            yield f"{indent}}}"
        else:
            yield f'{indent}{_quoted(_node(item))} [label="{words}"];'
    for item in items:
        for before in item.after or ():
            yield f"{indent}{_edge(items[before], item)};"


def _edge(start: _Item, end: _Item) -> str:
    """Returns an edge, which for a nested schedule ends at the box around it."""
    options = [
        f"{which}={_quoted(_cluster(item))}"
        for which, item in (("ltail", start), ("lhead", end))
        if item.inner
    ]
    last, first = start, end
    while last.inner:
        last = last.inner[-1]
    while first.inner:
        first = first.inner[0]
    edge = f"{_quoted(_node(last))} -> {_quoted(_node(first))}"
    return f"{edge} [{', '.join(options)}]" if options else edge


def _node(item: _Item) -> str:
    return ".".join(map(str, item.place))


def _cluster(item: _Item) -> str:
    return f"cluster_{_node(item)}"


def _escaped(words: str) -> str:
    return words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _quoted(name: str) -> str:
    return f'"{_escaped(name)}"'


# ---- Pictures ----


def svg(schedule: Schedule) -> str:
    """Returns a picture, made by the program dot if it is installed."""
    if commands_of(schedule) is None:
        return _Column([repr(schedule)], []).svg()
    program = shutil.which("dot")
    drawn = None if program is None else _drawn(program, dot(schedule))
    if drawn is not None:
        return drawn
    shown = _Shown(schedule)
    return _Column([shown.heading, *shown.buffers], shown.items).svg()


def _drawn(program: str, graph: str) -> str | None:
    """Returns the picture of a graph; None if the program fails or takes too long."""
    try:
        done = subprocess.run(
            [program, "-Tsvg"],
            input=graph.encode(),
            capture_output=True,
            timeout=_DOT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    picture = done.stdout.decode(errors="replace")
    start = picture.find("<svg")  # after the XML declaration, which must not be inside a page
    return None if start < 0 else picture[start:]


class _Column:
    """A picture: a column of boxes, with a frame around the boxes of a nested schedule."""

    _LINE, _GAP, _STEP, _LETTER = 24, 12, 20, 7.3

    def __init__(self, heading: list[str], items: list[_Item]) -> None:
        self._parts: list[str] = []
        self._boxes = 0
        self._width = 0.0
        self._y = 0.0
        for line in heading:
            self._text(0, line)
        self._y += self._GAP
        self._column(items, 0)

    def svg(self) -> str:
        size = f'width="{self._width + self._STEP:.0f}" height="{self._y + self._GAP:.0f}"'
        style = 'font-family="monospace" font-size="12" fill="none" stroke="currentColor"'
        return "\n".join(
            [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>', *self._parts, "</svg>"]
        )

    def _column(self, items: list[_Item], x: float) -> None:
        ends: list[float] = []
        for item in items:
            self._boxes += 1
            if self._boxes > _MOST_BOXES:
                if self._boxes == _MOST_BOXES + 1:
                    self._text(x, "and more")
                return
            top = self._y
            if len(ends) - 1 in (item.after or ()):  # others are described in words
                self._parts.append(f'<path d="M{x + 12} {ends[-1]}V{top}"/>')
            self._text(x + 8, item.text())
            if item.inner:
                self._y += self._GAP / 2
                self._column(item.inner, x + self._STEP)
            width = (self._width if item.inner else x + 16 + self._LETTER * len(item.text())) - x
            self._parts.append(
                f'<rect x="{x + 1}" y="{top}" width="{width:.0f}" height="{self._y - top}"/>'
            )
            self._width = max(self._width, x + width + 4)
            ends.append(self._y)
            self._y += self._GAP

    def _text(self, x: float, words: str) -> None:
        self._parts.append(
            f'<text x="{x}" y="{self._y + 16}" fill="currentColor" stroke="none">'
            f"{escape(words)}</text>"
        )
        self._width = max(self._width, x + self._LETTER * len(words) + 16)
        self._y += self._LINE
