// SPDX-License-Identifier: Apache-2.0
// Stands for a driver: its kernels are built in (reference_kernels.hpp), and its libraries are
// texts. The first line of a library is "nexus-reference 1", each further one the name of a kernel.
#ifndef REFERENCE_DEVICE_HPP_
#define REFERENCE_DEVICE_HPP_

#include "reference_kernels.hpp"

#include <algorithm>
#include <iterator>

namespace reference NXS_HIDDEN {

inline constexpr uint64_t kMaxGroupItems = 1024;
inline constexpr uint64_t kMaxLocalMemory = 32768;  // bytes of a group

// Returns the kernel's index in built_ins. Throws NXS_InvalidBinary if there is none of that name.
inline std::size_t find_kernel(std::string_view name) {
  for (std::size_t place = 0; place < std::size(built_ins); ++place) {
    if (built_ins[place].name == name) return place;
  }
  throw Error(NXS_InvalidBinary, "the library names the kernel ", name, ", which is not built in");
}

// Returns the indices in built_ins of a library's kernels. Throws NXS_InvalidBinary.
inline std::vector<std::size_t> parse_library(std::string_view text) {
  constexpr std::string_view head = "nexus-reference 1\n";
  if (!text.starts_with(head) || text.back() != '\n') {
    throw Error(NXS_InvalidBinary,
                "the library does not begin with nexus-reference 1, or is cut short");
  }
  std::vector<std::size_t> kernels;
  for (text.remove_prefix(head.size()); !text.empty();) {
    const std::string_view name = text.substr(0, text.find('\n'));
    kernels.push_back(find_kernel(name));
    text.remove_prefix(name.size() + 1);
  }
  return kernels;
}

// Returns the names of kernels in alphabetical order.
inline std::vector<std::string> names_of(const std::vector<std::size_t> &kernels) {
  std::vector<std::string> names;
  for (const std::size_t place : kernels) names.emplace_back(built_ins[place].name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace reference

#endif  // REFERENCE_DEVICE_HPP_
