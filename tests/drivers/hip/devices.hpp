// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_HIP_DEVICES_HPP_
#define NEXUS_SIMULATED_HIP_DEVICES_HPP_

#include "../simulator/context.hpp"
#include "../simulator/device.hpp"

namespace simulator {

// One call of HIP, whose first one starts it.
template <class Body>
hipError_t device_call(const char *name, Body &&body) noexcept {
  return call(name, Needs::kNothing, [&](Call &call) {
    if (!world().initialised) world().start();
    body(call);
  });
}

// The call is for this thread's current device, the first where none was set; throws where the
// device has failed.
void enter_current_device(Call &call);

}  // namespace simulator

#endif  // NEXUS_SIMULATED_HIP_DEVICES_HPP_
