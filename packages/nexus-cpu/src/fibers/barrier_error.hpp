// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_BARRIER_ERROR_HPP_
#define NEXUS_CPU_BARRIER_ERROR_HPP_

#include "fibers/fiber_group.hpp"

#include <nexus-plugin/error.hpp>
#include <string>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// Returns "(x, y, z)".
std::string triple(const Item &item);

// Returns the failure as an error with a remedy. group_size: work items of a group in x, y and z.
nexus_plugin::Error barrier_error(std::string_view kernel, const int32_t *group_size,
                                  const BarrierFailure &failure);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_BARRIER_ERROR_HPP_
