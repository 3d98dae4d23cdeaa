// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_PLAN_HPP_
#define NEXUS_CPU_PLAN_HPP_

#include "execution/work.hpp"

#include <nexus-api/nxs.h>
#include <cstdint>
#include <memory>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

class Schedule;
class Turn;

// A step of a run. Exactly one member is set.
struct Step {
  Turn *enter = nullptr;  // waits until no other run of the schedule is in progress
  Turn *leave = nullptr;
  std::shared_ptr<Work> work;
};

// The steps of a run of a schedule, with those of nested schedules inlined. Immutable, so many runs
// share it. The schedule keeps alive all that it points to.
struct Plan {
  std::vector<Step> steps;
  std::vector<const Schedule *> of;  // the schedule and its nested ones
  uint64_t version = 0;              // the sum of their versions when the plan was made

  bool is_current() const noexcept;
};

using PlanPtr = std::shared_ptr<const Plan>;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PLAN_HPP_
