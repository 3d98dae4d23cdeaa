// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_BOUNDS_ERROR_HPP_
#define NEXUS_CPU_BOUNDS_ERROR_HPP_

#include "execution/buffer.hpp"
#include "execution/fault.hpp"
#include "fibers/fiber_group.hpp"
#include "objects/kernel.hpp"

#include <nexus-kernel/cpu_descriptor.h>
#include <cstddef>
#include <nexus-plugin/error.hpp>
#include <nexus-plugin/slot.hpp>
#include <optional>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// A buffer argument; keeps the buffer alive for the command.
struct BufferArgument {
  std::size_t index;
  nexus_plugin::Ref<Buffer> buffer;
  uint64_t offset;  // bytes from the buffer's start
};
using BufferArguments = std::vector<BufferArgument>;

// A fault of a kernel, and the group and item in which it happened.
struct KernelFault {
  Fault fault;
  Item group;
  std::optional<Item> item;  // id within the group; empty if unknown
};

nexus_plugin::Error bounds_error(const Kernel &kernel, const BufferArguments &arguments,
                                 const nexus_cpu_sizes &sizes, const KernelFault &fault);

// Throws Error if a canary before an argument was overwritten.
void check_canaries(const Kernel &kernel, const BufferArguments &arguments);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_BOUNDS_ERROR_HPP_
