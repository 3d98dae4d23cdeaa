// SPDX-License-Identifier: Apache-2.0
// The description that a kernel of the portable language has in its code for CUDA and HIP: see
// nexus-kernel/cuda_description.h.
#ifndef NEXUS_PLUGIN_KERNEL_DESCRIPTION_HPP_
#define NEXUS_PLUGIN_KERNEL_DESCRIPTION_HPP_

#include <nexus-plugin/kernel/kernel.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

struct KernelDescription {
  std::vector<ArgumentDescription> arguments;
  std::optional<Size3> group_size;  // if the kernel requires one
};

namespace detail {

[[noreturn]] inline void throw_damaged_description(std::string_view kernel) {
  throw Error(NXS_InvalidBinary, "the description of the kernel '", kernel,
              "' is damaged; compile the program again");
}

}  // namespace detail

// Reads the bytes of the variable nexus_kernel_<kernel>. Throws NXS_InvalidBinary.
inline KernelDescription read_description(std::span<const std::byte> bytes,
                                          std::string_view kernel) {
  constexpr int32_t kVersion = 1;
  const auto number = [&] {
    int32_t value = 0;
    if (bytes.size() < sizeof(value)) detail::throw_damaged_description(kernel);
    std::memcpy(&value, bytes.data(), sizeof(value));
    bytes = bytes.subspan(sizeof(value));
    return value;
  };
  const auto text = [&] {
    const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
    if (end == bytes.end()) detail::throw_damaged_description(kernel);
    const auto size = static_cast<std::size_t>(end - bytes.begin());
    std::string read(reinterpret_cast<const char *>(bytes.data()), size);
    bytes = bytes.subspan(size + 1);
    return read;
  };
  const int32_t version = number();
  if (version != kVersion) {
    throw Error(NXS_InvalidBinary, "the description of the kernel '", kernel, "' has version ",
                version, ", and this backend reads ", kVersion, "; compile the program again");
  }
  const int32_t count = number();
  if (count < 0 || count > static_cast<int32_t>(kMaxArguments)) {
    detail::throw_damaged_description(kernel);
  }
  KernelDescription made;
  Size3 group{};
  for (uint64_t &size : group) size = static_cast<uint64_t>(std::max(number(), 0));
  if (group[0] != 0) made.group_size = group;
  (void)number();  // bytes of its arrays, which the driver tells too
  for (int32_t i = 0; i < count; ++i) {
    ArgumentDescription argument;
    argument.kind = number();
    argument.data_type = number();
    argument.size = static_cast<uint64_t>(std::max(number(), 0));
    (void)number();  // read_only
    if (argument.kind < NXS_ArgumentKind_Buffer || argument.kind > NXS_ArgumentKind_LocalMemory) {
      detail::throw_damaged_description(kernel);
    }
    made.arguments.push_back(std::move(argument));
  }
  for (int i = 0; i < 4; ++i) (void)number();  // the entry that ends the list
  for (ArgumentDescription &argument : made.arguments) {
    argument.name = text();
    argument.type = text();
  }
  return made;
}

// Throws NXS_InvalidBinary unless the code's parameters, of these sizes in bytes, are what the
// description says, with the size of the grid behind them.
inline void check_description(const KernelDescription &description,
                              const std::vector<uint64_t> &sizes, std::string_view kernel) {
  constexpr uint64_t kAddressSize = 8, kOffsetSize = 4, kGridSize = 12;  // bytes of parameters
  const std::vector<ArgumentDescription> &arguments = description.arguments;
  bool fits = sizes.size() == arguments.size() + 1 && sizes.back() == kGridSize;
  for (std::size_t i = 0; fits && i < arguments.size(); ++i) {
    const uint64_t size = arguments[i].kind == NXS_ArgumentKind_Buffer        ? kAddressSize
                          : arguments[i].kind == NXS_ArgumentKind_LocalMemory ? kOffsetSize
                                                                              : arguments[i].size;
    fits = sizes[i] == size;
  }
  if (fits) return;
  throw Error(NXS_InvalidBinary, "the kernel '", kernel,
              "' has other parameters than its description says; compile the program again");
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_KERNEL_DESCRIPTION_HPP_
