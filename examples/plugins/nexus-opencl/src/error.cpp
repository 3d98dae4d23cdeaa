// SPDX-License-Identifier: Apache-2.0
#include "opencl.hpp"

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

// CL_ERROR(number, name, status, what to do): every error that a specification has a name for.
#define NEXUS_OPENCL_ERRORS(CL_ERROR)                                                              \
  CL_ERROR(-1, DEVICE_NOT_FOUND, NXS_DeviceNotAvailable, "")                                       \
  CL_ERROR(-2, DEVICE_NOT_AVAILABLE, NXS_DeviceLost, "start the process again")                    \
  CL_ERROR(-3, COMPILER_NOT_AVAILABLE, NXS_CompilerNotAvailable, "load a binary or SPIR-V")        \
  CL_ERROR(-4, MEM_OBJECT_ALLOCATION_FAILURE, NXS_MemObjectAllocationFailure,                      \
           "release buffers or make smaller ones")                                                 \
  CL_ERROR(-5, OUT_OF_RESOURCES, NXS_OutOfResources,                                               \
           "the device has too little memory or too few registers left for it")                    \
  CL_ERROR(-6, OUT_OF_HOST_MEMORY, NXS_OutOfHostMemory, "release buffers or make smaller ones")    \
  CL_ERROR(-7, PROFILING_INFO_NOT_AVAILABLE, NXS_ProfilingInfoNotAvailable, "")                    \
  CL_ERROR(-8, MEM_COPY_OVERLAP, NXS_MemCopyOverlap, "copy ranges that do not overlap")            \
  CL_ERROR(-9, IMAGE_FORMAT_MISMATCH, NXS_ImageFormatMismatch, "")                                 \
  CL_ERROR(-10, IMAGE_FORMAT_NOT_SUPPORTED, NXS_ImageFormatNotSupported, "")                       \
  CL_ERROR(-11, BUILD_PROGRAM_FAILURE, NXS_BuildProgramFailure, "")                                \
  CL_ERROR(-12, MAP_FAILURE, NXS_MapFailure, "copy the buffer instead")                            \
  CL_ERROR(-13, MISALIGNED_SUB_BUFFER_OFFSET, NXS_MisalignedSubBufferOffset,                       \
           "BufferOffsetAlignment of the device is the alignment that a slice needs")              \
  CL_ERROR(-14, EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, NXS_ExecStatusErrorForEventsInWaitList, \
           "work that it waited for has failed")                                                   \
  CL_ERROR(-15, COMPILE_PROGRAM_FAILURE, NXS_CompileProgramFailure, "")                            \
  CL_ERROR(-16, LINKER_NOT_AVAILABLE, NXS_LinkerNotAvailable, "")                                  \
  CL_ERROR(-17, LINK_PROGRAM_FAILURE, NXS_LinkProgramFailure, "")                                  \
  CL_ERROR(-18, DEVICE_PARTITION_FAILED, NXS_DevicePartitionFailed, "")                            \
  CL_ERROR(-19, KERNEL_ARG_INFO_NOT_AVAILABLE, NXS_KernelArgInfoNotAvailable, "")                  \
  CL_ERROR(-30, INVALID_VALUE, NXS_InternalError, "")                                              \
  CL_ERROR(-31, INVALID_DEVICE_TYPE, NXS_InternalError, "")                                        \
  CL_ERROR(-32, INVALID_PLATFORM, NXS_InternalError, "")                                           \
  CL_ERROR(-33, INVALID_DEVICE, NXS_InternalError, "")                                             \
  CL_ERROR(-34, INVALID_CONTEXT, NXS_InternalError, "")                                            \
  CL_ERROR(-35, INVALID_QUEUE_PROPERTIES, NXS_InternalError, "")                                   \
  CL_ERROR(-36, INVALID_COMMAND_QUEUE, NXS_InternalError, "")                                      \
  CL_ERROR(-37, INVALID_HOST_PTR, NXS_InvalidHostPtr, "")                                          \
  CL_ERROR(-38, INVALID_MEM_OBJECT, NXS_InternalError, "")                                         \
  CL_ERROR(-39, INVALID_IMAGE_FORMAT_DESCRIPTOR, NXS_InternalError, "")                            \
  CL_ERROR(-40, INVALID_IMAGE_SIZE, NXS_InternalError, "")                                         \
  CL_ERROR(-41, INVALID_SAMPLER, NXS_InternalError, "")                                            \
  CL_ERROR(-42, INVALID_BINARY, NXS_InvalidBinary, "compile the program again on this device")     \
  CL_ERROR(-43, INVALID_BUILD_OPTIONS, NXS_InvalidCompilerOptions, "")                             \
  CL_ERROR(-44, INVALID_PROGRAM, NXS_InternalError, "")                                            \
  CL_ERROR(-45, INVALID_PROGRAM_EXECUTABLE, NXS_InvalidBinary, "")                                 \
  CL_ERROR(-46, INVALID_KERNEL_NAME, NXS_InvalidKernelName, "")                                    \
  CL_ERROR(-47, INVALID_KERNEL_DEFINITION, NXS_InvalidKernelDefinition, "")                        \
  CL_ERROR(-48, INVALID_KERNEL, NXS_InternalError, "")                                             \
  CL_ERROR(-49, INVALID_ARG_INDEX, NXS_InvalidArgIndex, "")                                        \
  CL_ERROR(-50, INVALID_ARG_VALUE, NXS_InvalidArgValue, "")                                        \
  CL_ERROR(-51, INVALID_ARG_SIZE, NXS_InvalidArgSize, "")                                          \
  CL_ERROR(-52, INVALID_KERNEL_ARGS, NXS_InvalidKernelArgs, "")                                    \
  CL_ERROR(-53, INVALID_WORK_DIMENSION, NXS_InternalError, "")                                     \
  CL_ERROR(-54, INVALID_WORK_GROUP_SIZE, NXS_InvalidWorkGroupSize, "make the groups smaller")      \
  CL_ERROR(-55, INVALID_WORK_ITEM_SIZE, NXS_InvalidWorkGroupSize, "make the groups smaller")       \
  CL_ERROR(-56, INVALID_GLOBAL_OFFSET, NXS_InternalError, "")                                      \
  CL_ERROR(-57, INVALID_EVENT_WAIT_LIST, NXS_InternalError, "")                                    \
  CL_ERROR(-58, INVALID_EVENT, NXS_InternalError, "")                                              \
  CL_ERROR(-59, INVALID_OPERATION, NXS_InternalError, "")                                          \
  CL_ERROR(-60, INVALID_GL_OBJECT, NXS_InternalError, "")                                          \
  CL_ERROR(-61, INVALID_BUFFER_SIZE, NXS_InvalidBufferSize,                                        \
           "MaxBufferSize of the device is the most")                                              \
  CL_ERROR(-62, INVALID_MIP_LEVEL, NXS_InternalError, "")                                          \
  CL_ERROR(-63, INVALID_GLOBAL_WORK_SIZE, NXS_InvalidGlobalWorkSize, "make the grid smaller")      \
  CL_ERROR(-64, INVALID_PROPERTY, NXS_InternalError, "")                                           \
  CL_ERROR(-65, INVALID_IMAGE_DESCRIPTOR, NXS_InternalError, "")                                   \
  CL_ERROR(-66, INVALID_COMPILER_OPTIONS, NXS_InvalidCompilerOptions, "")                          \
  CL_ERROR(-67, INVALID_LINKER_OPTIONS, NXS_InvalidCompilerOptions, "")                            \
  CL_ERROR(-68, INVALID_DEVICE_PARTITION_COUNT, NXS_InternalError, "")                             \
  CL_ERROR(-69, INVALID_PIPE_SIZE, NXS_InternalError, "")                                          \
  CL_ERROR(-70, INVALID_DEVICE_QUEUE, NXS_InternalError, "")                                       \
  CL_ERROR(-71, INVALID_SPEC_ID, NXS_InternalError, "")                                            \
  CL_ERROR(-72, MAX_SIZE_RESTRICTION_EXCEEDED, NXS_OutOfResources, "")                             \
  CL_ERROR(-1001, PLATFORM_NOT_FOUND_KHR, NXS_DeviceNotAvailable, "")                              \
  CL_ERROR(-1138, INVALID_COMMAND_BUFFER_KHR, NXS_InternalError, "")                               \
  CL_ERROR(-1139, INVALID_SYNC_POINT_WAIT_LIST_KHR, NXS_InternalError, "")                         \
  CL_ERROR(-1140, INCOMPATIBLE_COMMAND_QUEUE_KHR, NXS_InternalError, "")

struct KnownError {
  cl_int number;
  const char *name;
  nxs_status status;
  std::string_view remedy;
};

#define NEXUS_OPENCL_ENTRY(number, name, status, remedy) {number, "CL_" #name, status, remedy},
constexpr KnownError kKnownErrors[] = {NEXUS_OPENCL_ERRORS(NEXUS_OPENCL_ENTRY)};
#undef NEXUS_OPENCL_ENTRY
#undef NEXUS_OPENCL_ERRORS

const KnownError *find_error(cl_int error) noexcept {
  for (const KnownError &known : kKnownErrors) {
    if (known.number == error) return &known;
  }
  return nullptr;
}

}  // namespace

nxs_status status_of(cl_int error) noexcept {
  const KnownError *known = find_error(error);
  return known == nullptr ? NXS_InternalError : known->status;
}

std::string error_name(cl_int error) {
  const KnownError *known = find_error(error);
  return known == nullptr ? join("error ", error) : join(known->name, " (", error, ")");
}

void throw_error(cl_int error, nxs_status status, std::string_view what) {
  const KnownError *known = find_error(error);
  const bool has_remedy = known != nullptr && !known->remedy.empty();
  throw Error::with_native_code(error, status, what, " failed: ", error_name(error),
                                has_remedy ? "; " : "",
                                has_remedy ? known->remedy : std::string_view());
}

void throw_error(cl_int error, std::string_view what) {
  throw_error(error, status_of(error), what);
}

}  // namespace nexus_opencl
