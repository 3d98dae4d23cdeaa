// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_CONTAINER_LIMIT_HPP_
#define NEXUS_CPU_CONTAINER_LIMIT_HPP_

#include <nexus-api/nxs.h>
#include <string>

namespace nexus_cpu NXS_HIDDEN {

// The processors' worth of time that control groups (cgroups, version 1 and 2) leave this
// process, rounded up; 0 where they set no limit. A limit holds for the groups inside, so the
// smallest counts. root is "/" except in tests.
unsigned container_limit(const std::string &root);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CONTAINER_LIMIT_HPP_
