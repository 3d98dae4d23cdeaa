// SPDX-License-Identifier: Apache-2.0
#include "wait.hpp"

#include <nexus/nexus_c.h>

#include <mutex>
#include <string>

#include "error.hpp"
#include "process.hpp"

namespace nexus::core {
namespace {

// Under tableMutex.
nexus_interrupt_fn interrupt_function = nullptr;
void *interrupt_context = nullptr;

}  // namespace

void checkInterrupt() {
  nexus_interrupt_fn function = nullptr;
  void *context = nullptr;
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    function = interrupt_function;
    context = interrupt_context;
  }
  if (function != nullptr && function(context) != 0) {
    throw Failure(NXS_Cancelled,
                  "The wait was interrupted; the work that it waited for goes on, so wait again "
                  "for its end.");
  }
}

void throwTimeout(const char *what, uint64_t timeout) {
  throw Failure(NXS_Timeout, std::string(what) + " did not finish within " +
                                 std::to_string(timeout) +
                                 " nanoseconds; the work goes on, so wait again or longer.");
}

}  // namespace nexus::core

void nexus_set_interrupt_check(nexus_interrupt_fn function, void *context) {
  const std::lock_guard<std::mutex> lock(nexus::core::tableMutex());
  nexus::core::interrupt_function = function;
  nexus::core::interrupt_context = context;
}
