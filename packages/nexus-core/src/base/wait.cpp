// SPDX-License-Identifier: Apache-2.0
#include "base/wait.hpp"

#include <cinttypes>
#include <cstdio>
#include <string>

#include "base/error.hpp"

namespace nexus::core {
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
