// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_LAUNCH_HPP_
#define NEXUS_LAUNCH_HPP_

#include <nexus/error.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace nexus {

/// Up to three lengths: 256, {16, 16} or {8, 8, 4}; the others are 1. An empty extent, `{}`, lets
/// the backend choose. A grid with a length of 0 has no work items. Throws NXS_InvalidValue for a
/// negative length.
class Extent {
 public:
  constexpr Extent() noexcept = default;
  template <std::integral X>
  constexpr Extent(X x)  // NOLINT(google-explicit-constructor): finalize(256, 1024) reads well
      : lengths_{length(x), 1, 1} {}
  template <std::integral X, std::integral Y>
  constexpr Extent(X x, Y y) : lengths_{length(x), length(y), 1} {}
  template <std::integral X, std::integral Y, std::integral Z>
  constexpr Extent(X x, Y y, Z z) : lengths_{length(x), length(y), length(z)} {
    if (empty()) lengths_[2] = 1;  // all 0 would be an empty extent; (0, 0, 1) is the same grid
  }

  constexpr std::uint64_t operator[](std::size_t dimension) const noexcept {
    return lengths_[dimension];
  }

  /// Returns whether there are no lengths.
  constexpr bool empty() const noexcept {
    return lengths_[0] == 0 && lengths_[1] == 0 && lengths_[2] == 0;
  }

  void copyTo(std::uint64_t (&out)[3]) const noexcept { std::copy_n(lengths_, 3, out); }

 private:
  template <std::integral Number>
  static constexpr std::uint64_t length(Number number) {
    if (std::cmp_less(number, 0)) {
      throw Error(NXS_InvalidValue, "A length of a group or a grid is " + std::to_string(number) +
                                        "; give a positive one.");
    }
    return static_cast<std::uint64_t>(number);
  }

  std::uint64_t lengths_[3] = {};
};

/// The parameters of a launch. Exactly one of gridSize and groupCount is given.
struct Launch {
  Extent groupSize = {};          ///< Work items of a group; empty: the backend chooses.
  Extent gridSize = {};           ///< Work items.
  Extent groupCount = {};         ///< Groups.
  std::uint64_t localMemory = 0;  ///< Bytes of a group's memory beyond the arguments'.
  /// Groups in a cluster, which can access each other's local memory. Only whole clusters are
  /// launched. Empty: none, or those that the kernel requires.
  Extent clusterSize = {};
  bool cooperative = false;  ///< All groups run at the same time, and can wait for each other.
  /// Programmatic dependent launch: the kernel may begin before the one before it in the stream has
  /// ended, and waits for that one itself.
  bool programmatic = false;

  nexus_launch_desc toNative() const noexcept {
    auto desc = detail::sized<nexus_launch_desc>();
    groupSize.copyTo(desc.group_size);
    gridSize.copyTo(desc.grid_size);
    groupCount.copyTo(desc.group_count);
    clusterSize.copyTo(desc.cluster_size);
    desc.local_memory = localMemory;
    desc.flags = (cooperative ? NXS_LaunchFlags_Cooperative : 0) |
                 (programmatic ? NXS_LaunchFlags_Programmatic : 0);
    return desc;
  }
};

}  // namespace nexus

#endif  // NEXUS_LAUNCH_HPP_
