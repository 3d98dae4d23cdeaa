// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_HIP_DEVICES_HPP_
#define NEXUS_SIMULATED_HIP_DEVICES_HPP_

#include "../simulator/context.hpp"
#include "../simulator/device.hpp"
#include "../simulator/stream.hpp"

namespace simulator {

// Starts HIP, at its first call. Throws the fault of any device: HIP 7 returns it from each call on
// every device, and older ones end the process.
void start(Call &call);

// The call is for this thread's current device, the first where none was set; throws where the
// device has failed.
void enter_current_device(Call &call);

// Its processor and settings: "gfx942:sramecc+:xnack-".
std::string target_name(const Device &device);

// What hipGetLastError answers on this thread. From HIP 7 on it stays until it is asked for, before
// that each call replaces it, also by a success or by hipErrorNotReady.
hipError_t &last_error();
hipError_t remember(hipError_t result);

inline int major_version() {
  return world().settings.driver_version / 10000000;
}

// One call of HIP.
template <class Body>
hipError_t device_call(const char *name, Body &&body) noexcept {
  return remember(call(name, Needs::kNothing, [&](Call &call) {
    start(call);
    body(call);
  }));
}

// One that is for the current device.
template <class Body>
hipError_t current_call(const char *name, Body &&body) noexcept {
  return device_call(name, [&](Call &call) {
    enter_current_device(call);
    body(call);
  });
}

// One that is for a stream's device, whichever is current.
template <class Body>
hipError_t stream_call(const char *name, hipStream_t stream, Body &&body) noexcept {
  return current_call(name, [&](Call &call) { body(call, launching_stream(call, stream)); });
}

}  // namespace simulator

#endif  // NEXUS_SIMULATED_HIP_DEVICES_HPP_
