# SPDX-License-Identifier: Apache-2.0
# Generated from schema/enums.json by `nox -s gen`. Do not edit.
"""Bits that say what a backend supports beyond the required functions."""

from enum import IntEnum as _IntEnum


class Capability(_IntEnum):
    """Bits that say what a backend supports beyond the required functions."""

    HostVisibleMemory = 1
    """Buffers can be mapped without a copy."""
    ManagedMemory = 2
    """There is memory that moves between host and device on its own."""
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
    ForeignMemory = 512
    """nxsCreateBufferFromHandle works: buffers of memory that other libraries allocated on the device."""
    ForeignStream = 1024
    """nxsCreateStreamFromHandle works: streams that other libraries created."""
    ShareableMemory = 2048
    """nxsExportBuffer and nxsImportBuffer work: memory that processes share."""
    Occupancy = 4096
    """nxsGetKernelOccupancy works."""
    CooperativeLaunch = 8192
    """The flag Cooperative of nxs_launch works, on devices whose CooperativeLaunch is 1."""
    ClusterLaunch = 16384
    """The cluster_size of nxs_launch works, on devices whose ClusterLaunch is 1."""
    ProgrammaticLaunch = 32768
    """The flag Programmatic of nxs_launch works, on devices whose ProgrammaticLaunch is 1."""
    ShareableEvents = 65536
    """nxsExportEvent and nxsImportEvent work: events that processes share."""
    Branches = 131072
    """nxsSetCommandPredecessors works: commands of a run that do not follow each other can run at the same time."""
    Conditions = 262144
    """nxsCreateConditionCommand and nxsStopLoops work: integers in buffers control what a run does."""
    Capture = 524288
    """nxsBeginCapture and nxsEndCapture work: work that other libraries put on a stream becomes a command. Includes NestedSchedule."""
    Globals = 1048576
    """nxsGetGlobal works: buffers over the variables of libraries."""
    RowCopies = 2097152
    """nxsCopyRows works: a copy of rows with gaps between them is one call."""


HostVisibleMemory = Capability.HostVisibleMemory
ManagedMemory = Capability.ManagedMemory
Timing = Capability.Timing
StreamPriority = Capability.StreamPriority
ArgumentInfo = Capability.ArgumentInfo
HostCallback = Capability.HostCallback
NestedSchedule = Capability.NestedSchedule
Compile = Capability.Compile
LibraryFromMemory = Capability.LibraryFromMemory
ForeignMemory = Capability.ForeignMemory
ForeignStream = Capability.ForeignStream
ShareableMemory = Capability.ShareableMemory
Occupancy = Capability.Occupancy
CooperativeLaunch = Capability.CooperativeLaunch
ClusterLaunch = Capability.ClusterLaunch
ProgrammaticLaunch = Capability.ProgrammaticLaunch
ShareableEvents = Capability.ShareableEvents
Branches = Capability.Branches
Conditions = Capability.Conditions
Capture = Capability.Capture
Globals = Capability.Globals
RowCopies = Capability.RowCopies
