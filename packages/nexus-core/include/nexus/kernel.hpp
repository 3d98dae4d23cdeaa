// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_KERNEL_HPP_
#define NEXUS_KERNEL_HPP_

#include <nexus/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nexus {

/// What a kernel says of one of its arguments.
struct Argument {
  std::string name;  ///< May be empty.
  nxs_argument_kind kind;
  nxs_data_type dataType;  ///< Of the scalar, or of the buffer's elements.
  std::uint64_t size;      ///< Bytes of a scalar, 0 for others.
  std::string type;        ///< As the program has it, such as "const float *"; may be empty.
};

/// A function that runs on a device. Made by Library::getKernel; keeps its library alive.
class Kernel : public Object {
 public:
  Kernel() noexcept = default;
  /// Takes over the caller's reference.
  explicit Kernel(nexus_kernel *object) noexcept : Object(object) {}

  std::string getName() const { return getProperty<std::string>(NP_Name); }

  /// How many arguments there are, or nothing where the kernel does not describe itself.
  std::optional<std::uint32_t> getArgumentCount() const {
    std::uint32_t count = 0;
    const nxs_status status = nexus_kernel_get_argument_count(get(), &count);
    if (status == NXS_KernelArgInfoNotAvailable || status == NXS_NotSupported) {
      return std::nullopt;
    }
    detail::check(status);
    return count;
  }

  /// What the kernel says of one argument. NXS_KernelArgInfoNotAvailable where it says nothing,
  /// NXS_InvalidArgIndex where it has no such argument.
  Argument getArgument(std::uint32_t index) const {
    nxs_argument_info info{};
    info.struct_size = sizeof(info);
    detail::check(nexus_kernel_get_argument(get(), index, &info));
    return {std::string(detail::toView(info.name)), info.kind, info.data_type, info.size,
            std::string(detail::toView(info.type))};
  }

  /// The arguments in order, or nothing where the kernel does not describe itself.
  std::optional<std::vector<Argument>> getArguments() const {
    const std::optional<std::uint32_t> count = getArgumentCount();
    if (!count) {
      return std::nullopt;
    }
    std::vector<Argument> arguments;
    arguments.reserve(*count);
    for (std::uint32_t index = 0; index < *count; ++index) {
      arguments.push_back(getArgument(index));
    }
    return arguments;
  }
};

}  // namespace nexus

#endif  // NEXUS_KERNEL_HPP_
