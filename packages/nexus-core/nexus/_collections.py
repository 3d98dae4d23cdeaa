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
        kind: 'buffer', 'scalar', 'local_memory', or 'unknown', a buffer or a scalar.
        dtype: of the scalar or of the buffer's elements; None where it is not known.
        type: as the program has it, such as 'const float *'; may be empty.
        size: the bytes of a scalar; 0 for others.
    """

    name: str
    kind: str
    dtype: str | None
    type: str = ""
    size: int = 0


class KernelAttributes(NamedTuple):
    """What a kernel requires, and what it takes of a device.

    Attributes:
        required_group_size: the work items of a group in x, y and z that the kernel was written
            for; None where any will do.
        max_group_size: the most work items that a group of it can have; None where it is not
            known.
        local_memory_size: the bytes of local memory that a group has of the kernel's own, without
            those of its arguments.
        registers: the 32-bit registers of a work item; None where it is not known.
        private_memory_size: the bytes of a work item that are not in registers; None where it is
            not known.
        constant_memory_size: the bytes of constant memory of the kernel's own; None where it is
            not known.
        required_cluster_size: the groups of a cluster in x, y and z that the kernel was written
            for; None where any will do.
    """

    required_group_size: tuple[int, int, int] | None = None
    max_group_size: int | None = None
    local_memory_size: int = 0
    registers: int | None = None
    private_memory_size: int | None = None
    constant_memory_size: int | None = None
    required_cluster_size: tuple[int, int, int] | None = None


class Occupancy(NamedTuple):
    """How many groups of a kernel a device runs at the same time.

    Attributes:
        active_groups: the groups that one compute unit runs; 0 where there is no room for one.
        max_groups: the groups that the device runs: the most of a command with
            cooperative_launch=True.
        best_group_size: the work items of the groups that keep the device busiest, with as much
            local memory as was asked for.
        free_local_memory: the bytes of local memory, beyond what the kernel declares, that each
            group can have while as many run; 0 where there is no room.
        max_cluster_size: the groups of a cluster, at most; 0 where the device has no clusters.
        active_clusters: the clusters that the device runs; 0 where none were asked for.
    """

    active_groups: int
    max_groups: int
    best_group_size: int
    free_local_memory: int
    max_cluster_size: int
    active_clusters: int


class KernelDescription(NamedTuple):
    """A kernel in object code, which has not been loaded.

    Attributes:
        name: the kernel's.
        arguments: as Kernel.arguments.
        attributes: as Kernel.attributes.
    """

    name: str
    arguments: tuple[Argument, ...] | None
    attributes: KernelAttributes

    def __str__(self) -> str:
        """'saxpy(x, y, a, n)', or 'saxpy(...)' where the code does not describe its arguments."""
        if self.arguments is None:
            return f"{self.name}(...)"
        names = (each.name or f"argument {at}" for at, each in enumerate(self.arguments))
        return f"{self.name}({', '.join(names)})"


class CacheInfo(NamedTuple):
    """The caches of object code, as `nexus cache info` shows them.

    Attributes:
        folder: of the cache on disk; empty where there is none.
        off: a sentence that says why nothing is kept on disk; empty where it is.
        entries, size, limit: of the cache on disk: how many there are, their bytes, and the bytes
            beyond which what was not used for longest goes.
        from_memory, from_disk, compiled: how often this process took a program from memory, from
            disk, or had it compiled.
    """

    folder: str
    off: str
    entries: int
    size: int
    limit: int
    from_memory: int
    from_disk: int
    compiled: int


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


class Citation(NamedTuple):
    """A passage of a document in which a value of a device file was read.

    Attributes:
        title, publisher: of the document.
        date, version: of the document; at least one is not empty.
        section: the heading, table or file in which the value stands.
        address: where it can be read; may be empty.
        read: the day on which the passage was read.
    """

    title: str
    publisher: str
    date: str
    version: str
    section: str
    address: str
    read: str

    def __str__(self) -> str:
        edition = ", ".join(filter(None, (self.version, self.date)))
        return f'"{self.title}" ({self.publisher}, {edition}): {self.section}, read {self.read}'


class PropertySource(NamedTuple):
    """Where a value of a device comes from.

    Attributes:
        kind: 'driver' (the device said it), 'device file', 'computed' from other values, or
            'mixed' of a part of the tree whose values come from several.
        file: the path of the device file; empty for 'driver'.
        citations: the documents in which the device file's values were read.
        derived_from: the paths of what a computed value was made of.
    """

    kind: str
    file: str
    citations: tuple[Citation, ...]
    derived_from: tuple[str, ...]

    def __str__(self) -> str:
        origin = (
            f"{self.kind} from {', '.join(self.derived_from)}" if self.derived_from else self.kind
        )
        return "; ".join([origin, *map(str, self.citations)])


class DeviceFileProblem(NamedTuple):
    """Why a device file was left out.

    Attributes:
        file: its path.
        line, column: from 1 on; 0 where the reason has no place.
        reason: a sentence.
    """

    file: str
    line: int
    column: int
    reason: str


__all__ = [
    "Argument",
    "Backend",
    "CacheInfo",
    "Citation",
    "DeviceFileProblem",
    "KernelAttributes",
    "KernelDescription",
    "ObjectList",
    "Occupancy",
    "PropertySource",
]
