// SPDX-License-Identifier: Apache-2.0
//
// Checks arguments and launches against the description of a kernel: those that programs give to
// libnexus, and in the layer `validate` those that a plug-in gets.
#pragma once

#include <nexus-api/nxs.h>
#include <nexus/nexus_c.h>

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

/// A command has arguments 0 to 63.
inline constexpr uint32_t kMaxArguments = 64;

/// What is known about a buffer argument.
struct Given {
  bool read_only = false;
  bool host_memory = false;  // a system buffer, such as one over an array of the program
};

/// Throws NXS_InvalidArgIndex, NXS_InvalidArgValue or NXS_InvalidArgSize unless an argument has the
/// kind, size and data type that the kernel declares.
void checkArgument(const KernelInfo &kernel, uint32_t index, const nxs_argument &argument,
                   Given given = {});

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

inline Counts countsOf(const uint64_t (&counts)[3]) {
  return {counts[0], counts[1], counts[2]};
}

/// Returns "(256, 1, 1)".
std::string countsText(const Counts &counts);

/// Copies the caller's description, with zeros for members that its struct does not have. Throws
/// NXS_InvalidValue.
nexus_launch_desc readLaunch(const nexus_launch_desc *given);

/// Returns the launch for the plug-in: completes the counts so that group_count x group_size covers
/// grid_size. If group_size is all 0, the backend chooses it, and group_count is all 0 too.
/// Otherwise a 0 in grid_size or group_count makes the launch empty. Throws
/// NXS_InvalidWorkGroupSize, NXS_InvalidGlobalWorkSize and NXS_NotSupported.
nxs_launch completeLaunch(const nexus_launch_desc &desc, const KernelInfo &kernel);

/// Returns whether group_size and grid_size look exchanged, or grid_size counts groups: a group is
/// larger than the grid, which has the size of a usual group, whole warps.
bool looksExchanged(const nexus_launch_desc &desc) noexcept;

/// Returns the launch of one group, without a grid. group_size may be all 0.
nxs_launch launchOfGroup(const nexus_launch_desc &desc, const KernelInfo &kernel);

}  // namespace nexus::core
