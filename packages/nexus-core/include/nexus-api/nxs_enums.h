/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from schema/statuses.json and schema/enums.json by `nox -s gen`. Do not edit. */
/* clang-format off */
#ifndef NEXUS_API_NXS_ENUMS_H_
#define NEXUS_API_NXS_ENUMS_H_

#include <stdint.h>

/* Every function returns one of these. 0 is success, errors are negative. */
typedef int32_t nxs_status;

enum {
  NXS_Success = 0,
  NXS_DeviceNotFound = -1,
  NXS_DeviceNotAvailable = -2,
  NXS_CompilerNotAvailable = -3,
  NXS_MemObjectAllocationFailure = -4,
  NXS_OutOfResources = -5,
  NXS_OutOfHostMemory = -6,
  NXS_ProfilingInfoNotAvailable = -7,
  NXS_MemCopyOverlap = -8,
  NXS_ImageFormatMismatch = -9,
  NXS_ImageFormatNotSupported = -10,
  NXS_BuildProgramFailure = -11,
  NXS_MapFailure = -12,
  NXS_MisalignedSubBufferOffset = -13,
  NXS_ExecStatusErrorForEventsInWaitList = -14,
  NXS_CompileProgramFailure = -15,
  NXS_LinkerNotAvailable = -16,
  NXS_LinkProgramFailure = -17,
  NXS_DevicePartitionFailed = -18,
  NXS_KernelArgInfoNotAvailable = -19,
  NXS_InvalidValue = -30,
  NXS_InvalidDeviceType = -31,
  NXS_InvalidContext = -34,
  NXS_InvalidQueueProperties = -35,
  NXS_InvalidCommandQueue = -36,
  NXS_InvalidHostPtr = -37,
  NXS_InvalidMemObject = -38,
  NXS_InvalidImageFormatDescriptor = -39,
  NXS_InvalidImageSize = -40,
  NXS_InvalidSampler = -41,
  NXS_InvalidBinary = -42,
  NXS_InvalidBuildOptions = -43,
  NXS_InvalidProgram = -44,
  NXS_InvalidProgramExecutable = -45,
  NXS_InvalidKernelName = -46,
  NXS_InvalidKernelDefinition = -47,
  NXS_InvalidKernel = -48,
  NXS_InvalidArgIndex = -49,
  NXS_InvalidArgValue = -50,
  NXS_InvalidArgSize = -51,
  NXS_InvalidKernelArgs = -52,
  NXS_InvalidWorkDimension = -53,
  NXS_InvalidWorkGroupSize = -54,
  NXS_InvalidWorkItemSize = -55,
  NXS_InvalidGlobalOffset = -56,
  NXS_InvalidEventWaitList = -57,
  NXS_InvalidEvent = -58,
  NXS_InvalidOperation = -59,
  NXS_InvalidGlObject = -60,
  NXS_InvalidBufferSize = -61,
  NXS_InvalidMipLevel = -62,
  NXS_InvalidGlobalWorkSize = -63,
  NXS_InvalidProperty = -64,
  NXS_InvalidImageDescriptor = -65,
  NXS_InvalidCompilerOptions = -66,
  NXS_InvalidDeviceQueue = -70,
  NXS_InvalidSpecId = -71,
  NXS_MaxSizeRestrictionExceeded = -72,
  NXS_InvalidObject = -80,
  NXS_InvalidBuffer = -81,
  NXS_InvalidCommand = -82,
  NXS_InvalidDevice = -83,
  NXS_InvalidLibrary = -84,
  NXS_InvalidRuntime = -85,
  NXS_InvalidSchedule = -86,
  NXS_InvalidStream = -87,
  NXS_InvalidSystem = -88,
  NXS_NotSupported = -89,
  NXS_Timeout = -90,
  NXS_Cancelled = -91,
  NXS_IncompatibleVersion = -92,
  NXS_InternalError = -93,
  NXS_DeviceLost = -94,
};

/* X(name, number) for each status. */
#define NXS_FOR_EACH_STATUS(X) \
  X(Success, 0) \
  X(DeviceNotFound, -1) \
  X(DeviceNotAvailable, -2) \
  X(CompilerNotAvailable, -3) \
  X(MemObjectAllocationFailure, -4) \
  X(OutOfResources, -5) \
  X(OutOfHostMemory, -6) \
  X(ProfilingInfoNotAvailable, -7) \
  X(MemCopyOverlap, -8) \
  X(ImageFormatMismatch, -9) \
  X(ImageFormatNotSupported, -10) \
  X(BuildProgramFailure, -11) \
  X(MapFailure, -12) \
  X(MisalignedSubBufferOffset, -13) \
  X(ExecStatusErrorForEventsInWaitList, -14) \
  X(CompileProgramFailure, -15) \
  X(LinkerNotAvailable, -16) \
  X(LinkProgramFailure, -17) \
  X(DevicePartitionFailed, -18) \
  X(KernelArgInfoNotAvailable, -19) \
  X(InvalidValue, -30) \
  X(InvalidDeviceType, -31) \
  X(InvalidContext, -34) \
  X(InvalidQueueProperties, -35) \
  X(InvalidCommandQueue, -36) \
  X(InvalidHostPtr, -37) \
  X(InvalidMemObject, -38) \
  X(InvalidImageFormatDescriptor, -39) \
  X(InvalidImageSize, -40) \
  X(InvalidSampler, -41) \
  X(InvalidBinary, -42) \
  X(InvalidBuildOptions, -43) \
  X(InvalidProgram, -44) \
  X(InvalidProgramExecutable, -45) \
  X(InvalidKernelName, -46) \
  X(InvalidKernelDefinition, -47) \
  X(InvalidKernel, -48) \
  X(InvalidArgIndex, -49) \
  X(InvalidArgValue, -50) \
  X(InvalidArgSize, -51) \
  X(InvalidKernelArgs, -52) \
  X(InvalidWorkDimension, -53) \
  X(InvalidWorkGroupSize, -54) \
  X(InvalidWorkItemSize, -55) \
  X(InvalidGlobalOffset, -56) \
  X(InvalidEventWaitList, -57) \
  X(InvalidEvent, -58) \
  X(InvalidOperation, -59) \
  X(InvalidGlObject, -60) \
  X(InvalidBufferSize, -61) \
  X(InvalidMipLevel, -62) \
  X(InvalidGlobalWorkSize, -63) \
  X(InvalidProperty, -64) \
  X(InvalidImageDescriptor, -65) \
  X(InvalidCompilerOptions, -66) \
  X(InvalidDeviceQueue, -70) \
  X(InvalidSpecId, -71) \
  X(MaxSizeRestrictionExceeded, -72) \
  X(InvalidObject, -80) \
  X(InvalidBuffer, -81) \
  X(InvalidCommand, -82) \
  X(InvalidDevice, -83) \
  X(InvalidLibrary, -84) \
  X(InvalidRuntime, -85) \
  X(InvalidSchedule, -86) \
  X(InvalidStream, -87) \
  X(InvalidSystem, -88) \
  X(NotSupported, -89) \
  X(Timeout, -90) \
  X(Cancelled, -91) \
  X(IncompatibleVersion, -92) \
  X(InternalError, -93) \
  X(DeviceLost, -94) \
  /* end */

/* The kind of an event: what sets it. */
typedef int32_t nxs_event_type;
enum {
  NXS_EventType_Shared = 0, /* A 64-bit counter that only grows. */
  NXS_EventType_Signal = 1, /* A one-shot event, re-armed when a run that signals it is submitted. */
  NXS_EventType_Fence = 2, /* A one-shot event, the same as Signal. */
};
#define NXS_FOR_EACH_EventType(X) \
  X(Shared, 0) \
  X(Signal, 1) \
  X(Fence, 2) \
  /* end */

/* The state of an event or a run. */
typedef int32_t nxs_event_status;
enum {
  NXS_EventStatus_Submitted = 0, /* Accepted, not started. */
  NXS_EventStatus_Running = 1, /* Started. */
  NXS_EventStatus_Complete = 2, /* Done without error. */
  NXS_EventStatus_Error = 3, /* Failed; the cause is in the error record. */
  NXS_EventStatus_Canceled = 4, /* Cancelled before it started. */
};
#define NXS_FOR_EACH_EventStatus(X) \
  X(Submitted, 0) \
  X(Running, 1) \
  X(Complete, 2) \
  X(Error, 3) \
  X(Canceled, 4) \
  /* end */

/* What a command does. */
typedef int32_t nxs_command_type;
enum {
  NXS_CommandType_Dispatch = 0, /* Runs a kernel. */
  NXS_CommandType_Signal = 1, /* Signals an event. */
  NXS_CommandType_Wait = 2, /* Waits for an event. */
  NXS_CommandType_Copy = 3, /* Copies a buffer to a buffer. */
  NXS_CommandType_Fill = 4, /* Fills a buffer with a value. */
  NXS_CommandType_Schedule = 5, /* Runs another schedule. */
  NXS_CommandType_Host = 6, /* Calls a function of the program. libnexus implements it; plug-ins never get such commands. */
  NXS_CommandType_If = 7, /* Runs one of two schedules, selected by an integer in a buffer. */
  NXS_CommandType_While = 8, /* Runs a schedule repeatedly while an integer in a buffer is not 0. */
  NXS_CommandType_Switch = 9, /* Runs the schedule whose index is in a buffer. */
  NXS_CommandType_Captured = 10, /* Work that another library put on a stream. */
};
#define NXS_FOR_EACH_CommandType(X) \
  X(Dispatch, 0) \
  X(Signal, 1) \
  X(Wait, 2) \
  X(Copy, 3) \
  X(Fill, 4) \
  X(Schedule, 5) \
  X(Host, 6) \
  X(If, 7) \
  X(While, 8) \
  X(Switch, 9) \
  X(Captured, 10) \
  /* end */

/* Bits that say how a run is executed. */
typedef uint64_t nxs_execution_settings;
#define NXS_ExecutionSettings_Profiling (UINT64_C(1) << 0) /* Collects the backend's counters. */
#define NXS_ExecutionSettings_Timing (UINT64_C(1) << 1) /* Records the elapsed time. */
#define NXS_ExecutionSettings_Capture (UINT64_C(1) << 2) /* Makes the run visible to the vendor's capture tool. */
#define NXS_ExecutionSettings_NonBlocking (UINT64_C(1) << 3) /* Returns as soon as the work is submitted. */
#define NXS_ExecutionSettings_Shareable (UINT64_C(1) << 4) /* For an event: it can be shared with other processes. */
#define NXS_FOR_EACH_ExecutionSettings(X) \
  X(Profiling, 0) \
  X(Timing, 1) \
  X(Capture, 2) \
  X(NonBlocking, 3) \
  X(Shareable, 4) \
  /* end */

/* Bits that say where a buffer lives. */
typedef uint64_t nxs_buffer_settings;
#define NXS_BufferSettings_OnHost (UINT64_C(1) << 0) /* In host memory that the device can reach. */
#define NXS_BufferSettings_OnDevice (UINT64_C(1) << 1) /* In the device's own memory. */
#define NXS_BufferSettings_Maintain (UINT64_C(1) << 2) /* Uses the memory at the host pointer in place; the caller keeps it alive until the buffer's storage is released. */
#define NXS_BufferSettings_Shareable (UINT64_C(1) << 3) /* The memory can be shared with other processes. */
#define NXS_BufferSettings_ReadOnly (UINT64_C(1) << 4) /* No kernel, copy or fill writes to it. libnexus enforces this; plug-ins never get this bit. */
#define NXS_FOR_EACH_BufferSettings(X) \
  X(OnHost, 0) \
  X(OnDevice, 1) \
  X(Maintain, 2) \
  X(Shareable, 3) \
  X(ReadOnly, 4) \
  /* end */

/* The type of an element. */
typedef int32_t nxs_data_type;
enum {
  NXS_DataType_Undefined = 0, /* Bytes without a type. */
  NXS_DataType_F32 = 1, /* 32-bit float. */
  NXS_DataType_F16 = 2, /* 16-bit float. */
  NXS_DataType_BF16 = 3, /* 16-bit brain float. */
  NXS_DataType_F8 = 4, /* 8-bit float, e4m3. */
  NXS_DataType_BF8 = 5, /* 8-bit float, e5m2. */
  NXS_DataType_F4 = 6, /* 4-bit float, e2m1. */
  NXS_DataType_BF4 = 7, /* 4-bit brain float. */
  NXS_DataType_I32 = 8, /* 32-bit signed integer. */
  NXS_DataType_U32 = 9, /* 32-bit unsigned integer. */
  NXS_DataType_I16 = 10, /* 16-bit signed integer. */
  NXS_DataType_U16 = 11, /* 16-bit unsigned integer. */
  NXS_DataType_I8 = 12, /* 8-bit signed integer. */
  NXS_DataType_U8 = 13, /* 8-bit unsigned integer. */
  NXS_DataType_I4 = 14, /* 4-bit signed integer. */
  NXS_DataType_U4 = 15, /* 4-bit unsigned integer. */
  NXS_DataType_F64 = 16, /* 64-bit float. */
  NXS_DataType_I64 = 17, /* 64-bit signed integer. */
  NXS_DataType_U64 = 18, /* 64-bit unsigned integer. */
  NXS_DataType_Bool = 19, /* One byte, 0 or 1. */
  NXS_DataType_C64 = 20, /* Complex number: two 32-bit floats. */
  NXS_DataType_C128 = 21, /* Complex number: two 64-bit floats. */
};
#define NXS_FOR_EACH_DataType(X) \
  X(Undefined, 0) \
  X(F32, 1) \
  X(F16, 2) \
  X(BF16, 3) \
  X(F8, 4) \
  X(BF8, 5) \
  X(F4, 6) \
  X(BF4, 7) \
  X(I32, 8) \
  X(U32, 9) \
  X(I16, 10) \
  X(U16, 11) \
  X(I8, 12) \
  X(U8, 13) \
  X(I4, 14) \
  X(U4, 15) \
  X(F64, 16) \
  X(I64, 17) \
  X(U64, 18) \
  X(Bool, 19) \
  X(C64, 20) \
  X(C128, 21) \
  /* end */

/* The type field of an id. */
typedef int32_t nxs_object_type;
enum {
  NXS_ObjectType_None = 0, /* No object. */
  NXS_ObjectType_Runtime = 1, /* A backend. */
  NXS_ObjectType_Device = 2, /* A device. */
  NXS_ObjectType_Buffer = 3, /* A buffer. */
  NXS_ObjectType_Library = 4, /* A kernel library. */
  NXS_ObjectType_Kernel = 5, /* A kernel. */
  NXS_ObjectType_Stream = 6, /* A stream. */
  NXS_ObjectType_Event = 7, /* An event. */
  NXS_ObjectType_Schedule = 8, /* A schedule. */
  NXS_ObjectType_Command = 9, /* A command. */
  NXS_ObjectType_ObjectCode = 10, /* A compiled program. Only the core uses such ids, never a plug-in. */
};
#define NXS_FOR_EACH_ObjectType(X) \
  X(None, 0) \
  X(Runtime, 1) \
  X(Device, 2) \
  X(Buffer, 3) \
  X(Library, 4) \
  X(Kernel, 5) \
  X(Stream, 6) \
  X(Event, 7) \
  X(Schedule, 8) \
  X(Command, 9) \
  X(ObjectCode, 10) \
  /* end */

/* The kind of an argument. */
typedef int32_t nxs_argument_kind;
enum {
  NXS_ArgumentKind_Buffer = 0, /* A buffer with an offset. */
  NXS_ArgumentKind_Scalar = 1, /* Bytes passed by value. */
  NXS_ArgumentKind_LocalMemory = 2, /* Local memory of each group, given by its size. */
  NXS_ArgumentKind_Unknown = 3, /* A buffer or a scalar: the kernel describes only its size. */
};
#define NXS_FOR_EACH_ArgumentKind(X) \
  X(Buffer, 0) \
  X(Scalar, 1) \
  X(LocalMemory, 2) \
  X(Unknown, 3) \
  /* end */

/* The progress of submitted work. */
typedef int32_t nxs_completion_state;
enum {
  NXS_CompletionState_Running = 0, /* Submitted, not done. */
  NXS_CompletionState_Completed = 1, /* Done without error. */
  NXS_CompletionState_Failed = 2, /* Failed; error names the record. */
};
#define NXS_FOR_EACH_CompletionState(X) \
  X(Running, 0) \
  X(Completed, 1) \
  X(Failed, 2) \
  /* end */

/* The calls that a plug-in accepts at the same time. */
typedef int32_t nxs_thread_model;
enum {
  NXS_ThreadModel_Free = 0, /* Any function, from any thread, at any time. */
  NXS_ThreadModel_Serialized = 1, /* One call at a time; the core locks. */
};
#define NXS_FOR_EACH_ThreadModel(X) \
  X(Free, 0) \
  X(Serialized, 1) \
  /* end */

/* The severity of a log line. */
typedef int32_t nxs_log_level;
enum {
  NXS_LogLevel_Debug = 0, /* Details for debugging. */
  NXS_LogLevel_Info = 1, /* Normal progress. */
  NXS_LogLevel_Warning = 2, /* A possible problem. */
  NXS_LogLevel_Error = 3, /* Something failed. */
};
#define NXS_FOR_EACH_LogLevel(X) \
  X(Debug, 0) \
  X(Info, 1) \
  X(Warning, 2) \
  X(Error, 3) \
  /* end */

/* Bits that say what a backend supports beyond the required functions. */
typedef uint64_t nxs_capability;
#define NXS_Capability_HostVisibleMemory (UINT64_C(1) << 0) /* Buffers can be mapped without a copy. */
#define NXS_Capability_ManagedMemory (UINT64_C(1) << 1) /* There is memory that moves between host and device on its own. */
#define NXS_Capability_Timing (UINT64_C(1) << 2) /* Events and runs have elapsed times. */
#define NXS_Capability_StreamPriority (UINT64_C(1) << 3) /* Streams have priorities. */
#define NXS_Capability_ArgumentInfo (UINT64_C(1) << 4) /* Kernels describe their arguments. */
#define NXS_Capability_HostCallback (UINT64_C(1) << 5) /* nxsEnqueueHostCallback works. */
#define NXS_Capability_NestedSchedule (UINT64_C(1) << 6) /* nxsCreateScheduleCommand works. */
#define NXS_Capability_Compile (UINT64_C(1) << 7) /* nxsCompileProgram works. */
#define NXS_Capability_LibraryFromMemory (UINT64_C(1) << 8) /* nxsCreateLibrary takes bytes. */
#define NXS_Capability_ForeignMemory (UINT64_C(1) << 9) /* nxsCreateBufferFromHandle works: buffers of memory that other libraries allocated on the device. */
#define NXS_Capability_ForeignStream (UINT64_C(1) << 10) /* nxsCreateStreamFromHandle works: streams that other libraries created. */
#define NXS_Capability_ShareableMemory (UINT64_C(1) << 11) /* nxsExportBuffer and nxsImportBuffer work: memory that processes share. */
#define NXS_Capability_Occupancy (UINT64_C(1) << 12) /* nxsGetKernelOccupancy works. */
#define NXS_Capability_CooperativeLaunch (UINT64_C(1) << 13) /* The flag Cooperative of nxs_launch works, on devices whose CooperativeLaunch is 1. */
#define NXS_Capability_ClusterLaunch (UINT64_C(1) << 14) /* The cluster_size of nxs_launch works, on devices whose ClusterLaunch is 1. */
#define NXS_Capability_ProgrammaticLaunch (UINT64_C(1) << 15) /* The flag Programmatic of nxs_launch works, on devices whose ProgrammaticLaunch is 1. */
#define NXS_Capability_ShareableEvents (UINT64_C(1) << 16) /* nxsExportEvent and nxsImportEvent work: events that processes share. */
#define NXS_Capability_Branches (UINT64_C(1) << 17) /* nxsSetCommandPredecessors works: commands of a run that do not follow each other can run at the same time. */
#define NXS_Capability_Conditions (UINT64_C(1) << 18) /* nxsCreateConditionCommand and nxsStopLoops work: integers in buffers control what a run does. */
#define NXS_Capability_Capture (UINT64_C(1) << 19) /* nxsBeginCapture and nxsEndCapture work: work that other libraries put on a stream becomes a command. Includes NestedSchedule. */
#define NXS_Capability_Globals (UINT64_C(1) << 20) /* nxsGetGlobal works: buffers over the variables of libraries. */
#define NXS_Capability_RowCopies (UINT64_C(1) << 21) /* nxsCopyRows works: a copy of rows with gaps between them is one call. */
#define NXS_FOR_EACH_Capability(X) \
  X(HostVisibleMemory, 0) \
  X(ManagedMemory, 1) \
  X(Timing, 2) \
  X(StreamPriority, 3) \
  X(ArgumentInfo, 4) \
  X(HostCallback, 5) \
  X(NestedSchedule, 6) \
  X(Compile, 7) \
  X(LibraryFromMemory, 8) \
  X(ForeignMemory, 9) \
  X(ForeignStream, 10) \
  X(ShareableMemory, 11) \
  X(Occupancy, 12) \
  X(CooperativeLaunch, 13) \
  X(ClusterLaunch, 14) \
  X(ProgrammaticLaunch, 15) \
  X(ShareableEvents, 16) \
  X(Branches, 17) \
  X(Conditions, 18) \
  X(Capture, 19) \
  X(Globals, 20) \
  X(RowCopies, 21) \
  /* end */

/* Bits that say what a mapping is for. */
typedef uint64_t nxs_map_access;
#define NXS_MapAccess_Read (UINT64_C(1) << 0) /* The host reads. */
#define NXS_MapAccess_Write (UINT64_C(1) << 1) /* The host writes. */
#define NXS_FOR_EACH_MapAccess(X) \
  X(Read, 0) \
  X(Write, 1) \
  /* end */

/* Bits that say how a kernel is launched. */
typedef uint64_t nxs_launch_flags;
#define NXS_LaunchFlags_Cooperative (UINT64_C(1) << 0) /* All groups run at the same time, so that they can wait for each other. */
#define NXS_LaunchFlags_Programmatic (UINT64_C(1) << 1) /* The kernel may begin before the previous kernel has ended, and waits for it itself (programmatic dependent launch). */
#define NXS_FOR_EACH_LaunchFlags(X) \
  X(Cooperative, 0) \
  X(Programmatic, 1) \
  /* end */

/* Bits that say how a program is compiled. */
typedef uint64_t nxs_compile_flags;
#define NXS_CompileFlags_FastMath (UINT64_C(1) << 0) /* Floating-point arithmetic may be reordered and approximated. */
#define NXS_CompileFlags_Debug (UINT64_C(1) << 1) /* Adds debug information. */
#define NXS_CompileFlags_LineInfo (UINT64_C(1) << 2) /* Adds source line numbers for profilers, without changing the code. */
#define NXS_CompileFlags_Relocatable (UINT64_C(1) << 3) /* Makes a piece of a program, to be linked with others before it is loaded. */
#define NXS_FOR_EACH_CompileFlags(X) \
  X(FastMath, 0) \
  X(Debug, 1) \
  X(LineInfo, 2) \
  X(Relocatable, 3) \
  /* end */

/* The low bits of a data type word that hold flags, and the length of `NXS_DataType_`. */
#define NXS_DataType_Flags_Mask 3
#define NXS_DataType_PREFIX_LEN 13

#endif /* NEXUS_API_NXS_ENUMS_H_ */
