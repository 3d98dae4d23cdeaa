# SPDX-License-Identifier: Apache-2.0
"""The interface of allocators for the buffers of a device."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol, runtime_checkable


@runtime_checkable
class MemoryResource(Protocol):
    """An allocator for the buffers of a device: `device.memory_resource = ...`.

    Derive from this class, or use any object with these two methods, such as one of
    `rmm.mr`. Any thread may call them, with the GIL.

    Example:
        >>> class Counter(nexus.MemoryResource):
        ...     def __init__(self, inner):
        ...         self.inner, self.count = inner, 0
        ...     def allocate(self, size, /):
        ...         self.count += 1
        ...         return self.inner.allocate(size)
        ...     def deallocate(self, address, size, /):
        ...         self.inner.deallocate(address, size)
        >>> device = nexus.get_device("cpu")
        >>> device.memory_resource = counter = Counter(device.memory_resource)
        >>> buffer = nexus.zeros((4, 4), device=device)
        >>> counter.count
        1
        >>> device.memory_resource = None
    """

    @abstractmethod
    def allocate(self, size: int, /) -> int:
        """Returns the address of `size` bytes, at least 1, of the device's memory.

        The address is a multiple of 16, and work in any stream may use the memory at once. An
        exception becomes the cause of the NexusError that `Device.create_buffer` raises.
        """
        raise NotImplementedError

    @abstractmethod
    def deallocate(self, address: int, size: int, /) -> None:
        """Frees memory from `allocate(size)`. No work uses it any more.

        Called once for each allocation, except while the interpreter exits. Exceptions go to
        `sys.unraisablehook`.
        """
        raise NotImplementedError
