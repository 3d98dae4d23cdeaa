// SPDX-License-Identifier: Apache-2.0
#include "wait.hpp"

#include <string>

#include "error.hpp"

namespace nexus::core {

void throwTimeout(const char *what, uint64_t timeout) {
  throw Failure(NXS_Timeout, std::string(what) + " did not finish within " +
                                 std::to_string(timeout) +
                                 " nanoseconds; the work goes on, so wait again or longer.");
}

}  // namespace nexus::core
