# SPDX-License-Identifier: Apache-2.0
"""What a member of nexus.property says of itself beside its number."""

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
        """The type of its value: 'str', 'int', 'flt', 'obj', or of a list, such as 'int_vec'."""
        return str(self._entry()["type"])

    @property
    def unit(self) -> str:
        """The unit of its value, such as 'B' or 'MHz'; empty where there is none."""
        return str(self._entry().get("unit", ""))

    @property
    def objects(self) -> tuple[str, ...]:
        """The objects that may answer it, such as 'device' and 'kernel'."""
        return tuple(self._entry()["objects"])

    @property
    def within(self) -> str:
        """Where in an object's tree it stands, beside or in place of its top; may be empty."""
        return str(self._entry().get("within", ""))

    @property
    def since(self) -> str:
        """The version of Nexus that has it first."""
        return str(self._entry()["since"])

    @property
    def description(self) -> str:
        """What it tells, in one sentence."""
        return str(self._entry()["description"])

    def _entry(self) -> dict[str, Any]:
        return _catalogue()[self.value]


@functools.lru_cache(maxsize=1)
def _catalogue() -> list[dict[str, Any]]:
    """The entries of schema/properties.json, each at the index that is its number."""
    import json
    from pathlib import Path

    from nexus import _resource

    path = Path(_resource("schema"), "properties.json")
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["properties"]
    return entries
