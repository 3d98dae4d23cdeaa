// SPDX-License-Identifier: Apache-2.0
//
// Backends that lack something: the reference backend's functions under another name.
#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "objects.hpp"
#include "registry/plugin.hpp"

namespace objects {

/// The device of the reference backend as one that lacks these NXS_Capability_ bits. Of another
/// runtime than reference:0, so that events between both go from one backend to another.
inline Object deviceWithout(uint64_t capabilities) {
  const Object whole = device("reference:0");
  auto *lacking =
      new nexus::core::Plugin(static_cast<nexus::core::Device *>(whole.get())->plugin());
  lacking->name = "lacking";
  lacking->capabilities &= ~capabilities;
  Object on;
  CHECK_OK(nexus_runtime_get_device(&nexus::core::runtimeOf(*lacking), 0, on.out()));
  return on;
}

}  // namespace objects
