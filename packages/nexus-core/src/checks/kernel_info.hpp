// SPDX-License-Identifier: Apache-2.0
//
// What a kernel says of itself, as far as its arguments and launches are checked.
#pragma once

#include <nexus-api/nxs.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nexus::core {

/// Counts in x, y and z.
using Counts = std::array<uint64_t, 3>;

/// One argument, as the kernel describes it.
struct ArgumentInfo {
  std::string name;  // may be empty
  nxs_argument_kind kind = NXS_ArgumentKind_Buffer;
  nxs_data_type data_type = NXS_DataType_Undefined;
  uint64_t size = 0;  // bytes of a scalar
  std::string type;   // as the program has it; may be empty

  /// "argument 2, 'count'," at the begin of a sentence about it.
  std::string text(uint32_t index) const;
};

struct KernelInfo {
  std::string name;
  std::string device;         // its selector
  uint64_t capabilities = 0;  // NXS_Capability_* bits of its backend
  /// Nothing where the kernel does not describe itself.
  std::optional<std::vector<ArgumentInfo>> arguments = {};
  /// How many there are; nothing where the plug-in does not know, which may know it of a kernel
  /// that does not describe them.
  std::optional<uint32_t> argument_count = {};
  uint64_t max_group_size = UINT64_MAX;  // work items of a group; this where nobody says
  /// The only sizes of groups and clusters that it runs with; zeros where it runs with any.
  Counts required_group_size{}, required_cluster_size{};
};

}  // namespace nexus::core
