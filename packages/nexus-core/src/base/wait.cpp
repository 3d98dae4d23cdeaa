// SPDX-License-Identifier: Apache-2.0
#include "base/wait.hpp"

#include <nexus/nexus_c.h>

#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "base/process.hpp"

namespace nexus::core {

namespace {

struct InterruptCheck {
  nexus_interrupt_fn function = nullptr;
  void *context = nullptr;
};

InterruptCheck interrupt_check;  // under tableMutex

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
  InterruptCheck current;
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    current = interrupt_check;
  }
  if (current.function != nullptr && current.function(current.context) != 0) {
    throw WaitEnded(NXS_Cancelled,
                    "The wait was interrupted; the work that it waited for goes on.");
  }
}

namespace {

// "1.5 s" or "20 ms", without trailing zeros.
std::string durationText(uint64_t nanoseconds) {
  const bool seconds = nanoseconds >= 1'000'000'000;
  const uint64_t unit = seconds ? 1'000'000'000 : 1'000'000;
  char digits[48];
  std::snprintf(digits, sizeof(digits), "%" PRIu64 ".%0*" PRIu64, nanoseconds / unit,
                seconds ? 9 : 6, nanoseconds % unit);
  std::string text = digits;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + (seconds ? " s" : " ms");
}

}  // namespace

void throwTimeout(const char *what, uint64_t timeout) {
  const std::string when =
      timeout == 0 ? " has not finished yet" : " did not finish within " + durationText(timeout);
  throw WaitEnded(NXS_Timeout,
                  std::string(what) + when + "; the work goes on, so wait again or longer.");
}

}  // namespace nexus::core

extern "C" void nexus_set_interrupt_check(nexus_interrupt_fn function, void *context) {
  const std::lock_guard<std::mutex> lock(nexus::core::tableMutex());
  nexus::core::interrupt_check = {function, context};
}
