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
  std::optional<Size3> group_size;  // that it was written for
};

namespace detail {

[[noreturn]] inline void throw_damaged_description(std::string_view kernel) {
  throw Error(NXS_InvalidBinary, "the description of the kernel '", kernel,
              "' is damaged; compile the program again");
}

// Reads one number, or one text, after the other.
class DescriptionReader {
 public:
  DescriptionReader(std::span<const std::byte> bytes, std::string_view kernel)
      : bytes_(bytes), kernel_(kernel) {}

  int32_t number() {
    int32_t value = 0;
    if (bytes_.size() < sizeof(value)) throw_damaged_description(kernel_);
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_ = bytes_.subspan(sizeof(value));
    return value;
  }

  std::string text() {
    const auto end = std::find(bytes_.begin(), bytes_.end(), std::byte{0});
    if (end == bytes_.end()) throw_damaged_description(kernel_);
    const auto size = static_cast<std::size_t>(end - bytes_.begin());
    std::string read(reinterpret_cast<const char *>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size + 1);
    return read;
  }

 private:
  std::span<const std::byte> bytes_;
  std::string_view kernel_;
};

}  // namespace detail

// Reads the bytes of the variable nexus_kernel_<kernel>. Throws NXS_InvalidBinary where they are no
// description.
inline KernelDescription read_description(std::span<const std::byte> bytes,
                                          std::string_view kernel) {
  constexpr int32_t kVersion = 1;
  detail::DescriptionReader reader(bytes, kernel);
  const int32_t version = reader.number();
  if (version != kVersion) {
    throw Error(NXS_InvalidBinary, "the kernel '", kernel, "' describes itself in version ",
                version, ", and this backend reads ", kVersion, "; compile the program again");
  }
  const int32_t count = reader.number();
  if (count < 0 || count > static_cast<int32_t>(kMaxArguments)) {
    detail::throw_damaged_description(kernel);
  }
  KernelDescription made;
  Size3 group{};
  for (uint64_t &size : group) size = static_cast<uint64_t>(std::max(reader.number(), 0));
  if (group[0] != 0) made.group_size = group;
  (void)reader.number();  // the arrays that it declares: the driver counts them too
  for (int32_t i = 0; i < count; ++i) {
    ArgumentDescription argument;
    argument.kind = reader.number();
    argument.data_type = reader.number();
    argument.size = static_cast<uint64_t>(std::max(reader.number(), 0));
    (void)reader.number();  // read_only
    if (argument.kind < NXS_ArgumentKind_Buffer || argument.kind > NXS_ArgumentKind_LocalMemory) {
      detail::throw_damaged_description(kernel);
    }
    made.arguments.push_back(std::move(argument));
  }
  for (int i = 0; i < 4; ++i) (void)reader.number();  // the entry that ends the list
  for (ArgumentDescription &argument : made.arguments) {
    argument.name = reader.text();
    argument.type = reader.text();
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
