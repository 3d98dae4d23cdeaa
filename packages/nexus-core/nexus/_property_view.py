# SPDX-License-Identifier: Apache-2.0
"""The properties of an object as a mapping."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from nexus._errors import PropertyNotFoundError

if TYPE_CHECKING:
    from nexus._core import Properties
    from nexus._types import PropertyKey


_MOST_INDENT = 100


class HasProperties(Protocol):
    """The methods for properties that every object of Nexus has."""

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type."""

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""


class PropertyView(Mapping["PropertyKey", Any]):
    """The properties of an object as a mapping of their names to their values.

    Each access reads the value anew, so live values can change. A key is a name, a member of
    nexus.property or a path, as for `get_property`; iteration gives the names.

    The attribute `properties` of every object returns one.
    """

    __slots__ = ("_owner",)

    def __init__(self, owner: HasProperties) -> None:
        self._owner = owner

    def __getitem__(self, key: PropertyKey) -> Any:
        return self._owner.get_property(key)

    def __contains__(self, key: object) -> bool:
        try:
            self._owner.get_property(key)  # type: ignore[arg-type]
        except (PropertyNotFoundError, TypeError, ValueError):
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter([key for key in self._owner.get_property_keys() if key != "Keys"])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def to_dict(self) -> dict[str, Any]:
        """Reads all properties. Leaves out properties that disappear meanwhile."""
        gone = object()
        values = {key: self.get(key, gone) for key in self}
        return {key: value for key, value in values.items() if value is not gone}

    def to_json(self, indent: int | None = None) -> str:
        """Returns to_dict() as the text of a JSON object; indent as in json.dumps, up to 100.

        Raises:
            TypeError: indent is neither an int nor None.
            ValueError: indent is below 0 or above 100.
        """
        if indent is not None:
            if isinstance(indent, bool) or not isinstance(indent, int):
                raise TypeError(
                    f"indent has to be an int or None, not {type(indent).__name__} ({indent!r})."
                )
            if not 0 <= indent <= _MOST_INDENT:
                raise ValueError(f"indent is {indent}: give one from 0 to {_MOST_INDENT}.")
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def plot(self) -> Any:
        """Draws the memory and the limits of a device; needs matplotlib.

        Returns:
            A matplotlib.figure.Figure, which a notebook shows and `savefig` writes to a file.

        Raises:
            NexusError: matplotlib is not installed, or the object has neither memory nor limits.

        Example:
            device.properties.plot().savefig("device.png")
        """
        from nexus import _plots

        return _plots.device(self)

    def _ipython_key_completions_(self) -> list[str]:
        try:
            return list(iter(self))
        except Exception:  # a closed object or a lost device has no keys
            return []

    def _repr_html_(self) -> str:
        from nexus import _html

        return _html.propertyview(self)

    def __repr__(self) -> str:
        return f"<properties of {self._owner!r}>"


class _Tree:
    """Adapts nexus.Properties to HasProperties."""

    __slots__ = ("_tree",)

    def __init__(self, tree: Properties) -> None:
        self._tree = tree

    def get_property(self, key: PropertyKey) -> Any:
        return self._tree[key]

    def get_property_keys(self) -> list[str]:
        return self._tree.get_keys()

    def __repr__(self) -> str:
        return repr(self._tree)


def view_of_tree(tree: Properties) -> PropertyView:
    """Returns the mapping behind the mapping methods of nexus.Properties."""
    return PropertyView(_Tree(tree))


__all__ = ["PropertyView"]
