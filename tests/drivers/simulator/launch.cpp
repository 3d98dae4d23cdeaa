// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include "context.hpp"
#include "device.hpp"
#include "transfer.hpp"

#include <algorithm>
#include <cstring>

namespace simulator {
namespace {

void check_sizes(const Launch &launch, const Function &function, const Device &device) {
  for (int d = 0; d < 3; ++d) {
    const auto grid_limit = static_cast<uint32_t>(device.attribute(kMaxGridX + d));
    const auto block_limit = static_cast<uint32_t>(device.attribute(kMaxBlockX + d));
    const size_t at = static_cast<size_t>(d);
    require(launch.grid[at] != 0 && launch.grid[at] <= grid_limit);
    require(launch.block[at] != 0 && launch.block[at] <= block_limit);
  }
  const uint64_t threads = product(launch.block);
  require(threads <= static_cast<uint64_t>(device.attribute(kMaxThreadsPerBlock)));
  require(threads <= static_cast<uint64_t>(function.max_threads()), kLaunchOutOfResources);
  require(launch.shared <= static_cast<uint32_t>(function.max_dynamic_shared));
}

void check_cluster(const Launch &launch, const Function &function, const Device &device) {
  const uint64_t blocks = product(launch.cluster);
  if (blocks == 1) return;
  const bool has_clusters = device.attribute(kClusterLaunch) != 0;
  require(has_clusters && blocks != 0 && blocks <= function.largest_cluster(), kInvalidClusterSize);
  for (size_t d = 0; d < 3; ++d) require(launch.grid[d] % launch.cluster[d] == 0);
}

void check_cooperative(const Launch &launch, const Function &function, const Device &device) {
  if (!launch.cooperative) return;
  require(device.attribute(kCooperativeLaunch) != 0, kNotSupported);
  const int blocks = function.active_blocks(static_cast<int>(product(launch.block)), launch.shared);
  const int room = blocks * device.attribute(kMultiprocessors);
  require(product(launch.grid) <= static_cast<uint64_t>(room), kCooperativeLaunchTooLarge);
}

bool is_held(const std::string &name) {
  const auto &held = world().held;
  return std::any_of(held.begin(), held.end(),
                     [&](const std::string &part) { return name.find(part) != std::string::npos; });
}

}  // namespace

Launch::Launch(const Function &function, const Triple &grid_size, const Triple &block_size,
               uint32_t dynamic_shared)
    : context(function.context()),
      object(function.object()),
      code(function.code()),
      interpreted(function.interpreted()),
      name(function.name()),
      grid(grid_size),
      block(block_size),
      shared(dynamic_shared) {}

void Launch::check(const Function &function) const {
  const Device &device = context->device();
  check_sizes(*this, function, device);
  check_cluster(*this, function, device);
  check_cooperative(*this, function, device);
}

void Launch::take_parameters(void **given, void **extra) {
  if (interpreted != nullptr) {
    const std::vector<size_t> &sizes = interpreted->sizes;
    require(given != nullptr && extra == nullptr);
    parameters.assign(interpreted->offset_of(sizes.size()), 0);
    for (size_t i = 0; i < sizes.size(); ++i) {
      require(given[i] != nullptr);
      std::memcpy(parameters.data() + interpreted->offset_of(i), given[i], sizes[i]);
    }
    return;
  }
  if (code == nullptr) misused("code for a real GPU was launched: " + name, kNotSupported);
  require(given == nullptr || extra == nullptr);
  parameters.assign(code->parameter_bytes, 0);
  if (extra != nullptr) {
    const auto is = [&](size_t at, uintptr_t mark) {
      return reinterpret_cast<uintptr_t>(extra[at]) == mark;
    };
    require(is(0, kPackedParameters) && is(2, kPackedSize) && is(4, kEndOfPacked));
    require(extra[1] != nullptr && *static_cast<const size_t *>(extra[3]) >= parameters.size());
    std::memcpy(parameters.data(), extra[1], parameters.size());
    return;
  }
  require(given != nullptr || code->parameter_count == 0);
  for (uint32_t i = 0; i < code->parameter_count; ++i) {
    require(given[i] != nullptr);
    std::memcpy(parameters.data() + code->offsets[i], given[i], code->sizes[i]);
  }
}

Result Launch::run() const {
  std::vector<std::string> kinds{"kernel", "kernel " + name};
  if (cooperative) kinds.push_back("cooperative kernel");
  if (product(cluster) != 1) kinds.push_back("clustered kernel");
  if (programmatic) kinds.push_back("programmatic kernel");
  for (const std::string &kind : kinds) {
    const Result planned = planned_fault(kind.c_str());
    if (planned != kSuccess) return planned;
  }
  {
    Lock lock(world().mutex);
    world().changed.wait(lock, [&] { return !is_held(name) || context->broken(); });
    if (context->broken()) return kSuccess;
  }
  return interpreted != nullptr ? interpreted->run(parameters.data()) : execute(*this);
}

}  // namespace simulator
