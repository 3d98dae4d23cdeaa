# SPDX-License-Identifier: Apache-2.0
# Generated from schema/statuses.json by `nox -s gen`. Do not edit.
"""The statuses that Nexus functions and errors carry."""

from enum import IntEnum


class Status(IntEnum):
    """The statuses that Nexus functions and errors carry."""

    NXS_Success = 0
    NXS_DeviceNotFound = -1
    NXS_DeviceNotAvailable = -2
    NXS_CompilerNotAvailable = -3
    NXS_MemObjectAllocationFailure = -4
    NXS_OutOfResources = -5
    NXS_OutOfHostMemory = -6
    NXS_ProfilingInfoNotAvailable = -7
    NXS_MemCopyOverlap = -8
    NXS_ImageFormatMismatch = -9
    NXS_ImageFormatNotSupported = -10
    NXS_BuildProgramFailure = -11
    NXS_MapFailure = -12
    NXS_MisalignedSubBufferOffset = -13
    NXS_ExecStatusErrorForEventsInWaitList = -14
    NXS_CompileProgramFailure = -15
    NXS_LinkerNotAvailable = -16
    NXS_LinkProgramFailure = -17
    NXS_DevicePartitionFailed = -18
    NXS_KernelArgInfoNotAvailable = -19
    NXS_InvalidValue = -30
    NXS_InvalidDeviceType = -31
    NXS_InvalidContext = -34
    NXS_InvalidQueueProperties = -35
    NXS_InvalidCommandQueue = -36
    NXS_InvalidHostPtr = -37
    NXS_InvalidMemObject = -38
    NXS_InvalidImageFormatDescriptor = -39
    NXS_InvalidImageSize = -40
    NXS_InvalidSampler = -41
    NXS_InvalidBinary = -42
    NXS_InvalidBuildOptions = -43
    NXS_InvalidProgram = -44
    NXS_InvalidProgramExecutable = -45
    NXS_InvalidKernelName = -46
    NXS_InvalidKernelDefinition = -47
    NXS_InvalidKernel = -48
    NXS_InvalidArgIndex = -49
    NXS_InvalidArgValue = -50
    NXS_InvalidArgSize = -51
    NXS_InvalidKernelArgs = -52
    NXS_InvalidWorkDimension = -53
    NXS_InvalidWorkGroupSize = -54
    NXS_InvalidWorkItemSize = -55
    NXS_InvalidGlobalOffset = -56
    NXS_InvalidEventWaitList = -57
    NXS_InvalidEvent = -58
    NXS_InvalidOperation = -59
    NXS_InvalidGlObject = -60
    NXS_InvalidBufferSize = -61
    NXS_InvalidMipLevel = -62
    NXS_InvalidGlobalWorkSize = -63
    NXS_InvalidProperty = -64
    NXS_InvalidImageDescriptor = -65
    NXS_InvalidCompilerOptions = -66
    NXS_InvalidDeviceQueue = -70
    NXS_InvalidSpecId = -71
    NXS_MaxSizeRestrictionExceeded = -72
    NXS_InvalidObject = -80
    NXS_InvalidBuffer = -81
    NXS_InvalidCommand = -82
    NXS_InvalidDevice = -83
    NXS_InvalidLibrary = -84
    NXS_InvalidRuntime = -85
    NXS_InvalidSchedule = -86
    NXS_InvalidStream = -87
    NXS_InvalidSystem = -88
    NXS_NotSupported = -89
    NXS_Timeout = -90
    NXS_Cancelled = -91
    NXS_IncompatibleVersion = -92
    NXS_InternalError = -93
    NXS_DeviceLost = -94


NXS_Success = Status.NXS_Success
NXS_DeviceNotFound = Status.NXS_DeviceNotFound
NXS_DeviceNotAvailable = Status.NXS_DeviceNotAvailable
NXS_CompilerNotAvailable = Status.NXS_CompilerNotAvailable
NXS_MemObjectAllocationFailure = Status.NXS_MemObjectAllocationFailure
NXS_OutOfResources = Status.NXS_OutOfResources
NXS_OutOfHostMemory = Status.NXS_OutOfHostMemory
NXS_ProfilingInfoNotAvailable = Status.NXS_ProfilingInfoNotAvailable
NXS_MemCopyOverlap = Status.NXS_MemCopyOverlap
NXS_ImageFormatMismatch = Status.NXS_ImageFormatMismatch
NXS_ImageFormatNotSupported = Status.NXS_ImageFormatNotSupported
NXS_BuildProgramFailure = Status.NXS_BuildProgramFailure
NXS_MapFailure = Status.NXS_MapFailure
NXS_MisalignedSubBufferOffset = Status.NXS_MisalignedSubBufferOffset
NXS_ExecStatusErrorForEventsInWaitList = Status.NXS_ExecStatusErrorForEventsInWaitList
NXS_CompileProgramFailure = Status.NXS_CompileProgramFailure
NXS_LinkerNotAvailable = Status.NXS_LinkerNotAvailable
NXS_LinkProgramFailure = Status.NXS_LinkProgramFailure
NXS_DevicePartitionFailed = Status.NXS_DevicePartitionFailed
NXS_KernelArgInfoNotAvailable = Status.NXS_KernelArgInfoNotAvailable
NXS_InvalidValue = Status.NXS_InvalidValue
NXS_InvalidDeviceType = Status.NXS_InvalidDeviceType
NXS_InvalidContext = Status.NXS_InvalidContext
NXS_InvalidQueueProperties = Status.NXS_InvalidQueueProperties
NXS_InvalidCommandQueue = Status.NXS_InvalidCommandQueue
NXS_InvalidHostPtr = Status.NXS_InvalidHostPtr
NXS_InvalidMemObject = Status.NXS_InvalidMemObject
NXS_InvalidImageFormatDescriptor = Status.NXS_InvalidImageFormatDescriptor
NXS_InvalidImageSize = Status.NXS_InvalidImageSize
NXS_InvalidSampler = Status.NXS_InvalidSampler
NXS_InvalidBinary = Status.NXS_InvalidBinary
NXS_InvalidBuildOptions = Status.NXS_InvalidBuildOptions
NXS_InvalidProgram = Status.NXS_InvalidProgram
NXS_InvalidProgramExecutable = Status.NXS_InvalidProgramExecutable
NXS_InvalidKernelName = Status.NXS_InvalidKernelName
NXS_InvalidKernelDefinition = Status.NXS_InvalidKernelDefinition
NXS_InvalidKernel = Status.NXS_InvalidKernel
NXS_InvalidArgIndex = Status.NXS_InvalidArgIndex
NXS_InvalidArgValue = Status.NXS_InvalidArgValue
NXS_InvalidArgSize = Status.NXS_InvalidArgSize
NXS_InvalidKernelArgs = Status.NXS_InvalidKernelArgs
NXS_InvalidWorkDimension = Status.NXS_InvalidWorkDimension
NXS_InvalidWorkGroupSize = Status.NXS_InvalidWorkGroupSize
NXS_InvalidWorkItemSize = Status.NXS_InvalidWorkItemSize
NXS_InvalidGlobalOffset = Status.NXS_InvalidGlobalOffset
NXS_InvalidEventWaitList = Status.NXS_InvalidEventWaitList
NXS_InvalidEvent = Status.NXS_InvalidEvent
NXS_InvalidOperation = Status.NXS_InvalidOperation
NXS_InvalidGlObject = Status.NXS_InvalidGlObject
NXS_InvalidBufferSize = Status.NXS_InvalidBufferSize
NXS_InvalidMipLevel = Status.NXS_InvalidMipLevel
NXS_InvalidGlobalWorkSize = Status.NXS_InvalidGlobalWorkSize
NXS_InvalidProperty = Status.NXS_InvalidProperty
NXS_InvalidImageDescriptor = Status.NXS_InvalidImageDescriptor
NXS_InvalidCompilerOptions = Status.NXS_InvalidCompilerOptions
NXS_InvalidDeviceQueue = Status.NXS_InvalidDeviceQueue
NXS_InvalidSpecId = Status.NXS_InvalidSpecId
NXS_MaxSizeRestrictionExceeded = Status.NXS_MaxSizeRestrictionExceeded
NXS_InvalidObject = Status.NXS_InvalidObject
NXS_InvalidBuffer = Status.NXS_InvalidBuffer
NXS_InvalidCommand = Status.NXS_InvalidCommand
NXS_InvalidDevice = Status.NXS_InvalidDevice
NXS_InvalidLibrary = Status.NXS_InvalidLibrary
NXS_InvalidRuntime = Status.NXS_InvalidRuntime
NXS_InvalidSchedule = Status.NXS_InvalidSchedule
NXS_InvalidStream = Status.NXS_InvalidStream
NXS_InvalidSystem = Status.NXS_InvalidSystem
NXS_NotSupported = Status.NXS_NotSupported
NXS_Timeout = Status.NXS_Timeout
NXS_Cancelled = Status.NXS_Cancelled
NXS_IncompatibleVersion = Status.NXS_IncompatibleVersion
NXS_InternalError = Status.NXS_InternalError
NXS_DeviceLost = Status.NXS_DeviceLost

__all__ = [
    "NXS_BuildProgramFailure",
    "NXS_Cancelled",
    "NXS_CompileProgramFailure",
    "NXS_CompilerNotAvailable",
    "NXS_DeviceLost",
    "NXS_DeviceNotAvailable",
    "NXS_DeviceNotFound",
    "NXS_DevicePartitionFailed",
    "NXS_ExecStatusErrorForEventsInWaitList",
    "NXS_ImageFormatMismatch",
    "NXS_ImageFormatNotSupported",
    "NXS_IncompatibleVersion",
    "NXS_InternalError",
    "NXS_InvalidArgIndex",
    "NXS_InvalidArgSize",
    "NXS_InvalidArgValue",
    "NXS_InvalidBinary",
    "NXS_InvalidBuffer",
    "NXS_InvalidBufferSize",
    "NXS_InvalidBuildOptions",
    "NXS_InvalidCommand",
    "NXS_InvalidCommandQueue",
    "NXS_InvalidCompilerOptions",
    "NXS_InvalidContext",
    "NXS_InvalidDevice",
    "NXS_InvalidDeviceQueue",
    "NXS_InvalidDeviceType",
    "NXS_InvalidEvent",
    "NXS_InvalidEventWaitList",
    "NXS_InvalidGlObject",
    "NXS_InvalidGlobalOffset",
    "NXS_InvalidGlobalWorkSize",
    "NXS_InvalidHostPtr",
    "NXS_InvalidImageDescriptor",
    "NXS_InvalidImageFormatDescriptor",
    "NXS_InvalidImageSize",
    "NXS_InvalidKernel",
    "NXS_InvalidKernelArgs",
    "NXS_InvalidKernelDefinition",
    "NXS_InvalidKernelName",
    "NXS_InvalidLibrary",
    "NXS_InvalidMemObject",
    "NXS_InvalidMipLevel",
    "NXS_InvalidObject",
    "NXS_InvalidOperation",
    "NXS_InvalidProgram",
    "NXS_InvalidProgramExecutable",
    "NXS_InvalidProperty",
    "NXS_InvalidQueueProperties",
    "NXS_InvalidRuntime",
    "NXS_InvalidSampler",
    "NXS_InvalidSchedule",
    "NXS_InvalidSpecId",
    "NXS_InvalidStream",
    "NXS_InvalidSystem",
    "NXS_InvalidValue",
    "NXS_InvalidWorkDimension",
    "NXS_InvalidWorkGroupSize",
    "NXS_InvalidWorkItemSize",
    "NXS_KernelArgInfoNotAvailable",
    "NXS_LinkProgramFailure",
    "NXS_LinkerNotAvailable",
    "NXS_MapFailure",
    "NXS_MaxSizeRestrictionExceeded",
    "NXS_MemCopyOverlap",
    "NXS_MemObjectAllocationFailure",
    "NXS_MisalignedSubBufferOffset",
    "NXS_NotSupported",
    "NXS_OutOfHostMemory",
    "NXS_OutOfResources",
    "NXS_ProfilingInfoNotAvailable",
    "NXS_Success",
    "NXS_Timeout",
    "Status",
]
