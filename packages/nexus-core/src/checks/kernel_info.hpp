// SPDX-License-Identifier: Apache-2.0
//
// The description of a kernel that arguments and launches are checked against.
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

/// The description of an argument.
struct ArgumentInfo {
  std::string name;  // may be empty
  nxs_argument_kind kind = NXS_ArgumentKind_Buffer;
  nxs_data_type data_type = NXS_DataType_Undefined;
  uint64_t size = 0;  // bytes of a scalar
  std::string type;   // as in the program's text; may be empty

  /// Returns "argument 2, 'count'," for the begin of a sentence.
  std::string text(uint32_t index) const;
};

struct KernelInfo {
  std::string name;
  std::string device;         // its selector
  uint64_t capabilities = 0;  // NXS_Capability_* bits of its backend
  /// Nothing if the kernel is not described.
  std::optional<std::vector<ArgumentInfo>> arguments = {};
  /// The number of arguments, which may be known without their description; nothing if it is not.
  std::optional<uint32_t> argument_count = {};
  uint64_t max_group_size = UINT64_MAX;  // work items of a group; UINT64_MAX: not known
  /// The only sizes of groups and clusters that the kernel runs with; zeros: any.
  Counts required_group_size{}, required_cluster_size{};
};

}  // namespace nexus::core
