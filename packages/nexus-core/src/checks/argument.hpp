// SPDX-License-Identifier: Apache-2.0
//
// Checks arguments against the description of a kernel: those that programs give to libnexus, and
// in the layer `validate` those that a plug-in gets.
#pragma once

#include <nexus-api/nxs.h>

#include "checks/kernel_info.hpp"

namespace nexus::core {

/// A command has arguments 0 to 63.
inline constexpr uint32_t kMaxArguments = 64;

/// Throws NXS_InvalidArgIndex, NXS_InvalidArgValue or NXS_InvalidArgSize if an argument has not the
/// kind, size or data type that the kernel declares. read_only: the argument is a read-only buffer.
void checkArgument(const KernelInfo &kernel, uint32_t index, const nxs_argument &argument,
                   bool read_only = false);

/// Throws NXS_InvalidArgIndex for an argument that a described kernel does not have, or beyond the
/// last that a command can have, since a given argument can't be removed again.
void checkArgumentIndex(const KernelInfo &kernel, uint32_t index);

/// Throws NXS_InvalidKernelArgs for an argument that was not given.
[[noreturn]] void refuseMissing(const KernelInfo &kernel, uint32_t index);

/// Throws NXS_InvalidKernelArgs if an argument is missing. is_given(index) says whether one with an
/// index below count was given; none above was.
template <typename IsGiven>
void checkArguments(const KernelInfo &kernel, std::size_t count, IsGiven &&is_given) {
  const std::size_t wanted = kernel.argument_count.value_or(static_cast<uint32_t>(count));
  for (uint32_t i = 0; i < wanted; ++i) {
    if (i >= count || !is_given(i)) refuseMissing(kernel, i);
  }
}

}  // namespace nexus::core
