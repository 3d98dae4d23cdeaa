// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_FAILURE_HPP_
#define NEXUS_SIMULATOR_FAILURE_HPP_

#include "driver.hpp"

#include <string>

namespace simulator {

// Thrown inside a function of the driver, which returns the result.
struct Failure {
  Result result;
};

[[noreturn]] inline void fail(Result result) {
  throw Failure{result};
}

inline void require(bool condition, Result otherwise = kInvalidValue) {
  if (!condition) fail(otherwise);
}

// Records misuse for tests (simulated_misuse), and fails. A real driver may crash.
[[noreturn]] void misused(const std::string &what, Result result = kInvalidHandle);

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_FAILURE_HPP_
