# SPDX-License-Identifier: Apache-2.0
"""The lists and records that functions of Nexus return."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

T = TypeVar("T")


class ObjectList(tuple[T, ...]):
    """A tuple of objects, with the list's methods of the Nexus API beside Python's own."""

    __slots__ = ()

    def get(self, index: int) -> T:
        """The object of an index from 0 on. Raises IndexError where there is none."""
        if not 0 <= index < len(self):
            raise IndexError(f"index is {index}: the list has {len(self)} objects, from 0 on.")
        return self[index]

    def size(self) -> int:
        """How many objects there are."""
        return len(self)

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


class Argument(NamedTuple):
    """What a kernel says of one of its arguments.

    Attributes:
        name: may be empty.
        kind: 'buffer', 'scalar' or 'local_memory'.
        dtype: of the scalar or of the buffer's elements; None where it is not known.
    """

    name: str
    kind: str
    dtype: str | None


class Backend(NamedTuple):
    """What became of a backend that was found, also of one that could not be used.

    Attributes:
        name: such as 'cpu'.
        state: 'PASS' (works), 'FAIL' (broken, too new, refused), 'ABSENT' (no driver or no
            device) or 'OFF' (left out by NEXUS_BACKENDS).
        distribution: the installed package that it came from; empty where it came from a folder.
        version: the plug-in's own; empty where it was not loaded.
        manifest: the path of its nxs_plugin.json; may be empty.
        library: the path of its library; may be empty.
        reason: one sentence; empty for PASS.
    """

    name: str
    state: str
    distribution: str
    version: str
    manifest: str
    library: str
    reason: str


__all__ = ["Argument", "Backend", "ObjectList"]
