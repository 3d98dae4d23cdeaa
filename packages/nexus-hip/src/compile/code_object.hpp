// SPDX-License-Identifier: Apache-2.0 Reads code for AMD GPUs from its bytes, without the driver:
// its target devices and its kernels. The format is described in LLVM's "User Guide for AMDGPU
// Backend", code objects version 3 to 6.
#ifndef NEXUS_HIP_CODE_OBJECT_HPP_
#define NEXUS_HIP_CODE_OBJECT_HPP_

#include "compile/target_id.hpp"

#include <cstdint>
#include <nexus-plugin/kernel/kernel_description.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_hip NXS_HIDDEN {

// A parameter of a kernel, as the compiler lays it out.
struct CodeArgument {
  std::string name;  // empty if the compiler left it out
  uint64_t offset = 0, size = 0;
  std::string value_kind;     // "by_value", "global_buffer", "hidden_block_count_x"
  std::string address_space;  // of a pointer: "global", "local", ...; else empty
  std::string actual_access;  // "read_only", "write_only", "read_write"; often empty

  bool hidden() const { return value_kind.starts_with("hidden_"); }
};

struct CodeKernel {
  std::string name, symbol;             // "saxpy", "saxpy.kd"
  std::vector<CodeArgument> arguments;  // those that the program gives
  std::vector<CodeArgument> hidden;     // those that the driver gives
  uint64_t argument_bytes = 0;          // of all, with what lies between them
  uint64_t wavefront_size = 0;          // 32 or 64
  uint64_t max_group_items = 0;
  std::optional<nexus_plugin::Size3> required_group_size;
  uint64_t group_bytes = 0;    // of local memory that it declares
  uint64_t private_bytes = 0;  // of an item
  uint64_t vector_registers = 0, scalar_registers = 0;
  std::optional<nexus_plugin::KernelDescription> description;  // of the portable language
};

struct CodeObject {
  int version = 0;  // 3 to 6
  TargetId target;
  std::vector<CodeKernel> kernels;
};

// The part of a library for a device with the given target: the whole code object, or the best
// matching entry of a clang bundle. Throws NXS_InvalidBinary.
std::string_view code_for(std::string_view library, const TargetId &device);

// Reads a code object for the device. Throws NXS_InvalidBinary if it is damaged or for another
// target.
CodeObject read_code_object(std::string_view code, const TargetId &device);

// Throws NXS_NotSupported for a kernel that calls the host, as printf and assert do.
void refuse_host_calls(const CodeKernel &kernel);

}  // namespace nexus_hip

#endif  // NEXUS_HIP_CODE_OBJECT_HPP_
