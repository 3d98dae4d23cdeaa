// SPDX-License-Identifier: Apache-2.0
// The description that a kernel of the portable language has in its code: see
// nexus-kernel/cuda_description.h.
#ifndef NEXUS_CUDA_KERNEL_DESCRIPTION_HPP_
#define NEXUS_CUDA_KERNEL_DESCRIPTION_HPP_

#include <cstddef>
#include <nexus-plugin/kernel.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::ArgumentDescription;

struct KernelDescription {
  std::vector<ArgumentDescription> arguments;
  std::optional<nexus_plugin::Size3> group_size;  // that it was written for
};

// The name of the variable that describes a kernel.
std::string description_name(const std::string &kernel);

// Throws NXS_InvalidBinary where the bytes are none.
KernelDescription read_description(std::span<const std::byte> bytes, const std::string &kernel);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_KERNEL_DESCRIPTION_HPP_
