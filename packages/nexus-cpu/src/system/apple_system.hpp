// SPDX-License-Identifier: Apache-2.0
// Properties of the machine from sysctl, on macOS.
#ifndef NEXUS_CPU_APPLE_SYSTEM_HPP_
#define NEXUS_CPU_APPLE_SYSTEM_HPP_

#if defined(__APPLE__)

#include <nexus-api/nxs.h>
#include <sys/sysctl.h>
#include <cstdint>
#include <string>

namespace nexus_cpu NXS_HIDDEN {

// 0 where there is no such number. Values of 32 bits are read too: the machine is little-endian.
inline uint64_t system_number(const std::string &name) {
  uint64_t value = 0;
  std::size_t size = sizeof(value);
  return sysctlbyname(name.c_str(), &value, &size, nullptr, 0) == 0 ? value : 0;
}

// Empty where there is no such text.
inline std::string system_text(const std::string &name) {
  char text[256] = {};
  std::size_t size = sizeof(text) - 1;
  return sysctlbyname(name.c_str(), text, &size, nullptr, 0) == 0 ? std::string(text)
                                                                  : std::string();
}

}  // namespace nexus_cpu

#endif  // __APPLE__

#endif  // NEXUS_CPU_APPLE_SYSTEM_HPP_
