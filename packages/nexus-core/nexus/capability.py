# SPDX-License-Identifier: Apache-2.0
# Generated from schema/enums.json by `nox -s gen`. Do not edit.
"""Bits that say what a backend does beyond the required functions."""

from enum import IntEnum


class Capability(IntEnum):
    """Bits that say what a backend does beyond the required functions."""

    HostVisibleMemory = 1
    """Buffers can be mapped without a copy."""
    ManagedMemory = 2
    """Memory that moves between host and device by itself."""
    Timing = 4
    """Events and runs have elapsed times."""
    StreamPriority = 8
    """Streams have priorities."""
    ArgumentInfo = 16
    """Kernels describe their arguments."""
    HostCallback = 32
    """nxsEnqueueHostCallback works."""
    NestedSchedule = 64
    """nxsCreateScheduleCommand works."""
    Compile = 128
    """nxsCompileProgram works."""
    LibraryFromMemory = 256
    """nxsCreateLibrary takes bytes."""


HostVisibleMemory = Capability.HostVisibleMemory
ManagedMemory = Capability.ManagedMemory
Timing = Capability.Timing
StreamPriority = Capability.StreamPriority
ArgumentInfo = Capability.ArgumentInfo
HostCallback = Capability.HostCallback
NestedSchedule = Capability.NestedSchedule
Compile = Capability.Compile
LibraryFromMemory = Capability.LibraryFromMemory

__all__ = [
    "ArgumentInfo",
    "Capability",
    "Compile",
    "HostCallback",
    "HostVisibleMemory",
    "LibraryFromMemory",
    "ManagedMemory",
    "NestedSchedule",
    "StreamPriority",
    "Timing",
]
