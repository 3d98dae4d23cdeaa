// SPDX-License-Identifier: Apache-2.0
#include "compile/target.hpp"

#include <algorithm>

#include "device/selector.hpp"
#include "registry/manifest.hpp"

namespace nexus::core {
namespace {

bool isAllDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char letter) { return letter >= '0' && letter <= '9'; });
}

}  // namespace

Target targetOf(nexus_device *device, std::string_view text) {
  if (device != nullptr) {
    return {&given<Device>(device, "device"), std::string(text)};
  }
  const std::size_t colon = text.find(':');
  const std::string_view backend = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (!text.empty() &&
      (!isBackendName(backend) || (colon != std::string_view::npos && rest.empty()))) {
    throw Failure(NXS_InvalidValue,
                  "target is '" + std::string(text) +
                      "', which is no target; give a device such as 'cpu' or 'cuda:1', or a "
                      "backend and an architecture, such as 'cpu:znver4' or 'cuda:sm_90'.");
  }
  const bool named = !isAllDigits(rest);
  nexus_device *found = selectDevice(named ? backend : text);
  return {&given<Device>(found, "target"), named ? std::string(rest) : std::string()};
}

}  // namespace nexus::core
