# SPDX-License-Identifier: Apache-2.0
"""The members of nexus.property: a number and its entry in the catalogue."""

from __future__ import annotations

import functools
from enum import IntEnum

TYPE_CHECKING = False  # type checkers know the name
if TYPE_CHECKING:
    from typing import Any


class PropertyKey(IntEnum):
    """A key of the catalogue of properties."""

    @property
    def value_type(self) -> str:
        """The value's type: 'str', 'int', 'flt', 'obj', or a list such as 'int_vec'."""
        return str(self._entry()["type"])

    @property
    def unit(self) -> str:
        """The value's unit, such as 'B' or 'MHz'; empty if it has none."""
        return str(self._entry().get("unit", ""))

    @property
    def objects(self) -> tuple[str, ...]:
        """The types of objects that can have it, such as 'device' and 'kernel'."""
        return tuple(self._entry()["objects"])

    @property
    def within(self) -> str:
        """The subtree of a device's properties that has it, such as 'CoreSubsystem'; empty if it is
        only at the top level."""
        return str(self._entry().get("within", ""))

    @property
    def since(self) -> str:
        """The first version of Nexus that has it."""
        return str(self._entry()["since"])

    @property
    def description(self) -> str:
        """Its meaning, in one sentence."""
        return str(self._entry()["description"])

    def _entry(self) -> dict[str, Any]:
        return _catalogue()[self.value]


@functools.lru_cache(maxsize=1)
def _catalogue() -> list[dict[str, Any]]:
    """Returns the entries of schema/properties.json, indexed by their numbers."""
    import json
    from pathlib import Path

    from nexus._resources import package_folder

    path = Path(package_folder("schema"), "properties.json")
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["properties"]
    return entries
