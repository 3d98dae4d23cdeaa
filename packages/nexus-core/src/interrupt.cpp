// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <nexus/nexus_c.h>

#include <mutex>

#include "error.hpp"
#include "process.hpp"

namespace nexus::core {
namespace {

struct Check {
  nexus_interrupt_fn function = nullptr;
  void *context = nullptr;
};

Check check;  // under tableMutex

}  // namespace

void checkInterrupt() {
  Check current;
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    current = check;
  }
  if (current.function != nullptr && current.function(current.context) != 0) {
    throw WaitEnded(NXS_Cancelled,
                    "The wait was interrupted; the work that it waited for goes on.");
  }
}

}  // namespace nexus::core

extern "C" void nexus_set_interrupt_check(nexus_interrupt_fn function, void *context) {
  const std::lock_guard<std::mutex> lock(nexus::core::tableMutex());
  nexus::core::check = {function, context};
}
