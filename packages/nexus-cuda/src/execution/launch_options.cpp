// SPDX-License-Identifier: Apache-2.0
// Options of launches, and nxsGetKernelOccupancy.
#include "execution/launch_call.hpp"

#include <cstddef>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/gpu/launch_options.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

namespace gpu = nexus_plugin::gpu;

namespace {

// Sets the sizes in a CUlaunchConfig or CUDA_KERNEL_NODE_PARAMS.
template <class Config>
void set_sizes(Config &config, const Size3 &groups, const Size3 &group_size,
               uint64_t dynamic_shared) noexcept {
  const auto number = [](uint64_t size) { return static_cast<unsigned>(size); };
  config.gridDimX = number(groups[0]);
  config.gridDimY = number(groups[1]);
  config.gridDimZ = number(groups[2]);
  config.blockDimX = number(group_size[0]);
  config.blockDimY = number(group_size[1]);
  config.blockDimZ = number(group_size[2]);
  config.sharedMemBytes = number(dynamic_shared);
}

// Returns the attributes of a launch for cuLaunchKernelEx.
std::vector<CUlaunchAttribute> launch_attributes(const Kernel &kernel, const Launch &launch) {
  std::vector<CUlaunchAttribute> made;
  const auto add = [&made](CUlaunchAttributeID id) -> CUlaunchAttributeValue & {
    return made.emplace_back(CUlaunchAttribute{id, {}, {}}).value;
  };
  if (launch.cooperative()) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (launch.programmatic()) {
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = 1;
  }
  // A kernel that requires a cluster size has it without the attribute.
  if (launch.has_clusters() && !kernel.required_cluster_size()) {
    const auto number = [&](std::size_t d) {
      return static_cast<unsigned>(launch.cluster_size[d]);
    };
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {number(0), number(1), number(2)};
  }
  return made;
}

// Appends zeros as parameters. The driver reads all parameters of a kernel, which may be more than
// were set if their number is not known.
void pad(std::vector<void *> &parameters) {
  constexpr std::size_t kMostParameters = 4096;           // since each has a byte or more
  alignas(16) static std::byte zeros[kMostParameters]{};  // never written
  if (parameters.size() < kMostParameters) parameters.resize(kMostParameters, zeros);
}

}  // namespace

LaunchCall::LaunchCall(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared,
                       std::vector<void *> parameters)
    : function_(kernel.function()),
      parameters_(std::move(parameters)),
      attributes_(launch_attributes(kernel, launch)) {
  if (!kernel.counted()) pad(parameters_);
  set_sizes(config_, launch.group_count, launch.group_size, dynamic_shared);
  config_.attrs = attributes_.data();
  config_.numAttrs = static_cast<unsigned>(attributes_.size());
}

CUDA_KERNEL_NODE_PARAMS LaunchCall::node() const noexcept {
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = function_;
  set_sizes(node, {config_.gridDimX, config_.gridDimY, config_.gridDimZ},
            {config_.blockDimX, config_.blockDimY, config_.blockDimZ}, config_.sharedMemBytes);
  node.kernelParams = const_cast<void **>(parameters_.data());  // the driver only reads them
  return node;
}

// ---- Clusters -------------------------------------------------------------

namespace {

// Returns a launch of one cluster, or of one group if cluster_size is zeros. attributes outlive it.
CUlaunchConfig one_cluster(const Launch &launch, const Size3 &cluster_size, uint64_t dynamic_shared,
                           std::vector<CUlaunchAttribute> &attributes) {
  CUlaunchConfig config{};
  set_sizes(config, cluster_size[0] != 0 ? cluster_size : Size3{1, 1, 1}, launch.group_size,
            dynamic_shared);
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  return config;
}

void check_cluster_size(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  const auto &required = kernel.required_cluster_size();
  if (required && launch.cluster_size != *required) {
    throw Error(NXS_InvalidWorkGroupSize, "cluster_size is ", gpu::size_text(launch.cluster_size),
                "; the kernel requires clusters of ", gpu::size_text(*required),
                ": give that, or leave cluster_size out");
  }
  const uint64_t most = Gpu::max_cluster_size(kernel, launch, dynamic_shared);
  if (launch.groups_per_cluster() > most) {
    throw Error(NXS_InvalidWorkGroupSize, "cluster_size is ", gpu::size_text(launch.cluster_size),
                ", ", launch.groups_per_cluster(), " groups; the device has clusters of ", most,
                " groups at most");
  }
  if (Gpu::active_clusters(kernel, launch, dynamic_shared) == 0) {
    throw Error(NXS_InvalidWorkGroupSize, "cluster_size is ", gpu::size_text(launch.cluster_size),
                "; a cluster of this size, with groups of ", launch.items_per_group(),
                " work items and ", dynamic_shared,
                " bytes of local memory, does not fit on the device: make one of them smaller");
  }
}

}  // namespace

uint64_t Gpu::active_clusters(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  Launch clusters_only;
  clusters_only.cluster_size = launch.cluster_size;
  auto attributes = launch_attributes(kernel, clusters_only);
  const CUlaunchConfig config =
      one_cluster(launch, launch.cluster_size, dynamic_shared, attributes);
  int clusters = 0;
  const CUresult result = cu.OccupancyMaxActiveClusters(&clusters, kernel.function(), &config);
  if (result == CUDA_ERROR_INVALID_CLUSTER_SIZE) return 0;
  kernel.device().check(result, gpu::kAskingOccupancy);
  return gpu::at_least_zero(clusters);
}

uint64_t Gpu::max_cluster_size(const Kernel &kernel, const Launch &launch,
                               uint64_t dynamic_shared) {
  if (!kernel.device().has_cluster_launch()) return 0;
  kernel.device().check(cu.FuncSetAttribute(kernel.function(),
                                            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                        "asking for large clusters");
  std::vector<CUlaunchAttribute> none;
  const CUlaunchConfig config = one_cluster(
      launch, kernel.required_cluster_size() ? launch.cluster_size : Size3{}, dynamic_shared, none);
  int most = 0;
  kernel.device().check(cu.OccupancyMaxPotentialClusterSize(&most, kernel.function(), &config),
                        gpu::kAskingOccupancy);
  return gpu::at_least_zero(most);
}

uint64_t Gpu::free_shared(const Kernel &kernel, uint64_t groups, uint64_t items) {
  size_t free = 0;
  kernel.device().check(
      cu.OccupancyAvailableDynamicSMemPerBlock(&free, kernel.function(), static_cast<int>(groups),
                                               static_cast<int>(items)),
      gpu::kAskingOccupancy);
  return free;
}

void Gpu::check_other_options(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  const Device &device = kernel.device();
  if (launch.programmatic() && !device.has_programmatic_launch()) {
    gpu::throw_lacking("programmatic_launch is true", device);
  }
  if (!launch.has_clusters()) return;
  if (!device.has_cluster_launch()) {
    gpu::throw_lacking(join("cluster_size is ", gpu::size_text(launch.cluster_size)), device);
  }
  const CurrentContext current(kernel.device());
  check_cluster_size(kernel, launch, dynamic_shared);
}

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_GPU_OCCUPANCY(Gpu, kernels)
