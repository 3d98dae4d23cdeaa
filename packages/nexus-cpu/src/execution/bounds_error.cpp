// SPDX-License-Identifier: Apache-2.0
#include "execution/bounds_error.hpp"

#include "fibers/barrier_error.hpp"

#include <charconv>
#include <nexus-plugin/text.hpp>
#include <string>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

constexpr const char *kRemedy =
    "; compare its index with the length of the array, or launch fewer work items";

std::string hexadecimal(uintptr_t address) {
  char digits[2 * sizeof(address)];
  const char *end = std::to_chars(digits, digits + sizeof(digits), address, 16).ptr;
  return "0x" + std::string(static_cast<const char *>(digits), end);
}

const char *did(Fault::Access access) {
  switch (access) {
    case Fault::Access::kRead:
      return "read";
    case Fault::Access::kWrite:
      return "wrote";
    case Fault::Access::kUnknown:
      break;
  }
  return "used";
}

// Returns, for example, "argument 1 (y)".
std::string name_of(const Kernel &kernel, std::size_t index) {
  return kernel.described() ? join("argument ", index, " (", kernel.specs()[index].name, ")")
                            : join("argument ", index);
}

// Returns, for example, "byte 4000 of argument 1 (y), which has 4000 bytes".
std::string place_in(const Kernel &kernel, const BufferArgument &argument, int64_t byte) {
  return join("byte ", byte - static_cast<int64_t>(argument.offset), " of ",
              name_of(kernel, argument.index), ", which has ",
              argument.buffer->size() - argument.offset, " bytes");
}

std::string place_of(const Kernel &kernel, const BufferArguments &arguments,
                     const std::optional<uintptr_t> &address) {
  if (!address) return "an address that the system does not tell, perhaps a misaligned one";
  for (const BufferArgument &argument : arguments) {
    if (!argument.buffer->guarded().covers(*address)) continue;
    const auto begin = reinterpret_cast<uintptr_t>(argument.buffer->data());
    return place_in(kernel, argument, static_cast<int64_t>(*address - begin));
  }
  return join("the address ", hexadecimal(*address),
              ", which is not near any of its arguments and not accessible");
}

// Names the work items by their ids in the whole grid, as the kernel counts them.
std::string who(const nexus_cpu_sizes &sizes, const KernelFault &fault) {
  Item first{}, last{};
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = fault.group[d] * sizes.group_size[d];
    last[d] = first[d] + sizes.group_size[d] - 1;
    if (fault.item) first[d] = last[d] = first[d] + (*fault.item)[d];
  }
  if (first == last) return join("work item ", triple(first));
  return join("group ", triple(fault.group), ", one of the work items ", triple(first), " to ",
              triple(last));
}

}  // namespace

Error bounds_error(const Kernel &kernel, const BufferArguments &arguments,
                   const nexus_cpu_sizes &sizes, const KernelFault &fault) {
  return Error(NXS_InvalidMemObject, "the kernel '", kernel.name(), "' ", did(fault.fault.access),
               " ", place_of(kernel, arguments, fault.fault.address), ", in ", who(sizes, fault),
               kRemedy);
}

void check_canaries(const Kernel &kernel, const BufferArguments &arguments) {
  for (const BufferArgument &argument : arguments) {
    if (const auto byte = argument.buffer->guarded().find_overwritten()) {
      throw Error(NXS_InvalidMemObject, "the kernel '", kernel.name(), "' wrote ",
                  place_in(kernel, argument, *byte), "; the work item is not known", kRemedy);
    }
  }
}

}  // namespace nexus_cpu
