// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"
#include "device.hpp"
#include "launch.hpp"

#include <algorithm>

namespace simulated_cuda {
namespace {

constexpr int kWarp = 32;

int round_to_warp(int threads) {
  return (threads + kWarp - 1) / kWarp * kWarp;
}

}  // namespace

int active_blocks(const Function &function, int block_size, size_t dynamic_shared) {
  require(block_size > 0);
  const Device &device = function.context()->device();
  if (block_size > function.attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)) return 0;
  const int threads = device.attribute(kMaxThreadsPerMultiprocessor) / round_to_warp(block_size);
  const size_t shared =
      dynamic_shared + static_cast<size_t>(function.attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  if (shared > static_cast<size_t>(device.attribute(kMaxSharedPerBlockOptIn))) return 0;
  const auto room = static_cast<size_t>(device.attribute(kMaxSharedPerMultiprocessor));
  const int by_shared = shared == 0 ? threads : static_cast<int>(room / shared);
  return std::min({threads, by_shared, device.attribute(kMaxBlocksPerMultiprocessor)});
}

namespace {

// The size with the most threads in flight; the largest of those.
void best_block(const Function &function, CUoccupancyB2DSize shared_of, size_t shared, int limit,
                int *out_grid, int *out_block) {
  const int bound = function.attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  const int largest = limit > 0 && limit < bound ? limit : bound;
  int most = 0, best = 0, blocks = 0;
  for (int size = round_to_warp(largest); size > 0; size -= kWarp) {
    const int tried = std::min(size, largest);
    const size_t dynamic = shared_of == nullptr ? shared : shared_of(tried);
    const int active = active_blocks(function, tried, dynamic);
    if (active * tried <= most) continue;
    most = active * tried;
    best = tried;
    blocks = active;
  }
  require(best != 0, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  *out_block = best;
  *out_grid = blocks * function.context()->device().attribute(kMultiprocessors);
}

}  // namespace
}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out_blocks, CUfunction function, int block_size, size_t shared, unsigned flags) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::kContext, [&](Call &call) {
    require(flags <= 1);
    give(out_blocks, active_blocks(*function_of(call, function), block_size, shared));
  });
}

SIMULATED_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out_blocks,
                                                                      CUfunction function,
                                                                      int block_size,
                                                                      size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out_blocks, function, block_size,
                                                              shared, 0);
}

SIMULATED_EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *out_grid, int *out_block,
                                                                    CUfunction function,
                                                                    CUoccupancyB2DSize shared_of,
                                                                    size_t shared, int limit,
                                                                    unsigned flags) {
  return call("cuOccupancyMaxPotentialBlockSize", Needs::kContext, [&](Call &call) {
    require(out_grid != nullptr && out_block != nullptr && flags <= 1);
    best_block(*function_of(call, function), shared_of, shared, limit, out_grid, out_block);
  });
}

SIMULATED_EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *out_grid, int *out_block,
                                                           CUfunction function,
                                                           CUoccupancyB2DSize shared_of,
                                                           size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(out_grid, out_block, function, shared_of, shared,
                                                   limit, 0);
}

SIMULATED_EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out_shared,
                                                                  CUfunction function, int blocks,
                                                                  int block_size) {
  return call("cuOccupancyAvailableDynamicSMemPerBlock", Needs::kContext, [&](Call &call) {
    const auto asked = function_of(call, function);
    require(blocks > 0 && block_size > 0);
    const Device &device = call.context->device();
    const int room = device.attribute(kMaxSharedPerMultiprocessor) / blocks;
    const int most = std::min(room, device.attribute(kMaxSharedPerBlockOptIn)) -
                     asked->attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    give(out_shared, static_cast<size_t>(std::max(most, 0)));
  });
}

SIMULATED_EXPORT CUresult cuOccupancyMaxPotentialClusterSize(int *out_size, CUfunction function,
                                                             const CUlaunchConfig *config) {
  return call("cuOccupancyMaxPotentialClusterSize", Needs::kContext, [&](Call &call) {
    const auto asked = function_of(call, function);
    require(config != nullptr);
    require(call.context->device().attribute(kClusterLaunch) != 0, CUDA_ERROR_NOT_SUPPORTED);
    const bool large = asked->attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) != 0;
    give(out_size, large ? 16 : 8);
  });
}

SIMULATED_EXPORT CUresult cuOccupancyMaxActiveClusters(int *out_clusters, CUfunction function,
                                                       const CUlaunchConfig *config) {
  return call("cuOccupancyMaxActiveClusters", Needs::kContext, [&](Call &call) {
    const auto asked = function_of(call, function);
    require(config != nullptr);
    const Launch launch = launch_of(*asked, *config);
    const int blocks =
        active_blocks(*asked, static_cast<int>(product(launch.block)), launch.shared);
    const int room = blocks * call.context->device().attribute(kMultiprocessors);
    give(out_clusters, room / static_cast<int>(product(launch.cluster)));
  });
}
