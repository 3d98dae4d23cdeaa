// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_PLANNED_FAILURE_HPP_
#define NEXUS_SIMULATED_PLANNED_FAILURE_HPP_

#include <cstdlib>
#include <string>

namespace simulated_kernels {

// What a function is to return at once, by a variable such as "nvrtcVersion:6,nvrtcGetPTX:1" that
// is read at each call; 0 if it says nothing of the function.
inline int planned_failure(const char *variable, const char *function) {
  const char *text = std::getenv(variable);
  const std::string plan = text == nullptr ? "" : "," + std::string(text);
  const auto at = plan.find("," + std::string(function) + ":");
  return at == std::string::npos ? 0 : std::atoi(plan.c_str() + plan.find(':', at) + 1);
}

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_PLANNED_FAILURE_HPP_
