// SPDX-License-Identifier: Apache-2.0
#include "driver/error.hpp"

#include <nexus-plugin/gpu/capture_errors.hpp>

#include "driver/functions.hpp"

namespace nexus_hip NXS_HIDDEN {
namespace {

constexpr std::string_view kStartAgain =
    "the device can't be used by this process any more: start the process again";
constexpr std::string_view kFaulted =
    "a kernel made an invalid access or instruction, and the device can't be used by this process "
    "any more: start the process again (rocgdb finds the place)";
constexpr std::string_view kOtherCode =
    "it has no code for this device: compile it for the device's Architecture, and with features "
    "that its TargetID has";
constexpr std::string_view kUnexpected =
    "this should not happen: look in the system's log for 'amdgpu', and report it with the "
    "versions "
    "that 'nexus info' shows";

constexpr nexus_plugin::KnownError kKnownErrors[] = {
    {hipErrorOutOfMemory, NXS_MemObjectAllocationFailure, "release buffers or make smaller ones"},
    {hipErrorNotInitialized, NXS_DeviceNotAvailable, ""},
    {hipErrorDeinitialized, NXS_DeviceNotAvailable,
     "the driver has ended, as it does at the end of a process"},
    {hipErrorInvalidConfiguration, NXS_InvalidWorkGroupSize,
     "a group or the whole launch is larger than the device allows"},
    {hipErrorInsufficientDriver, NXS_DeviceNotAvailable,
     "the kernel's module amdgpu is too old for this ROCm: install the one that belongs to it"},
    {hipErrorInvalidDeviceFunction, NXS_InvalidBinary, kOtherCode},
    {hipErrorNoDevice, NXS_DeviceNotAvailable, "check that rocminfo lists a GPU"},
    {hipErrorInvalidImage, NXS_InvalidBinary, "give a complete code object"},
    {hipErrorNoBinaryForGpu, NXS_InvalidBinary, kOtherCode},
    {hipErrorECCNotCorrectable, NXS_DeviceLost, kStartAgain},
    {hipErrorUnsupportedLimit, NXS_NotSupported, ""},
    {hipErrorPeerAccessUnsupported, NXS_NotSupported, ""},
    {hipErrorInvalidKernelFile, NXS_InvalidBinary, "give a complete code object"},
    {hipErrorInvalidSource, NXS_InvalidBinary, ""},
    {401, NXS_InvalidOperation, ""},  // IllegalState
    {hipErrorNotFound, NXS_InvalidKernelName, ""},
    {hipErrorIllegalAddress, NXS_DeviceLost, kFaulted},
    {hipErrorLaunchOutOfResources, NXS_OutOfResources,
     "a group needs more registers or local memory than the device has: make the groups smaller"},
    {hipErrorLaunchTimeOut, NXS_DeviceLost,
     "the kernel took longer than the system allows: start the process again"},
    {hipErrorContextIsDestroyed, NXS_InvalidOperation, "the stream was destroyed"},
    {hipErrorAssert, NXS_DeviceLost, kFaulted},
    {hipErrorLaunchFailure, NXS_DeviceLost, kFaulted},
    {hipErrorCooperativeLaunchTooLarge, NXS_InvalidGlobalWorkSize,
     "a cooperative launch must fit on the device at once: launch fewer groups"},
    {hipErrorNotSupported, NXS_NotSupported,
     "this device or its ROCm can't do that: a newer ROCm may"},
};

// Returns "hipErrorInvalidValue (1)"; "error 9999" for a number that HIP has no name for.
std::string error_name(hipError_t error) {
  const char *name = hip.GetErrorName == nullptr ? nullptr : hip.GetErrorName(error);
  const bool told = name != nullptr && *name != '\0' && std::string_view(name).starts_with("hip");
  return told ? join(name, " (", error, ")") : join("error ", error);
}

}  // namespace

constinit const nexus_plugin::DriverErrors errors(kKnownErrors,
                                                  {.name = error_name,
                                                   .otherwise = kUnexpected,
                                                   .ended = hipErrorDeinitialized,
                                                   .more = nexus_plugin::gpu::kCaptureErrors});

}  // namespace nexus_hip
