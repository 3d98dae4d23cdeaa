// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt.hpp"

#include <nexus/nexus_c.h>

#include <mutex>

#include "base/error.hpp"
#include "base/process.hpp"

namespace nexus::core {
namespace {

struct Check {
  nexus_interrupt_fn function = nullptr;
  void *context = nullptr;
};

Check check;  // under tableMutex

enum Call { Ordinary, CanBeInterrupted, Interrupted };

thread_local int this_call = Ordinary;

}  // namespace

Interruptible::Interruptible() noexcept : outer_(this_call) {
  this_call = CanBeInterrupted;
}

Interruptible::~Interruptible() {
  this_call = outer_;
}

void Interruptible::check() const {
  if (this_call == Interrupted) {
    throw WaitEnded(NXS_Cancelled, "The call was interrupted, and what it had begun was ended.");
  }
}

bool isInterrupted() noexcept {
  if (this_call == CanBeInterrupted) {
    try {
      checkInterrupt();
    } catch (...) {  // any exception cancels the call
      this_call = Interrupted;
    }
  }
  return this_call == Interrupted;
}

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
