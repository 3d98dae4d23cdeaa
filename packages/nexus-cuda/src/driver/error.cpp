// SPDX-License-Identifier: Apache-2.0
#include "driver/error.hpp"

#include <nexus-plugin/gpu/capture_errors.hpp>

#include "driver/functions.hpp"

#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr std::string_view kStartAgain =
    "the device can't be used by this process any more: start the process again";
constexpr std::string_view kFaulted =
    "a kernel made an invalid access or instruction, and the device can't be used by this process "
    "any more: start the process again (compute-sanitizer finds the place)";

constexpr std::string_view kUnexpected =
    "this should not happen: look in the system's log for 'NVRM: Xid', and report it with the "
    "versions "
    "that 'nexus info' shows";

constexpr nexus_plugin::KnownError kKnownErrors[] = {
    {CUDA_ERROR_OUT_OF_MEMORY, NXS_MemObjectAllocationFailure,
     "release buffers or make smaller ones"},
    {CUDA_ERROR_DEINITIALIZED, NXS_DeviceNotAvailable,
     "the driver has ended, as it does at the end of a process"},
    {46, NXS_DeviceNotAvailable, "another process has the device for itself"},
    {CUDA_ERROR_NO_DEVICE, NXS_DeviceNotAvailable, "check that nvidia-smi lists a GPU"},
    {CUDA_ERROR_INVALID_IMAGE, NXS_InvalidBinary, "give a complete cubin, fatbin or PTX"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, NXS_InvalidBinary,
     "it has no code for this device: compile it for the device's Architecture, or to PTX"},
    {214, NXS_DeviceLost, kStartAgain},  // ECC_UNCORRECTABLE
    {215, NXS_NotSupported, ""},         // UNSUPPORTED_LIMIT
    {CUDA_ERROR_INVALID_PTX, NXS_InvalidBinary, "the PTX is wrong: compile it again"},
    {220, NXS_DeviceLost, kStartAgain},  // NVLINK_UNCORRECTABLE
    {221, NXS_InvalidBinary,
     "the driver's compiler of PTX (libnvidia-ptxjitcompiler) is missing: install the driver "
     "again, or give a cubin for the device's Architecture"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, NXS_InvalidBinary,
     "the PTX is newer than the driver: install a newer driver, compile with an older compiler, or "
     "give a cubin for the device's Architecture"},
    {223, NXS_InvalidBinary,
     "CUDA_DISABLE_PTX_JIT or CUDA_FORCE_... forbids compiling PTX: give a cubin"},
    {226, NXS_DeviceLost, kStartAgain},  // CONTAINED
    {300, NXS_InvalidBinary, ""},        // INVALID_SOURCE
    {401, NXS_InvalidOperation, ""},     // ILLEGAL_STATE
    {CUDA_ERROR_NOT_FOUND, NXS_InvalidKernelName, ""},
    {700, NXS_DeviceLost, kFaulted},  // ILLEGAL_ADDRESS
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, NXS_OutOfResources,
     "a group needs more registers or shared memory than the device has: make the groups smaller"},
    {702, NXS_DeviceLost,
     "the kernel took longer than the system's watchdog allows: start the process again"},
    {709, NXS_DeviceLost, kStartAgain},  // CONTEXT_IS_DESTROYED
    {710, NXS_DeviceLost, kFaulted},     // ASSERT
    {714, NXS_DeviceLost, kFaulted},     // HARDWARE_STACK_ERROR
    {715, NXS_DeviceLost, kFaulted},     // ILLEGAL_INSTRUCTION
    {716, NXS_DeviceLost, kFaulted},     // MISALIGNED_ADDRESS
    {717, NXS_DeviceLost, kFaulted},     // INVALID_ADDRESS_SPACE
    {718, NXS_DeviceLost, kFaulted},     // INVALID_PC
    {719, NXS_DeviceLost, kFaulted},     // LAUNCH_FAILED
    {720, NXS_InvalidGlobalWorkSize,
     "a cooperative launch must fit on the device at once: launch fewer groups"},
    {721, NXS_DeviceLost, kFaulted},  // TENSOR_MEMORY_LEAK
    {CUDA_ERROR_NOT_PERMITTED, NXS_InvalidOperation, ""},
    {CUDA_ERROR_NOT_SUPPORTED, NXS_NotSupported,
     "this device or its driver can't do that: a newer driver may"},
    {802, NXS_DeviceNotAvailable,
     "the system's GPUs are not ready: nvidia-fabricmanager may not be running"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, NXS_DeviceNotAvailable,
     "the driver's library and the kernel's module are of different versions: restart the system"},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, NXS_DeviceNotAvailable,
     "the compatibility libraries of CUDA do not work with this GPU: take them out of "
     "LD_LIBRARY_PATH"},
    {810, NXS_DeviceLost, kStartAgain},  // MPS_CLIENT_TERMINATED
    {CUDA_ERROR_INVALID_CLUSTER_SIZE, NXS_InvalidWorkGroupSize, ""},
    {911, NXS_DeviceLost, kStartAgain},  // EXTERNAL_DEVICE
};

// Returns "CUDA_ERROR_INVALID_VALUE (1)"; "error 9999" for a number that the driver does not know.
std::string error_name(CUresult error) {
  const char *name = nullptr;
  const bool told = cu.GetErrorName != nullptr && cu.GetErrorName(error, &name) == CUDA_SUCCESS;
  return told && name != nullptr ? join(name, " (", error, ")") : join("error ", error);
}

}  // namespace

constexpr nexus_plugin::DriverErrors errors(kKnownErrors,
                                            {.name = error_name,
                                             .otherwise = kUnexpected,
                                             .ended = CUDA_ERROR_DEINITIALIZED,
                                             .more = nexus_plugin::gpu::kCaptureErrors});

}  // namespace nexus_cuda
