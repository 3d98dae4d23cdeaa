// SPDX-License-Identifier: Apache-2.0
//
// Whether arguments fit what a kernel says. libnexus checks what programs give, and the layer
// `validate` what a plug-in is given.
#pragma once

#include <nexus-api/nxs.h>

#include "checks/kernel_info.hpp"

namespace nexus::core {

/// A command has arguments 0 to 63.
inline constexpr uint32_t kMaxArguments = 64;

/// Throws where an argument's kind, width or data type is not what the kernel says:
/// NXS_InvalidArgIndex, NXS_InvalidArgValue, NXS_InvalidArgSize. read_only: the buffer is.
void checkArgument(const KernelInfo &kernel, uint32_t index, const nxs_argument &argument,
                   bool read_only = false);

/// Throws NXS_InvalidArgIndex for an argument that the kernel does not have, where it describes
/// itself, or beyond the last that a command has: what was given can't be taken away again.
void checkArgumentIndex(const KernelInfo &kernel, uint32_t index);

/// Throws NXS_InvalidKernelArgs: the argument was not given.
[[noreturn]] void refuseMissing(const KernelInfo &kernel, uint32_t index);

/// Throws NXS_InvalidKernelArgs where one is missing. count: beyond it none is given;
/// is_given(index): whether one before is.
template <typename IsGiven>
void checkArguments(const KernelInfo &kernel, std::size_t count, IsGiven &&is_given) {
  const std::size_t wanted = kernel.argument_count.value_or(static_cast<uint32_t>(count));
  for (uint32_t i = 0; i < wanted; ++i) {
    if (i >= count || !is_given(i)) refuseMissing(kernel, i);
  }
}

}  // namespace nexus::core
