// SPDX-License-Identifier: Apache-2.0
// A placeholder for a driver. Its kernels are built in (reference_kernels.hpp), and its libraries
// are texts. The first line of a library is "nexus-reference 1", each further one the name of a
// kernel.
#ifndef REFERENCE_DEVICE_HPP_
#define REFERENCE_DEVICE_HPP_

#include "reference_kernels.hpp"

#include <algorithm>
#include <iterator>

namespace reference NXS_HIDDEN {

inline constexpr uint64_t kMaxGroupItems = 1024;
inline constexpr uint64_t kMaxLocalMemory = 32768;  // bytes of a group

// Returns the built-in kernel of that name; NULL if there is none.
inline const BuiltIn *find_built_in(std::string_view name) {
  const auto *found = std::find_if(std::begin(built_ins), std::end(built_ins),
                                   [&](const BuiltIn &each) { return each.name == name; });
  return found == std::end(built_ins) ? nullptr : found;
}

// Returns the indices in built_ins of a library's kernels. Throws NXS_InvalidBinary.
inline std::vector<std::size_t> parse_library(std::string_view text) {
  constexpr std::string_view head = "nexus-reference 1\n";
  if (!text.starts_with(head) || text.back() != '\n') {
    throw Error(NXS_InvalidBinary,
                "the library does not begin with nexus-reference 1, or is truncated");
  }
  std::vector<std::size_t> kernels;
  for (text.remove_prefix(head.size()); !text.empty();) {
    const std::string_view name = text.substr(0, text.find('\n'));
    const BuiltIn *kernel = find_built_in(name);
    if (kernel == nullptr) {
      throw Error(NXS_InvalidBinary, "the library names the kernel ", name,
                  ", which is not built in");
    }
    kernels.push_back(static_cast<std::size_t>(kernel - built_ins));
    text.remove_prefix(name.size() + 1);
  }
  return kernels;
}

}  // namespace reference

#endif  // REFERENCE_DEVICE_HPP_
