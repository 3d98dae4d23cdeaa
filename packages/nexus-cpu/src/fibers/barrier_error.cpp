// SPDX-License-Identifier: Apache-2.0
#include "fibers/barrier_error.hpp"

#include <nexus-plugin/text.hpp>
#include <string>
#include <system_error>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

// Kernels with the plain C convention do not report which barrier it is: site 0.
std::string place(int32_t site) {
  return site == 0 ? std::string("a barrier") : join("the barrier in line ", site);
}

Error divergence(std::string_view kernel, const BarrierFailure &failure, const std::string &other) {
  return Error(NXS_InvalidKernelDefinition, "the kernel '", kernel, "': work item ",
               triple(failure.waiting), " of group ", triple(failure.group), " waits at ",
               place(failure.site), ", and item ", triple(failure.other), " of the group ", other,
               "; every item of a group must reach the same barriers, so move the barrier out of "
               "what only some of them go through");
}

}  // namespace

std::string triple(const Item &item) {
  return join("(", item[0], ", ", item[1], ", ", item[2], ")");
}

Error barrier_error(std::string_view kernel, const int32_t *group_size,
                    const BarrierFailure &failure) {
  switch (failure.kind) {
    case BarrierFailure::Kind::kEnded:
      return divergence(kernel, failure, "ended without reaching it");
    case BarrierFailure::Kind::kSites:
      return divergence(kernel, failure, join("at ", place(failure.other_site)));
    case BarrierFailure::Kind::kNested:
      return Error(NXS_InvalidOperation, "the kernel '", kernel,
                   "' was run by a work item of another kernel that waits at barriers; run it from "
                   "the host");
    case BarrierFailure::Kind::kMemory:
      break;
  }
  return Error(NXS_OutOfResources, "the kernel '", kernel,
               "' has barriers, and there is no memory for the stacks of a group of ",
               group_size[0], " x ", group_size[1], " x ", group_size[2], " work items, ",
               fiber_stack_size(), " bytes each (", std::generic_category().message(failure.reason),
               "); launch smaller groups, or set NEXUS_CPU_FIBER_STACK or NEXUS_CPU_THREADS lower");
}

}  // namespace nexus_cpu
