// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include "error.hpp"
#include "kernel.hpp"

namespace nexus::core {
namespace {

bool isUnset(const uint64_t (&counts)[3]) {
  return counts[0] == 0 && counts[1] == 0 && counts[2] == 0;
}

// Each count is at least 1.
void requirePositive(const uint64_t (&counts)[3], const char *parameter, nxs_status status) {
  for (const uint64_t count : counts) {
    if (count == 0) {
      throw Failure(status, std::string(parameter) + " is " + countsText(countsOf(counts)) +
                                "; each length is at least 1, so give 1 where a dimension is not "
                                "used.");
    }
  }
}

// The product of counts, which 64 bits hold.
uint64_t product(const uint64_t (&counts)[3], const char *parameter, nxs_status status) {
  uint64_t all = 1;
  for (const uint64_t count : counts) {
    if (__builtin_mul_overflow(all, count, &all)) {
      throw Failure(status, std::string(parameter) + " is " + countsText(countsOf(counts)) +
                                ", more work items than 64 bits can count; make it smaller.");
    }
  }
  return all;
}

void checkGroupSize(const uint64_t (&group_size)[3], const Kernel &kernel) {
  requirePositive(group_size, "group_size", NXS_InvalidWorkGroupSize);
  const Counts &required = kernel.requiredGroupSize();
  if (required[0] != 0 && countsOf(group_size) != required) {
    throw Failure(NXS_InvalidWorkGroupSize,
                  "group_size is " + countsText(countsOf(group_size)) + ", and the kernel '" +
                      kernel.name() + "' was written for groups of " + countsText(required) +
                      "; give that, or leave group_size out.");
  }
  const uint64_t items = product(group_size, "group_size", NXS_InvalidWorkGroupSize);
  if (items > kernel.maxGroupSize()) {
    throw Failure(NXS_InvalidWorkGroupSize,
                  "group_size is " + countsText(countsOf(group_size)) + ", which is " +
                      std::to_string(items) + " work items, and the kernel '" + kernel.name() +
                      "' runs at most " + std::to_string(kernel.maxGroupSize()) + " a group on '" +
                      kernel.device().selector() +
                      "'; make the groups smaller, or leave their size to the backend.");
  }
}

}  // namespace

std::string countsText(const Counts &counts) {
  return "(" + std::to_string(counts[0]) + ", " + std::to_string(counts[1]) + ", " +
         std::to_string(counts[2]) + ")";
}

nxs_launch completeLaunch(const nexus_launch_desc &desc, const Kernel &kernel) {
  nxs_launch launch{};
  launch.struct_size = sizeof(launch);
  launch.local_memory = desc.local_memory;
  const bool by_count = !isUnset(desc.group_count);
  if (by_count != isUnset(desc.grid_size)) {
    throw Failure(NXS_InvalidGlobalWorkSize,
                  by_count ? "grid_size and group_count are both given; give one of them."
                           : "grid_size is " + countsText(countsOf(desc.grid_size)) +
                                 "; give the work items to run, or group_count.");
  }
  const bool chosen_by_backend = isUnset(desc.group_size);
  if (!chosen_by_backend) {
    checkGroupSize(desc.group_size, kernel);
  } else if (by_count) {
    throw Failure(NXS_InvalidWorkGroupSize,
                  "group_count is given without group_size, so the work items are not known; "
                  "give group_size too, or grid_size instead.");
  }
  if (by_count) {
    requirePositive(desc.group_count, "group_count", NXS_InvalidGlobalWorkSize);
  } else {
    requirePositive(desc.grid_size, "grid_size", NXS_InvalidGlobalWorkSize);
    product(desc.grid_size, "grid_size", NXS_InvalidGlobalWorkSize);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const uint64_t group = desc.group_size[i];
    launch.group_size[i] = group;
    if (by_count) {
      launch.group_count[i] = desc.group_count[i];
      if (__builtin_mul_overflow(group, desc.group_count[i], &launch.grid_size[i])) {
        throw Failure(NXS_InvalidGlobalWorkSize,
                      "group_count is " + countsText(countsOf(desc.group_count)) +
                          ", more work items than 64 bits can count; make it smaller.");
      }
    } else {
      launch.grid_size[i] = desc.grid_size[i];
      launch.group_count[i] = chosen_by_backend ? 0 : (desc.grid_size[i] - 1) / group + 1;
    }
  }
  product(launch.grid_size, by_count ? "group_count x group_size" : "grid_size",
          NXS_InvalidGlobalWorkSize);
  return launch;
}

}  // namespace nexus::core
