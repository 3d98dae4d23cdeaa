// SPDX-License-Identifier: Apache-2.0
#include "driver/error.hpp"

#include "driver/driver.hpp"

namespace nexus_hip NXS_HIDDEN {
namespace {

constexpr std::string_view kStartAgain =
    "the device is of no more use to this process: start the process again";
constexpr std::string_view kFaulted =
    "a kernel did what it must not, and the device is of no more use to this process: start the "
    "process again (rocgdb finds the place)";
constexpr std::string_view kOtherCode =
    "it has no code for this device: compile it for the device's Architecture, and with features "
    "that its TargetID has";
constexpr std::string_view kUnexpected =
    "it should not have: look in the system's log for 'amdgpu', and report it with the versions "
    "that 'nexus info' shows";

constexpr nexus_plugin::KnownError kKnownErrors[] = {
    {hipErrorOutOfMemory, NXS_MemObjectAllocationFailure, false,
     "release buffers or make smaller ones"},
    {hipErrorNotInitialized, NXS_DeviceNotAvailable, false, ""},
    {hipErrorDeinitialized, NXS_DeviceNotAvailable, false,
     "the driver has ended, as it does at the end of a process"},
    {hipErrorInvalidConfiguration, NXS_InvalidWorkGroupSize, false,
     "a group or the whole launch is larger than the device allows"},
    {hipErrorInsufficientDriver, NXS_DeviceNotAvailable, false,
     "the kernel's module amdgpu is too old for this ROCm: install the one that belongs to it"},
    {hipErrorInvalidDeviceFunction, NXS_InvalidBinary, false, kOtherCode},
    {hipErrorNoDevice, NXS_DeviceNotAvailable, false, "check that rocminfo lists a GPU"},
    {hipErrorInvalidImage, NXS_InvalidBinary, false, "give a code object that is whole"},
    {hipErrorNoBinaryForGpu, NXS_InvalidBinary, false, kOtherCode},
    {hipErrorECCNotCorrectable, NXS_DeviceLost, true, kStartAgain},
    {hipErrorUnsupportedLimit, NXS_NotSupported, false, ""},
    {hipErrorPeerAccessUnsupported, NXS_NotSupported, false, ""},
    {hipErrorInvalidKernelFile, NXS_InvalidBinary, false, "give a code object that is whole"},
    {hipErrorInvalidSource, NXS_InvalidBinary, false, ""},
    {hipErrorNotFound, NXS_InvalidKernelName, false, ""},
    {hipErrorIllegalAddress, NXS_DeviceLost, true, kFaulted},
    {hipErrorLaunchOutOfResources, NXS_OutOfResources, false,
     "a group needs more registers or local memory than there are: make the groups smaller"},
    {hipErrorLaunchTimeOut, NXS_DeviceLost, true,
     "the kernel took longer than the system allows: start the process again"},
    {hipErrorContextIsDestroyed, NXS_DeviceLost, true, kStartAgain},
    {hipErrorAssert, NXS_DeviceLost, true, kFaulted},
    {hipErrorLaunchFailure, NXS_DeviceLost, true, kFaulted},
    {hipErrorCooperativeLaunchTooLarge, NXS_InvalidGlobalWorkSize, false,
     "a cooperative launch must fit on the device at once: launch fewer groups"},
    {hipErrorNotSupported, NXS_NotSupported, false,
     "this device or its ROCm can't do that: a newer ROCm may"},
};

// "hipErrorInvalidValue (1)"; "error 9999" for a number that HIP has no name for.
std::string error_name(hipError_t error) {
  const char *name = hip.GetErrorName == nullptr ? nullptr : hip.GetErrorName(error);
  const bool told = name != nullptr && *name != '\0' && std::string_view(name).starts_with("hip");
  return told ? join(name, " (", error, ")") : join("error ", error);
}

}  // namespace

constinit const nexus_plugin::DriverErrors errors(kKnownErrors, {.name = error_name,
                                                                 .otherwise = kUnexpected,
                                                                 .ended = hipErrorDeinitialized});

}  // namespace nexus_hip
