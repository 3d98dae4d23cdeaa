// SPDX-License-Identifier: Apache-2.0
//
// A condition variable of an object that may be destroyed in the child of a fork().
#pragma once

#include <condition_variable>
#include <cstdint>

#include "base/process.hpp"

namespace nexus::core {

/// In the child of a fork() the destructor leaves the variable as it is: glibc's would wait for
/// waiting threads of the parent, which the child does not have.
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
