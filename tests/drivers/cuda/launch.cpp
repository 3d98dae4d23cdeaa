// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include "context.hpp"
#include "copy.hpp"
#include "device.hpp"
#include "stream.hpp"

#include <algorithm>
#include <cstring>

namespace simulated_cuda {
namespace {

constexpr uint64_t kPortableCluster = 8;  // blocks that every device of the kind can have in one
constexpr uint64_t kLargestCluster = 16;

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
  const int most = function.attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  require(threads <= static_cast<uint64_t>(most), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  const int dynamic = function.attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  require(launch.shared <= static_cast<uint32_t>(dynamic));
}

void check_cluster(const Launch &launch, const Function &function, const Device &device) {
  const uint64_t blocks = product(launch.cluster);
  if (blocks == 1) return;
  require(device.attribute(kClusterLaunch) != 0, CUDA_ERROR_INVALID_CLUSTER_SIZE);
  const bool large = function.attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) != 0;
  require(blocks != 0 && blocks <= (large ? kLargestCluster : kPortableCluster),
          CUDA_ERROR_INVALID_CLUSTER_SIZE);
  for (size_t d = 0; d < 3; ++d) {
    require(launch.grid[d] % launch.cluster[d] == 0, CUDA_ERROR_INVALID_VALUE);
  }
}

void check_cooperative(const Launch &launch, const Function &function, const Device &device) {
  if (!launch.cooperative) return;
  require(device.attribute(kCooperativeLaunch) != 0, CUDA_ERROR_NOT_SUPPORTED);
  const int blocks =
      active_blocks(function, static_cast<int>(product(launch.block)), launch.shared);
  const int room = blocks * device.attribute(kMultiprocessors);
  require(product(launch.grid) <= static_cast<uint64_t>(room),
          CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

void take_attributes(Launch &launch, const CUlaunchConfig &config) {
  require(config.numAttrs == 0 || config.attrs != nullptr);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute &each = config.attrs[i];
    require(each.id >= CU_LAUNCH_ATTRIBUTE_IGNORE &&
            each.id <= CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    if (each.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      launch.cooperative = each.value.cooperative != 0;
    } else if (each.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &size = each.value.clusterDim;
      launch.cluster = {size.x, size.y, size.z};
    } else if (each.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
      launch.programmatic = each.value.programmaticStreamSerializationAllowed != 0;
    }
  }
}

// The pairs of `extra`.
std::vector<unsigned char> packed(void **extra) {
  const void *bytes = nullptr;
  const size_t *size = nullptr;
  for (size_t i = 0;; i += 2) {
    const auto what = reinterpret_cast<uintptr_t>(extra[i]);
    if (what == CU_LAUNCH_PARAM_END) break;
    if (what == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      bytes = extra[i + 1];
    } else if (what == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      size = static_cast<const size_t *>(extra[i + 1]);
    } else {
      fail(CUDA_ERROR_INVALID_VALUE);
    }
  }
  require(bytes != nullptr && size != nullptr);
  const auto *first = static_cast<const unsigned char *>(bytes);
  return {first, first + *size};
}

}  // namespace

void Launch::take_parameters(void **given, void **extra) {
  if (code == nullptr) {
    world().faults.note_misuse("code for a real GPU was launched: " + name);
    fail(CUDA_ERROR_NOT_SUPPORTED);
  }
  require(given == nullptr || extra == nullptr);
  parameters.assign(code->parameter_bytes, 0);
  if (extra != nullptr) {
    const auto bytes = packed(extra);
    require(bytes.size() >= parameters.size());
    std::copy_n(bytes.begin(), parameters.size(), parameters.begin());
    return;
  }
  require(given != nullptr || code->parameter_count == 0);
  for (uint32_t i = 0; i < code->parameter_count; ++i) {
    require(given[i] != nullptr);
    std::memcpy(parameters.data() + code->offsets[i], given[i], code->sizes[i]);
  }
}

Launch launch_of(const Function &function, const CUlaunchConfig &config) {
  Launch launch;
  launch.context = function.context();
  launch.object = function.object();
  launch.code = function.code();
  launch.name = function.name();
  launch.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  launch.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  launch.shared = config.sharedMemBytes;
  take_attributes(launch, config);
  const Device &device = function.context()->device();
  check_sizes(launch, function, device);
  check_cluster(launch, function, device);
  check_cooperative(launch, function, device);
  return launch;
}

namespace {

bool is_held(const std::string &name) {
  const auto &held = world().held;
  return std::any_of(held.begin(), held.end(),
                     [&](const std::string &part) { return name.find(part) != std::string::npos; });
}

}  // namespace

CUresult Launch::run() const {
  std::vector<std::string> kinds{"kernel", "kernel " + name};
  if (cooperative) kinds.push_back("cooperative kernel");
  if (product(cluster) != 1) kinds.push_back("clustered kernel");
  if (programmatic) kinds.push_back("programmatic kernel");
  for (const std::string &kind : kinds) {
    const CUresult planned = planned_fault(kind.c_str());
    if (planned != CUDA_SUCCESS) return planned;
  }
  {
    Lock lock(world().mutex);
    const auto broken = [this] {
      return context->failure() != CUDA_SUCCESS || context->destroyed();
    };
    world().changed.wait(lock, [&] { return !is_held(name) || broken(); });
    if (broken()) return CUDA_SUCCESS;
  }
  return execute(*this);
}

namespace {

CUresult submit(const char *name, CUfunction function, const CUlaunchConfig *config,
                void **parameters, void **extra) {
  return call(name, Needs::kInit, [&](Call &call) {
    require(config != nullptr);
    const auto in = launching_stream(call, config->hStream);
    const auto launched = function_of(call, function);
    require(launched->context() == call.context, CUDA_ERROR_INVALID_CONTEXT);
    auto launch = std::make_shared<Launch>(launch_of(*launched, *config));
    launch->take_parameters(parameters, extra);
    in->add([launch] { return launch->run(); });
  });
}

}  // namespace
}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                           void **parameters, void **extra) {
  return submit("cuLaunchKernelEx", function, config, parameters, extra);
}

SIMULATED_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                         unsigned grid_z, unsigned block_x, unsigned block_y,
                                         unsigned block_z, unsigned shared, CUstream stream,
                                         void **parameters, void **extra) {
  const CUlaunchConfig config{grid_x,  grid_y, grid_z, block_x, block_y,
                              block_z, shared, stream, nullptr, 0};
  return submit("cuLaunchKernel", function, &config, parameters, extra);
}

SIMULATED_EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
                                                    unsigned grid_y, unsigned grid_z,
                                                    unsigned block_x, unsigned block_y,
                                                    unsigned block_z, unsigned shared,
                                                    CUstream stream, void **parameters) {
  CUlaunchAttribute cooperative{CU_LAUNCH_ATTRIBUTE_COOPERATIVE, {}, {}};
  cooperative.value.cooperative = 1;
  const CUlaunchConfig config{grid_x,  grid_y, grid_z, block_x,      block_y,
                              block_z, shared, stream, &cooperative, 1};
  return submit("cuLaunchCooperativeKernel", function, &config, parameters, nullptr);
}
