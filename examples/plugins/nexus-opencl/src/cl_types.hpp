// SPDX-License-Identifier: Apache-2.0
// The types and numbers of the OpenCL C API that this backend uses, written from the OpenCL 3.0
// specification and that of its extensions, so that a build needs no OpenCL headers.
#ifndef NEXUS_OPENCL_CL_TYPES_HPP_
#define NEXUS_OPENCL_CL_TYPES_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>

namespace nexus_opencl NXS_HIDDEN {

using cl_int = int32_t;
using cl_uint = uint32_t;
using cl_ulong = uint64_t;
using cl_bool = cl_uint;
using cl_bitfield = cl_ulong;
using cl_properties = cl_ulong;

// Each object begins with the address of its driver's table of functions (cl_khr_icd).
using cl_platform_id = struct ClPlatform *;
using cl_device_id = struct ClDevice *;
using cl_context = struct ClContext *;
using cl_command_queue = struct ClCommandQueue *;
using cl_mem = struct ClMem *;
using cl_program = struct ClProgram *;
using cl_kernel = struct ClKernel *;
using cl_event = struct ClEvent *;
using cl_command_buffer_khr = struct ClCommandBuffer *;
using cl_mutable_command_khr = struct ClMutableCommand *;

using cl_device_type = cl_bitfield;
using cl_mem_flags = cl_bitfield;
using cl_map_flags = cl_bitfield;
using cl_info = cl_uint;  // what is asked of an object
using cl_queue_properties = cl_properties;
using cl_context_properties = intptr_t;
using cl_sync_point_khr = cl_uint;
using cl_version = cl_uint;

struct cl_buffer_region {
  size_t origin, size;
};

struct cl_name_version {
  cl_version version;
  char name[64];
};

struct cl_device_pci_bus_info_khr {
  cl_uint pci_domain, pci_bus, pci_device, pci_function;
};

using ContextNotify = void (*)(const char *text, const void *data, size_t size, void *user);
using BuildNotify = void (*)(cl_program program, void *user);
using MemoryNotify = void (*)(cl_mem memory, void *user);
using EventNotify = void (*)(cl_event event, cl_int status, void *user);

inline constexpr cl_bool CL_FALSE = 0;
inline constexpr cl_bool CL_TRUE = 1;

// ==== Errors: opencl.cpp has all names =================================

inline constexpr cl_int CL_SUCCESS = 0;
inline constexpr cl_int CL_OUT_OF_RESOURCES = -5;
inline constexpr cl_int CL_OUT_OF_HOST_MEMORY = -6;
inline constexpr cl_int CL_BUILD_PROGRAM_FAILURE = -11;
inline constexpr cl_int CL_COMPILE_PROGRAM_FAILURE = -15;
inline constexpr cl_int CL_INVALID_VALUE = -30;
inline constexpr cl_int CL_INVALID_COMMAND_QUEUE = -36;
inline constexpr cl_int CL_INVALID_BINARY = -42;
inline constexpr cl_int CL_INVALID_BUILD_OPTIONS = -43;
inline constexpr cl_int CL_INVALID_PROGRAM_EXECUTABLE = -45;
inline constexpr cl_int CL_INVALID_COMPILER_OPTIONS = -66;
inline constexpr cl_int CL_PLATFORM_NOT_FOUND_KHR = -1001;

// ==== Platform and device =============================================

inline constexpr cl_info CL_PLATFORM_VERSION = 0x0901;
inline constexpr cl_info CL_PLATFORM_NAME = 0x0902;
inline constexpr cl_info CL_PLATFORM_VENDOR = 0x0903;
inline constexpr cl_info CL_PLATFORM_EXTENSIONS = 0x0904;

inline constexpr cl_device_type CL_DEVICE_TYPE_CPU = 1 << 1;
inline constexpr cl_device_type CL_DEVICE_TYPE_GPU = 1 << 2;
inline constexpr cl_device_type CL_DEVICE_TYPE_ACCELERATOR = 1 << 3;

inline constexpr cl_info CL_DEVICE_TYPE = 0x1000;
inline constexpr cl_info CL_DEVICE_VENDOR_ID = 0x1001;
inline constexpr cl_info CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002;
inline constexpr cl_info CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004;
inline constexpr cl_info CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005;
inline constexpr cl_info CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C;
inline constexpr cl_info CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010;
inline constexpr cl_info CL_DEVICE_MAX_PARAMETER_SIZE = 0x1017;
inline constexpr cl_info CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019;  // bits
inline constexpr cl_info CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE = 0x101D;
inline constexpr cl_info CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E;
inline constexpr cl_info CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F;
inline constexpr cl_info CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE = 0x1020;
inline constexpr cl_info CL_DEVICE_LOCAL_MEM_TYPE = 0x1022;
inline constexpr cl_info CL_DEVICE_LOCAL_MEM_SIZE = 0x1023;
inline constexpr cl_info CL_DEVICE_ERROR_CORRECTION_SUPPORT = 0x1024;
inline constexpr cl_info CL_DEVICE_PROFILING_TIMER_RESOLUTION = 0x1025;  // ns
inline constexpr cl_info CL_DEVICE_AVAILABLE = 0x1027;
inline constexpr cl_info CL_DEVICE_COMPILER_AVAILABLE = 0x1028;
inline constexpr cl_info CL_DEVICE_NAME = 0x102B;
inline constexpr cl_info CL_DEVICE_VENDOR = 0x102C;
inline constexpr cl_info CL_DRIVER_VERSION = 0x102D;
inline constexpr cl_info CL_DEVICE_PROFILE = 0x102E;
inline constexpr cl_info CL_DEVICE_VERSION = 0x102F;
inline constexpr cl_info CL_DEVICE_EXTENSIONS = 0x1030;
inline constexpr cl_info CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032;
inline constexpr cl_info CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035;
inline constexpr cl_info CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT = 0x103A;
inline constexpr cl_info CL_DEVICE_OPENCL_C_VERSION = 0x103D;
inline constexpr cl_info CL_DEVICE_SVM_CAPABILITIES = 0x1053;
inline constexpr cl_info CL_DEVICE_IL_VERSION = 0x105B;
inline constexpr cl_info CL_DEVICE_EXTENSIONS_WITH_VERSION = 0x1060;
inline constexpr cl_info CL_DEVICE_OPENCL_C_ALL_VERSIONS = 0x1066;
inline constexpr cl_info CL_DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108;
inline constexpr cl_info CL_DEVICE_UUID_KHR = 0x106A;
inline constexpr cl_info CL_DEVICE_PCI_BUS_INFO_KHR = 0x410F;
inline constexpr cl_info CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV = 0x4000;
inline constexpr cl_info CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV = 0x4001;
inline constexpr cl_info CL_DEVICE_REGISTERS_PER_BLOCK_NV = 0x4002;
inline constexpr cl_info CL_DEVICE_WARP_SIZE_NV = 0x4003;
inline constexpr cl_info CL_DEVICE_PCI_BUS_ID_NV = 0x4008;
inline constexpr cl_info CL_DEVICE_PCI_SLOT_ID_NV = 0x4009;
inline constexpr cl_info CL_DEVICE_PCI_DOMAIN_ID_NV = 0x400A;
inline constexpr cl_info CL_DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043;
inline constexpr cl_info CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR = 0x12A9;
inline constexpr cl_info CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR = 0x12AA;
inline constexpr cl_info CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR = 0x129A;

inline constexpr cl_uint CL_LOCAL = 1;
inline constexpr cl_bitfield CL_DEVICE_SVM_FINE_GRAIN_BUFFER = 1 << 1;

inline constexpr cl_context_properties CL_CONTEXT_PLATFORM = 0x1084;

// ==== Memory ==========================================================

inline constexpr cl_mem_flags CL_MEM_READ_WRITE = 1 << 0;
inline constexpr cl_mem_flags CL_MEM_USE_HOST_PTR = 1 << 3;
inline constexpr cl_mem_flags CL_MEM_ALLOC_HOST_PTR = 1 << 4;
inline constexpr cl_mem_flags CL_MEM_COPY_HOST_PTR = 1 << 5;
inline constexpr cl_mem_flags CL_MEM_SVM_FINE_GRAIN_BUFFER = 1 << 10;

inline constexpr cl_map_flags CL_MAP_READ = 1 << 0;
inline constexpr cl_map_flags CL_MAP_WRITE = 1 << 1;

inline constexpr cl_uint CL_BUFFER_CREATE_TYPE_REGION = 0x1220;

// ==== Queues and events ===============================================

inline constexpr cl_queue_properties CL_QUEUE_PROPERTIES = 0x1093;
inline constexpr cl_bitfield CL_QUEUE_PROFILING_ENABLE = 1 << 1;
inline constexpr cl_queue_properties CL_QUEUE_PRIORITY_KHR = 0x1096;
inline constexpr cl_properties CL_QUEUE_PRIORITY_HIGH_KHR = 1 << 0;
inline constexpr cl_properties CL_QUEUE_PRIORITY_LOW_KHR = 1 << 2;

inline constexpr cl_info CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3;
inline constexpr cl_int CL_COMPLETE = 0;

inline constexpr cl_info CL_PROFILING_COMMAND_QUEUED = 0x1280;
inline constexpr cl_info CL_PROFILING_COMMAND_END = 0x1283;

// ==== Programs and kernels ============================================

inline constexpr cl_info CL_PROGRAM_DEVICES = 0x1163;
inline constexpr cl_info CL_PROGRAM_BINARY_SIZES = 0x1165;
inline constexpr cl_info CL_PROGRAM_BINARIES = 0x1166;
inline constexpr cl_info CL_PROGRAM_KERNEL_NAMES = 0x1168;
inline constexpr cl_info CL_PROGRAM_BUILD_LOG = 0x1183;

inline constexpr cl_info CL_KERNEL_NUM_ARGS = 0x1191;
inline constexpr cl_info CL_KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196;
inline constexpr cl_info CL_KERNEL_ARG_TYPE_NAME = 0x1198;
inline constexpr cl_info CL_KERNEL_ARG_TYPE_QUALIFIER = 0x1199;
inline constexpr cl_info CL_KERNEL_ARG_NAME = 0x119A;
inline constexpr cl_uint CL_KERNEL_ARG_ADDRESS_LOCAL = 0x119C;
inline constexpr cl_uint CL_KERNEL_ARG_ADDRESS_CONSTANT = 0x119D;
inline constexpr cl_uint CL_KERNEL_ARG_ADDRESS_PRIVATE = 0x119E;
inline constexpr cl_bitfield CL_KERNEL_ARG_TYPE_CONST = 1 << 0;
inline constexpr cl_info CL_KERNEL_WORK_GROUP_SIZE = 0x11B0;
inline constexpr cl_info CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1;
inline constexpr cl_info CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2;
inline constexpr cl_info CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x11B3;
inline constexpr cl_info CL_KERNEL_PRIVATE_MEM_SIZE = 0x11B4;

// ==== cl_khr_command_buffer ===========================================

inline constexpr cl_properties CL_COMMAND_BUFFER_FLAGS_KHR = 0x1293;
inline constexpr cl_bitfield CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR = 1 << 0;
inline constexpr cl_bitfield CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR = 1 << 2;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_CL_TYPES_HPP_
