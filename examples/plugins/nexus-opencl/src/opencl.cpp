// SPDX-License-Identifier: Apache-2.0
#include "opencl.hpp"

namespace nexus_opencl NXS_HIDDEN {
namespace {

struct KnownError {
  cl_int number;
  const char *name;
  nxs_status status = NXS_InternalError;
  std::string_view remedy = {};
};

// The errors of the functions that this backend calls.
constexpr KnownError kKnownErrors[] = {
    {-1, "CL_DEVICE_NOT_FOUND", NXS_DeviceNotAvailable},
    {-2, "CL_DEVICE_NOT_AVAILABLE", NXS_DeviceLost, "start the process again"},
    {-3, "CL_COMPILER_NOT_AVAILABLE", NXS_CompilerNotAvailable, "load a binary or SPIR-V"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", NXS_MemObjectAllocationFailure,
     "release buffers or make smaller ones"},
    {-5, "CL_OUT_OF_RESOURCES", NXS_OutOfResources,
     "the device has too little memory or too few registers left for it"},
    {-6, "CL_OUT_OF_HOST_MEMORY", NXS_OutOfHostMemory, "release buffers or make smaller ones"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE", NXS_ProfilingInfoNotAvailable},
    {-8, "CL_MEM_COPY_OVERLAP", NXS_MemCopyOverlap, "copy ranges that do not overlap"},
    {-11, "CL_BUILD_PROGRAM_FAILURE", NXS_BuildProgramFailure},
    {-12, "CL_MAP_FAILURE", NXS_MapFailure, "copy the buffer instead"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET", NXS_MisalignedSubBufferOffset,
     "BufferOffsetAlignment of the device is the alignment that a slice needs"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", NXS_ExecStatusErrorForEventsInWaitList,
     "work that it waited for has failed"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE", NXS_CompileProgramFailure},
    {-16, "CL_LINKER_NOT_AVAILABLE", NXS_LinkerNotAvailable},
    {-17, "CL_LINK_PROGRAM_FAILURE", NXS_LinkProgramFailure},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", NXS_KernelArgInfoNotAvailable},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-37, "CL_INVALID_HOST_PTR", NXS_InvalidHostPtr},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-42, "CL_INVALID_BINARY", NXS_InvalidBinary, "compile the program again on this device"},
    {-43, "CL_INVALID_BUILD_OPTIONS", NXS_InvalidCompilerOptions},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE", NXS_InvalidBinary},
    {-46, "CL_INVALID_KERNEL_NAME", NXS_InvalidKernelName},
    {-47, "CL_INVALID_KERNEL_DEFINITION", NXS_InvalidKernelDefinition},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX", NXS_InvalidArgIndex},
    {-50, "CL_INVALID_ARG_VALUE", NXS_InvalidArgValue},
    {-51, "CL_INVALID_ARG_SIZE", NXS_InvalidArgSize},
    {-52, "CL_INVALID_KERNEL_ARGS", NXS_InvalidKernelArgs},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE", NXS_InvalidWorkGroupSize, "make the groups smaller"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE", NXS_InvalidWorkGroupSize, "make the groups smaller"},
    {-56, "CL_INVALID_GLOBAL_OFFSET"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-61, "CL_INVALID_BUFFER_SIZE", NXS_InvalidBufferSize,
     "MaxBufferSize of the device is the most"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE", NXS_InvalidGlobalWorkSize, "make the grid smaller"},
    {-64, "CL_INVALID_PROPERTY"},
    {-66, "CL_INVALID_COMPILER_OPTIONS", NXS_InvalidCompilerOptions},
    {-67, "CL_INVALID_LINKER_OPTIONS", NXS_InvalidCompilerOptions},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED", NXS_OutOfResources},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", NXS_DeviceNotAvailable},
    {-1138, "CL_INVALID_COMMAND_BUFFER_KHR"},
    {-1139, "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR"},
    {-1140, "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR"},
};

KnownError find_error(cl_int error) noexcept {
  for (const KnownError &known : kKnownErrors) {
    if (known.number == error) return known;
  }
  return {error, nullptr};
}

}  // namespace

void throw_error(cl_int error, nxs_status status, std::string_view what) {
  const KnownError known = find_error(error);
  const std::string name =
      known.name == nullptr ? join("error ", error) : join(known.name, " (", error, ")");
  throw Error::with_native_code(error, status, what, " failed: ", name,
                                known.remedy.empty() ? "" : "; ", known.remedy);
}

void throw_error(cl_int error, std::string_view what) {
  throw_error(error, find_error(error).status, what);
}

}  // namespace nexus_opencl
