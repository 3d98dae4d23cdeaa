# SPDX-License-Identifier: Apache-2.0
"""A page about a device: its values, each with a mark for its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import nexus
from nexus._units import value_text
from nexus.cli._console import Rows
from nexus.cli.page._citations import Marker

Path: TypeAlias = "tuple[str | int, ...]"
# The key of each value, and the function that makes its text.
Parts: TypeAlias = "tuple[tuple[str, Callable[[Any], str]], ...]"


class Field(NamedTuple):
    """A row of a section.

    Attributes:
        label: the row's title.
        paths: possible paths of the value; the first one that the device has counts.
        text: makes the value's text; None uses the catalogue's unit.
    """

    label: str
    paths: tuple[str, ...]
    text: Callable[[Any], str] | None = None


class Page:
    """The values of a device, and which of them the page has shown already."""

    def __init__(self, properties: nexus.Properties, marker: Marker) -> None:
        self._properties = properties
        self._marker = marker
        self._tree: dict[str, Any] = properties.to_dict()
        self._told: set[Path] = set()

    def get(self, *path: str | int) -> Any:
        """Returns the value at a path, or None, and marks it as shown."""
        self._told.add(path)
        value: Any = self._tree
        for step in path:
            if isinstance(step, str):
                value = value.get(step) if isinstance(value, dict) else None
            else:
                value = value[step] if isinstance(value, list) and step < len(value) else None
        return value

    def entries(self, *path: str | int) -> Iterator[Path]:
        """Returns the paths of a list's objects."""
        listed = self.get(*path)
        for index, entry in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(entry, dict):
                yield (*path, index)

    def mark(self, *path: str | int) -> str:
        """Returns the mark of the value at a path, which must exist."""
        return self._marker.mark(self._properties.source(list(path)))

    def cell(self, path: Path, text: Callable[[Any], str] | None = None) -> str:
        """Returns a value's text with its mark; empty if there is no value."""
        value = self.get(*path)
        if value is None:
            return ""
        return f"{self._text(path, value, text)}{self.mark(*path)}"

    def fields(self, *fields: Field) -> Rows:
        """Returns the rows of the fields that the device has."""
        rows: Rows = []
        for field in fields:
            cells = [self.cell(tuple(path.split("/")), field.text) for path in field.paths]
            rows += [(field.label, cell) for cell in cells if cell][:1]
        return rows

    def parts(self, path: Path, texts: Parts) -> str:
        """Returns values of one object in a row; adjacent values with the same mark share it.

        Args:
            path: the object's path.
            texts: the key of each value, and the function that makes its text; empty texts are
                left out.
        """
        told = []
        for key, text in texts:
            value = self.get(*path, key)
            shown = "" if value is None else self._text((*path, key), value, text)
            if shown:
                told.append((shown, self.mark(*path, key)))
        return joined(told)

    def _text(self, path: Path, value: Any, text: Callable[[Any], str] | None) -> str:
        try:
            return text(value) if text is not None else value_text(str(path[-1]), value)
        except (AttributeError, TypeError, ValueError):  # in a file that was not validated
            return str(value)

    def untold(self) -> Iterator[Path]:
        """Returns the paths of the values not shown yet."""
        for path in _leaves(self._tree, ()):
            if path not in self._told:
                yield path

    def is_computed(self, path: Path) -> bool:
        """Returns whether the value was computed from others."""
        return self._properties.source(list(path)).kind == "computed"

    def words(self, path: Path) -> str:
        """Returns a path as words, with the names of list entries."""
        words = []
        for length, step in enumerate(path, 1):
            if isinstance(step, str):
                words.append(step)
            else:
                entry = self.get(*path[:length])
                words.append(str(entry.get("Name", step) if isinstance(entry, dict) else step))
        return " ".join(words)


def joined(told: Sequence[tuple[str, str]]) -> str:
    """Joins texts; adjacent texts with the same mark share it, after the last of them."""
    parts = [
        text if index + 1 < len(told) and told[index + 1][1] == mark else f"{text}{mark}"
        for index, (text, mark) in enumerate(told)
    ]
    return ", ".join(parts)


def _leaves(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*path, key))
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for index, part in enumerate(value):
            yield from _leaves(part, (*path, index))
    elif value is not None:
        yield path
