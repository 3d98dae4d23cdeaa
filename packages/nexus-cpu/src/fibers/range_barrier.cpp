// SPDX-License-Identifier: Apache-2.0
#include "fibers/range_barrier.hpp"

#include "fibers/fiber_group.hpp"

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Runs on a fiber.
void run_range_item(const void *group, const int32_t *item) {
  const auto *of = static_cast<const nexus_cpu_group *>(group);
  of->run_item(of, item);
}

}  // namespace

void reach_range_barrier(nexus_cpu_group *group, const nexus_int32 *item, nexus_int32 site) {
  FiberGroup &groups = *static_cast<FiberGroup *>(group->range->context);
  if (groups.on_fiber() || group->others_done != 0) return groups.wait(site);
  groups.start({run_range_item, group, {group->id[0], group->id[1], group->id[2]}}, item, site);
  group->others_done = 1;
}

}  // namespace nexus_cpu
