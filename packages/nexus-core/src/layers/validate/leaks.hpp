// SPDX-License-Identifier: Apache-2.0
//
// What was not released.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nexus::core::layers::validation {

/// Objects of one kind that were made at one place.
struct Leak {
  uint32_t tag;
  std::string text;
};

/// The objects that live, but for those of libnexus's own.
std::vector<Leak> leaks();

/// While one lives, what its thread makes is libnexus's own, which it keeps to the end.
class OwnObjects {
 public:
  OwnObjects() noexcept;
  ~OwnObjects();
  OwnObjects(const OwnObjects &) = delete;
  OwnObjects &operator=(const OwnObjects &) = delete;

  static bool present() noexcept;
};

}  // namespace nexus::core::layers::validation
