# SPDX-License-Identifier: Apache-2.0
"""The lists and records that functions of Nexus return."""

from __future__ import annotations

import operator
from typing import NamedTuple, SupportsIndex, TypeVar, overload

T = TypeVar("T")


class ObjectList(tuple[T, ...]):
    """A tuple of objects, with the list's methods of the Nexus API beside Python's own."""

    __slots__ = ()

    def get(self, index: SupportsIndex) -> T:
        """The object of an index from 0 on. Raises IndexError where there is none."""
        try:
            number = operator.index(index)
        except TypeError:
            raise TypeError(
                f"index has to be an int, not {type(index).__name__} ({index!r})."
            ) from None
        if not 0 <= number < len(self):
            raise IndexError(f"index is {number}: {self._length()}.")
        return super().__getitem__(number)

    def size(self) -> int:
        """How many objects there are."""
        return len(self)

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> T: ...

    @overload
    def __getitem__(self, index: slice, /) -> ObjectList[T]: ...

    def __getitem__(self, index: SupportsIndex | slice, /) -> T | ObjectList[T]:
        if isinstance(index, slice):
            return ObjectList(super().__getitem__(index))
        try:
            return super().__getitem__(index)
        except IndexError:
            raise IndexError(f"index is {index}: {self._length()}.") from None

    def _length(self) -> str:
        count = len(self)
        return f"the list has {count} object{'' if count == 1 else 's'}, counted from 0"

    def _repr_html_(self) -> str:
        from nexus import _html

        return _html.objects(self)

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
