// SPDX-License-Identifier: Apache-2.0
// How programs start HIP, and devices.
#include "devices.hpp"

#include <cstdio>
#include <cstring>
#include <utility>

using namespace simulator;

namespace {

const char *name_of(hipError_t result) {
  switch (result) {
#define HIP_RESULT(name, number) \
  case name:                     \
    return #name;
#include "results.def"
  }
  return "hipErrorUnknown";
}

constexpr char kName[] = "Simulated GPU";

template <class Properties>
hipError_t tell_properties(const char *function, Properties *out, int ordinal) {
  return device_call(function, [&](Call &) {
    const Device &device = device_of(ordinal);
    Properties told{};
    std::snprintf(told.name, sizeof(told.name), "%s", kName);
    std::snprintf(told.gcnArchName, sizeof(told.gcnArchName), "%s", target_name(device).c_str());
    told.totalGlobalMem = device.memory();
    told.warpSize = device.attribute(kWarpSize);
    give(out, told);
  });
}

}  // namespace

void simulator::start(Call &) {
  World &all = world();
  if (!all.initialised) all.start();
  for (const auto &[handle, context] : all.contexts.all()) {
    require(context->failure() == kSuccess, context->failure());
  }
}

std::string simulator::target_name(const Device &device) {
  return "gfx" + std::to_string(device.architecture()) +
         (device.attribute(kWarpSize) == 64 ? ":sramecc+:xnack-" : "");
}

void simulator::enter_current_device(Call &call) {
  Context *const current = current_context();
  Device &device = current == nullptr ? device_of(0) : current->device();
  context_stack().assign(1, &primary_context(device));
  const Result result = call.enter(current_context());
  require(result == kSuccess, result);
}

hipError_t &simulator::last_error() {
  thread_local hipError_t last = hipSuccess;
  return last;
}

hipError_t simulator::remember(hipError_t result) {
  const bool fault = result != hipSuccess && result != hipErrorNotReady;
  if (fault || major_version() < 7) last_error() = result;
  return result;
}

// ---- The runtime ----

SIMULATED_EXPORT hipError_t hipInit(unsigned flags) {
  return device_call("hipInit", [&](Call &) { require(flags == 0); });
}

SIMULATED_EXPORT hipError_t hipRuntimeGetVersion(int *out_version) {
  return call("hipRuntimeGetVersion", Needs::kNothing,
              [&](Call &) { give(out_version, world().settings.driver_version); });
}

SIMULATED_EXPORT const char *hipGetErrorName(hipError_t result) {
  return name_of(result);
}

SIMULATED_EXPORT hipError_t hipGetLastError() {
  const hipError_t planned = call("hipGetLastError", Needs::kNothing, [](Call &) {});
  return planned == hipSuccess ? std::exchange(last_error(), hipSuccess) : planned;
}

// ---- Devices ----

SIMULATED_EXPORT hipError_t hipGetDeviceCount(int *out_count) {
  return device_call("hipGetDeviceCount",
                     [&](Call &) { give(out_count, static_cast<int>(world().devices.size())); });
}

SIMULATED_EXPORT hipError_t hipSetDevice(int ordinal) {
  return device_call("hipSetDevice", [&](Call &) {
    context_stack().assign(1, &primary_context(device_of(ordinal)));
  });
}

SIMULATED_EXPORT hipError_t hipGetDevice(int *out_ordinal) {
  return device_call("hipGetDevice", [&](Call &) {
    const Context *current = current_context();
    give(out_ordinal, current == nullptr ? 0 : current->device().ordinal());
  });
}

// Frees what was made on the current device, for the tests of this simulation.
SIMULATED_EXPORT hipError_t hipDeviceReset() {
  return current_call("hipDeviceReset", [](Call &call) { call.context->destroy(call); });
}

SIMULATED_EXPORT hipError_t hipDeviceGetName(char *out_name, int capacity, int device) {
  return device_call("hipDeviceGetName", [&](Call &) {
    (void)device_of(device);
    require(out_name != nullptr && capacity > 0);
    std::snprintf(out_name, static_cast<size_t>(capacity), "%s", kName);
  });
}

SIMULATED_EXPORT hipError_t hipDeviceTotalMem(size_t *out_bytes, int device) {
  return device_call("hipDeviceTotalMem", [&](Call &) {
    give(out_bytes, static_cast<size_t>(device_of(device).memory()));
  });
}

SIMULATED_EXPORT hipError_t hipDeviceGetUuid(hipUUID *out_uuid, int device) {
  return device_call("hipDeviceGetUuid", [&](Call &) {
    hipUUID uuid;
    std::memcpy(uuid.bytes, uuid_of(device_of(device).number()).data(), sizeof(uuid.bytes));
    give(out_uuid, uuid);
  });
}

SIMULATED_EXPORT hipError_t hipDeviceGetPCIBusId(char *out_address, int capacity, int device) {
  return device_call("hipDeviceGetPCIBusId", [&](Call &) {
    constexpr int kShortest = 13;
    require(out_address != nullptr && capacity >= kShortest);
    std::snprintf(out_address, static_cast<size_t>(capacity), "0000:%02x:00.0",
                  static_cast<unsigned>(device_of(device).attribute(kPciBus)));
  });
}

SIMULATED_EXPORT hipError_t hipDeviceGetAttribute(int *out_value, hipDeviceAttribute_t attribute,
                                                  int device) {
  return device_call("hipDeviceGetAttribute",
                     [&](Call &) { give(out_value, device_of(device).attribute(attribute)); });
}

SIMULATED_EXPORT hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *out, int device) {
  return tell_properties("hipGetDevicePropertiesR0600", out, device);
}

SIMULATED_EXPORT hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000 *out, int device) {
  return tell_properties("hipGetDevicePropertiesR0000", out, device);
}

SIMULATED_EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *out, int device) {
  return tell_properties("hipGetDeviceProperties", out, device);
}

SIMULATED_EXPORT hipError_t hipDeviceCanAccessPeer(int *out_can, int device, int peer) {
  return device_call("hipDeviceCanAccessPeer", [&](Call &) {
    give(out_can, reach(device_of(device), device_of(peer)) ? 1 : 0);
  });
}

SIMULATED_EXPORT hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return current_call("hipDeviceEnablePeerAccess", [&](Call &call) {
    require(flags == 0);
    Device &other = device_of(peer);
    require(reach(call.context->device(), other), hipErrorInvalidDevice);
    const bool added = call.context->peers.insert(&primary_context(other)).second;
    require(added, hipErrorPeerAccessAlreadyEnabled);
  });
}

SIMULATED_EXPORT hipError_t hipDeviceGetStreamPriorityRange(int *out_least, int *out_greatest) {
  return current_call("hipDeviceGetStreamPriorityRange", [&](Call &) {
    if (out_least != nullptr) *out_least = 1;
    if (out_greatest != nullptr) *out_greatest = -1;
  });
}
