# SPDX-License-Identifier: Apache-2.0
"""The lists and records that functions of Nexus return."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple, SupportsIndex, TypeVar, overload

T = TypeVar("T")


class ObjectList(tuple[T, ...]):
    """A tuple of objects that also has the methods of the Nexus API for lists."""

    __slots__ = ()

    def get(self, index: SupportsIndex) -> T:
        """Returns the object at an index, from 0 on. Raises IndexError if there is none."""
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
        """Returns the number of objects."""
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
    """The description of a kernel's argument.

    Attributes:
        name: the name; may be empty.
        kind: 'buffer', 'scalar', 'local_memory', or 'unknown' (a buffer or a scalar).
        dtype: the type of the scalar or of the buffer's elements; None if unknown.
        type: the type in the program, such as 'const float *'; may be empty.
        size: the size of a scalar in bytes; 0 for other kinds.
    """

    name: str
    kind: str
    dtype: str | None
    type: str = ""
    size: int = 0


class KernelAttributes(NamedTuple):
    """The requirements of a kernel for a launch, and the resources that it uses.

    Attributes:
        required_group_size: the group size (x, y, z) that the kernel was compiled for; None if
            it allows any.
        max_group_size: the largest number of work items in a group; None if unknown.
        local_memory_size: the bytes of local memory that the kernel declares for each group,
            without local memory arguments.
        registers: the number of 32-bit registers of each work item; None if unknown.
        private_memory_size: the bytes of memory of each work item outside registers; None if
            unknown.
        constant_memory_size: the bytes of constant memory that the kernel declares; None if
            unknown.
        required_cluster_size: the cluster size (x, y, z) in groups that the kernel was compiled
            for; None if it allows any.
    """

    required_group_size: tuple[int, int, int] | None = None
    max_group_size: int | None = None
    local_memory_size: int = 0
    registers: int | None = None
    private_memory_size: int | None = None
    constant_memory_size: int | None = None
    required_cluster_size: tuple[int, int, int] | None = None


class Occupancy(NamedTuple):
    """The number of groups of a kernel that a device runs at the same time.

    Attributes:
        active_groups: the number of groups that one compute unit runs; 0 if not even one fits.
        max_groups: the number of groups that the whole device runs, which is the limit for a
            command with cooperative_launch=True.
        best_group_size: the group size that keeps the device busiest with the requested local
            memory.
        free_local_memory: the bytes of local memory that each group can have beyond what the
            kernel declares, without lowering active_groups; 0 if no group fits.
        max_cluster_size: the largest number of groups in a cluster; 0 on devices without clusters.
        active_clusters: the number of clusters that the device runs; 0 if none were requested.
    """

    active_groups: int
    max_groups: int
    best_group_size: int
    free_local_memory: int
    max_cluster_size: int
    active_clusters: int


class KernelDescription(NamedTuple):
    """A kernel in object code that is not loaded.

    Attributes:
        name: the kernel's name.
        arguments: like Kernel.arguments.
        attributes: like Kernel.attributes.
    """

    name: str
    arguments: tuple[Argument, ...] | None
    attributes: KernelAttributes

    def __str__(self) -> str:
        """Returns 'saxpy(x, y, a, n)', or 'saxpy(...)' if the code does not describe arguments."""
        if self.arguments is None:
            return f"{self.name}(...)"
        names = (each.name or f"argument {at}" for at, each in enumerate(self.arguments))
        return f"{self.name}({', '.join(names)})"


class CacheInfo(NamedTuple):
    """The caches of object code, as `nexus cache info` shows them.

    Attributes:
        folder: the folder of the cache on disk; empty if there is none.
        off: the reason why nothing is kept on disk, a sentence; empty if the cache is in use.
        entries, size, limit: the number of entries on disk, their size in bytes, and the size in
            bytes beyond which the least recently used entries are removed.
        from_memory, from_disk, compiled: the number of times that this process took a program
            from memory, took it from disk, or compiled it.
    """

    folder: str
    off: str
    entries: int
    size: int
    limit: int
    from_memory: int
    from_disk: int
    compiled: int


class CatalogLibrary(NamedTuple):
    """A library in a kernel catalog.

    Attributes:
        name, version: the name and the version, such as 'vector' and '1.0.0'.
        description: a description; may be empty.
        license: the licence, such as 'Apache-2.0'; may be empty.
        kernels: the names of the kernels, as far as the catalog has them.
        targets: the backends and architectures that it is compiled for, such as 'cuda:sm_90'.
        languages: the languages of its sources, which are compiled for other devices.
    """

    name: str
    version: str
    description: str
    license: str
    kernels: tuple[str, ...]
    targets: tuple[str, ...]
    languages: tuple[str, ...]


class Backend(NamedTuple):
    """A backend that was found, and whether it works.

    Attributes:
        name: the name, such as 'cpu'.
        state: 'PASS' (works), 'FAIL' (broken, too new, refused), 'ABSENT' (no driver or no
            device) or 'OFF' (excluded by NEXUS_BACKENDS).
        distribution: the installed package that it came from; empty if it came from a folder.
        version: the plug-in's version; empty if it was not loaded.
        manifest: the path of its nxs_plugin.json; may be empty.
        library: the path of its library; may be empty.
        reason: the reason for the state, a sentence; empty for PASS.
    """

    name: str
    state: str
    distribution: str
    version: str
    manifest: str
    library: str
    reason: str


class Citation(NamedTuple):
    """The passage of a document that gives a value of a device file.

    Attributes:
        title, publisher: the document's title and publisher.
        date, version: the document's date and version; at least one is not empty.
        section: the heading, table or file that has the value.
        address: the document's address; may be empty.
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
    """The source of a device's value.

    Attributes:
        kind: 'driver', 'device file', 'computed' (from other values), 'mixed' (a subtree whose
            values have different sources), or 'library' (a kernel catalog).
        file: the path of the device file; empty for 'driver'.
        citations: the documents that give the device file's values.
        derived_from: the paths of the values that a computed value was derived from.
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
    """A device file that can't be used, and the reason.

    Attributes:
        file: the file's path.
        line, column: the place of the error, from 1 on; 0 if it has none.
        reason: a sentence.
    """

    file: str
    line: int
    column: int
    reason: str


def _record_html(self: object) -> str:
    from nexus import _html

    return _html.record(self)


# A NamedTuple can't have a second base class, which could have the method.
_RECORDS: tuple[Any, ...] = (
    Argument, Backend, CacheInfo, CatalogLibrary, Citation, DeviceFileProblem, KernelAttributes,
    KernelDescription, Occupancy, PropertySource,
)  # fmt: skip
for _record in _RECORDS:
    _record._repr_html_ = _record_html


__all__ = [
    "Argument",
    "Backend",
    "CacheInfo",
    "CatalogLibrary",
    "Citation",
    "DeviceFileProblem",
    "KernelAttributes",
    "KernelDescription",
    "ObjectList",
    "Occupancy",
    "PropertySource",
]
