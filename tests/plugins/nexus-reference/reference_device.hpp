// SPDX-License-Identifier: Apache-2.0
// What a driver brings to another backend: here kernels that are built in
// (reference_kernels.hpp), and libraries that are texts. The first line is
// "nexus-reference 1", each further one the name of a kernel.
#ifndef REFERENCE_DEVICE_HPP_
#define REFERENCE_DEVICE_HPP_

#include "reference_kernels.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace reference NXS_HIDDEN {

struct Library {
  std::vector<std::size_t> kernels;  // places in built_ins
  const BuiltIn &find(std::string_view name) const;
  std::vector<std::string> names() const;  // in alphabetical order
};

// Where the kernel is among those built in.
inline std::size_t find_kernel(std::string_view name) {
  for (std::size_t place = 0; place < std::size(built_ins); ++place) {
    if (built_ins[place].name == name) return place;
  }
  throw Error(NXS_InvalidBinary, "the library names the kernel ", name, ", which is not built in");
}

inline Library parse_library(std::string_view text) {
  constexpr std::string_view head = "nexus-reference 1\n";
  if (!text.starts_with(head) || text.back() != '\n') {
    throw Error(NXS_InvalidBinary,
                "the library does not begin with nexus-reference 1, or is cut short");
  }
  Library library;
  for (text.remove_prefix(head.size()); !text.empty();) {
    const std::string_view name = text.substr(0, text.find('\n'));
    library.kernels.push_back(find_kernel(name));
    text.remove_prefix(name.size() + 1);
  }
  return library;
}

inline std::vector<std::string> Library::names() const {
  std::vector<std::string> names;
  for (const std::size_t place : kernels) names.emplace_back(built_ins[place].name);
  std::sort(names.begin(), names.end());
  return names;
}

inline const BuiltIn &Library::find(std::string_view name) const {
  for (const std::size_t place : kernels) {
    if (built_ins[place].name == name) return built_ins[place];
  }
  throw Error(NXS_InvalidKernelName, "the library has no kernel '", name, "'",
              instead_of(name, names(), "no kernel at all"));
}

inline std::string read_file(std::string_view path) {
  std::ifstream file(std::string(path), std::ios::binary);
  file.peek();  // the first look tells that a folder is none
  if (!file) throw Error(NXS_InvalidValue, "the file ", path, " can't be read; check the path");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace reference

#endif  // REFERENCE_DEVICE_HPP_
