// SPDX-License-Identifier: Apache-2.0
// Code, the kernels in it, and what they can be launched with.
#include "../simulator/context.hpp"
#include "../simulator/device.hpp"
#include "../simulator/graph.hpp"
#include "image.hpp"
#include "kernel_launch.hpp"

#include <algorithm>

using namespace simulator;

namespace {

void tell_variable(const Allocation &found, CUdeviceptr *out_memory, size_t *out_size) {
  if (out_memory != nullptr) *out_memory = found.begin;
  if (out_size != nullptr) *out_size = found.size;
}

}  // namespace

// ---- Libraries: code for all contexts ----

SIMULATED_EXPORT CUresult cuLibraryLoadData(CUlibrary *out_library, const void *code, int *,
                                            void **, unsigned, int *, void **, unsigned) {
  return call("cuLibraryLoadData", Needs::kInit, [&](Call &) {
    require(out_library != nullptr);
    Code image = parse_image(code, world().devices.front()->architecture());
    give(out_library, world().libraries.add(std::make_shared<Library>(std::move(image))));
  });
}

SIMULATED_EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  return call("cuLibraryUnload", Needs::kInit,
              [&](Call &) { world().libraries.take(library)->unload(); });
}

SIMULATED_EXPORT CUresult cuLibraryGetKernel(CUkernel *out_kernel, CUlibrary library,
                                             const char *name) {
  return call("cuLibraryGetKernel", Needs::kInit, [&](Call &) {
    const auto &asked = world().libraries.get(library);
    require(out_kernel != nullptr && name != nullptr);
    give(out_kernel, asked->kernel(name));
  });
}

SIMULATED_EXPORT CUresult cuLibraryGetKernelCount(unsigned *out_count, CUlibrary library) {
  return call("cuLibraryGetKernelCount", Needs::kInit, [&](Call &) {
    give(out_count, static_cast<unsigned>(world().libraries.get(library)->kernel_names().size()));
  });
}

SIMULATED_EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *out_kernels, unsigned capacity,
                                                    CUlibrary library) {
  return call("cuLibraryEnumerateKernels", Needs::kInit, [&](Call &) {
    const auto asked = world().libraries.get(library);
    require(out_kernels != nullptr);
    for (const std::string &name : asked->kernel_names()) {
      if (capacity-- == 0) break;
      give(out_kernels++, asked->kernel(name));
    }
  });
}

SIMULATED_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *out_memory, size_t *out_size,
                                             CUlibrary library, const char *name) {
  return call("cuLibraryGetGlobal", Needs::kContext, [&](Call &call) {
    const auto &asked = world().libraries.get(library);
    require(name != nullptr);
    tell_variable(asked->module_in(*call.context).global(name), out_memory, out_size);
  });
}

SIMULATED_EXPORT CUresult cuKernelGetFunction(CUfunction *out_function, CUkernel kernel) {
  return call("cuKernelGetFunction", Needs::kContext, [&](Call &call) {
    give(out_function, world().kernels.get(kernel)->function_in(*call.context));
  });
}

SIMULATED_EXPORT CUresult cuKernelGetName(const char **out_name, CUkernel kernel) {
  return call("cuKernelGetName", Needs::kInit,
              [&](Call &) { give(out_name, world().kernels.get(kernel)->name.c_str()); });
}

SIMULATED_EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *out_offset,
                                               size_t *out_size) {
  return call("cuKernelGetParamInfo", Needs::kInit, [&](Call &) {
    const auto *code = world().kernels.get(kernel)->code;
    require(code != nullptr && index < code->parameter_count);
    give(out_offset, static_cast<size_t>(code->offsets[index]));
    if (out_size != nullptr) *out_size = code->sizes[index];
  });
}

// ---- Modules: code in the current context ----

SIMULATED_EXPORT CUresult cuModuleLoadData(CUmodule *out_module, const void *code) {
  return call("cuModuleLoadData", Needs::kContext, [&](Call &call) {
    require(out_module != nullptr);
    const Code image = parse_image(code, call.context->device().architecture());
    give(out_module, Module::make(*call.context, image).handle);
  });
}

SIMULATED_EXPORT CUresult cuModuleGetFunction(CUfunction *out_function, CUmodule module,
                                              const char *name) {
  return call("cuModuleGetFunction", Needs::kContext, [&](Call &) {
    const auto &asked = world().modules.get(module);
    require(out_function != nullptr && name != nullptr);
    give(out_function, asked->function(name));
  });
}

SIMULATED_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *out_memory, size_t *out_size,
                                               CUmodule module, const char *name) {
  return call("cuModuleGetGlobal", Needs::kContext, [&](Call &) {
    const auto &asked = world().modules.get(module);
    require(name != nullptr);
    tell_variable(asked->global(name), out_memory, out_size);
  });
}

// ---- Functions ----

SIMULATED_EXPORT CUresult cuFuncGetAttribute(int *out_value, CUfunction_attribute attribute,
                                             CUfunction function) {
  return call("cuFuncGetAttribute", Needs::kContext, [&](Call &call) {
    const auto asked = function_of(call, function);
    require(attribute >= 0 && attribute < CU_FUNC_ATTRIBUTE_MAX);
    const std::map<int, int> values{
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, asked->max_threads()},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, asked->static_shared()},
        {CU_FUNC_ATTRIBUTE_NUM_REGS, 32},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, asked->max_dynamic_shared},
        {CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, asked->large_clusters ? 1 : 0}};
    const auto found = values.find(attribute);
    give(out_value, found == values.end() ? 0 : found->second);
  });
}

SIMULATED_EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                             int value) {
  return call("cuFuncSetAttribute", Needs::kContext, [&](Call &call) {
    const auto changed = function_of(call, function);
    if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
      require(value == 0 || value == 1);
      changed->large_clusters = value != 0;
      return;
    }
    require(attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    const int most = call.context->device().attribute(kMaxSharedPerBlockOptIn);
    require(value >= 0 && value <= most - changed->static_shared());
    changed->max_dynamic_shared = value;
  });
}

// ---- Launches ----

Launch launch_of(const Function &function, const CUlaunchConfig &config) {
  Launch launch(function, {config.gridDimX, config.gridDimY, config.gridDimZ},
                {config.blockDimX, config.blockDimY, config.blockDimZ}, config.sharedMemBytes);
  require(config.numAttrs == 0 || config.attrs != nullptr);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttributeValue &value = config.attrs[i].value;
    if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
      launch.programmatic = value.programmaticStreamSerializationAllowed != 0;
    } else {
      set_attribute(launch, config.attrs[i].id, value);
    }
  }
  launch.check(function);
  return launch;
}

void set_attribute(Launch &launch, CUlaunchAttributeID attribute,
                   const CUlaunchAttributeValue &value) {
  if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
    launch.cooperative = value.cooperative != 0;
  } else {
    require(attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    launch.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
  }
}

namespace {

CUresult submit(const char *name, CUfunction function, const CUlaunchConfig *config,
                void **parameters, void **extra) {
  return call(name, Needs::kInit, [&](Call &call) {
    require(config != nullptr);
    const auto in = launching_stream(call, config->hStream);
    const auto launched = function_of(call, function);
    require(launched->context() == call.context, CUDA_ERROR_INVALID_CONTEXT);
    Launch launch = launch_of(*launched, *config);
    launch.take_parameters(parameters, extra);
    simulator::submit(*in, std::move(launch));
  });
}

}  // namespace

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

// ---- Occupancy ----

SIMULATED_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out_blocks,
                                                                      CUfunction function,
                                                                      int block_size,
                                                                      size_t shared) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::kContext, [&](Call &call) {
    give(out_blocks, function_of(call, function)->active_blocks(block_size, shared));
  });
}

SIMULATED_EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *out_grid, int *out_block,
                                                           CUfunction function,
                                                           CUoccupancyB2DSize shared_of,
                                                           size_t shared, int limit) {
  return call("cuOccupancyMaxPotentialBlockSize", Needs::kContext, [&](Call &call) {
    const auto best =
        function_of(call, function)
            ->best_size([&](int size) { return shared_of == nullptr ? shared : shared_of(size); },
                        limit);
    give(out_block, best.block);
    give(out_grid, best.blocks);
  });
}

SIMULATED_EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out_shared,
                                                                  CUfunction function, int blocks,
                                                                  int block_size) {
  return call("cuOccupancyAvailableDynamicSMemPerBlock", Needs::kContext, [&](Call &call) {
    const auto asked = function_of(call, function);
    require(blocks > 0 && block_size > 0);
    const Device &device = call.context->device();
    const int room = device.attribute(kMaxSharedPerMultiprocessor) / blocks;
    const int most = std::min(room, device.attribute(kMaxSharedPerBlockOptIn));
    give(out_shared, static_cast<size_t>(std::max(most - asked->static_shared(), 0)));
  });
}

SIMULATED_EXPORT CUresult cuOccupancyMaxPotentialClusterSize(int *out_size, CUfunction function,
                                                             const CUlaunchConfig *config) {
  return call("cuOccupancyMaxPotentialClusterSize", Needs::kContext, [&](Call &call) {
    const auto asked = function_of(call, function);
    require(config != nullptr);
    require(call.context->device().attribute(kClusterLaunch) != 0, CUDA_ERROR_NOT_SUPPORTED);
    give(out_size, static_cast<int>(asked->largest_cluster()));
  });
}

SIMULATED_EXPORT CUresult cuOccupancyMaxActiveClusters(int *out_clusters, CUfunction function,
                                                       const CUlaunchConfig *config) {
  return call("cuOccupancyMaxActiveClusters", Needs::kContext, [&](Call &call) {
    const auto asked = function_of(call, function);
    require(config != nullptr);
    const Launch launch = launch_of(*asked, *config);
    const int blocks = asked->active_blocks(static_cast<int>(product(launch.block)), launch.shared);
    const int room = blocks * call.context->device().attribute(kMultiprocessors);
    give(out_clusters, room / static_cast<int>(product(launch.cluster)));
  });
}
