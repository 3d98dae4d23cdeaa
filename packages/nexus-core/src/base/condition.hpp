// SPDX-License-Identifier: Apache-2.0
//
// A condition variable of an object that the child of a fork() may end.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "base/process.hpp"

namespace nexus::core {

/// Its end in the child of a fork() leaves the variable as it is: that of glibc would wait for the
/// parent's threads that waited, which the child does not have.
class Condition {
 public:
  Condition() : variable_() {}
  ~Condition() {
    if (generation_ == processGeneration()) variable_.~condition_variable();
  }
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;

  std::condition_variable *operator->() noexcept { return &variable_; }

 private:
  const uint64_t generation_ = processGeneration();
  union {
    std::condition_variable variable_;
  };
};

}  // namespace nexus::core
