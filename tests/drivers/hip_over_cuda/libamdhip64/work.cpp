// SPDX-License-Identifier: Apache-2.0
// Streams, events, code and launches.
#include "../../kernels/form.hpp"
#include "cuda.hpp"

#include <algorithm>
#include <memory>

using namespace hip_over_cuda;

// ---- Streams and events ----

HIP_FORWARD(hipStreamCreateWithPriority, (hipStream_t * out_stream, unsigned flags, int priority),
            StreamCreateWithPriority, out_stream, flags, priority)
HIP_FORWARD(hipStreamDestroy, (hipStream_t stream), StreamDestroy, stream)
HIP_FORWARD(hipStreamIsCapturing, (hipStream_t stream, hipStreamCaptureStatus *out_status),
            StreamIsCapturing, stream, out_status)
HIP_FORWARD(hipStreamBeginCapture, (hipStream_t stream, hipStreamCaptureMode mode),
            StreamBeginCapture, stream, mode)
HIP_FORWARD(hipStreamEndCapture, (hipStream_t stream, hipGraph_t *out_graph), StreamEndCapture,
            stream, out_graph)
HIP_FORWARD(hipStreamQuery, (hipStream_t stream), StreamQuery, stream)
HIP_FORWARD(hipStreamSynchronize, (hipStream_t stream), StreamSynchronize, stream)
HIP_FORWARD(hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags),
            StreamWaitEvent, stream, event, flags)
HIP_FORWARD(hipEventCreateWithFlags, (hipEvent_t * out_event, unsigned flags), EventCreate,
            out_event, flags & ~unsigned{hipEventDisableSystemFence})
HIP_FORWARD(hipEventDestroy, (hipEvent_t event), EventDestroy, event)
HIP_FORWARD(hipEventRecord, (hipEvent_t event, hipStream_t stream), EventRecord, event, stream)
HIP_FORWARD(hipEventQuery, (hipEvent_t event), EventQuery, event)
HIP_FORWARD(hipEventSynchronize, (hipEvent_t event), EventSynchronize, event)
HIP_FORWARD(hipEventElapsedTime, (float *out_milliseconds, hipEvent_t start, hipEvent_t end),
            EventElapsedTime, out_milliseconds, start, end)
HIP_FORWARD(hipGraphGetNodes, (hipGraph_t graph, hipGraphNode_t *out_nodes, size_t *count),
            GraphGetNodes, graph, out_nodes, count)
HIP_FORWARD(hipGraphNodeGetType, (hipGraphNode_t node, hipGraphNodeType *out_type),
            GraphNodeGetType, node, out_type)
HIP_FORWARD(hipGraphChildGraphNodeGetGraph, (hipGraphNode_t node, hipGraph_t *out_graph),
            GraphChildGraphNodeGetGraph, node, out_graph)
HIP_FORWARD(hipGraphDestroy, (hipGraph_t graph), GraphDestroy, graph)
HIP_FORWARD(hipGraphInstantiateWithFlags,
            (hipGraphExec_t * out_exec, hipGraph_t graph, unsigned long long flags),
            GraphInstantiateWithFlags, out_exec, graph, flags)
HIP_FORWARD(hipGraphExecDestroy, (hipGraphExec_t exec), GraphExecDestroy, exec)
HIP_FORWARD(hipGraphLaunch, (hipGraphExec_t exec, hipStream_t stream), GraphLaunch, exec, stream)
HIP_FORWARD(hipGraphUpload, (hipGraphExec_t exec, hipStream_t stream), GraphUpload, exec, stream)

HIP_EXPORT hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *out_device) {
  return on_device([&] {
    CUcontext of = nullptr, own = nullptr;
    int count = 0;
    CUresult result = cuda.StreamGetCtx(as<CUstream>(stream), &of);
    if (result == CUDA_SUCCESS) result = cuda.DeviceGetCount(&count);
    for (int device = 0; result == CUDA_SUCCESS && device < count; ++device) {
      result = find_context(device, own);
      if (own == of) *out_device = device;
    }
    return result;
  });
}

HIP_EXPORT hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t function,
                                           void *user, unsigned) {
  struct Callback {
    hipStreamCallback_t function;
    hipStream_t stream;
    void *user;
  };
  auto callback = std::make_unique<Callback>(Callback{function, stream, user});
  return on_device([&] {
    const auto reached = [](void *given) {
      const std::unique_ptr<Callback> now(static_cast<Callback *>(given));
      now->function(now->stream, hipSuccess, now->user);
    };
    const CUresult result = cuda.LaunchHostFunc(as<CUstream>(stream), reached, callback.get());
    if (result == CUDA_SUCCESS) (void)callback.release();
    return result;
  });
}

// ---- Code ----

// Only what the libhiprtc.so beside this one makes has code for NVIDIA's GPUs in it.
HIP_EXPORT hipError_t hipModuleLoadData(hipModule_t *out_module, const void *code) {
  return on_device([&] {
    const char *const bytes = static_cast<const char *>(code);
    std::string_view inside;
    if (std::memcmp(bytes, ELFMAG, SELFMAG) != 0) return nexus_cuda::CUDA_ERROR_INVALID_IMAGE;
    simulated_kernels::for_each_section(bytes, [&](const std::string &name, std::string_view text) {
      if (name == NEXUS_SIMULATED_SECTION) inside = text;
    });
    if (inside.empty()) return nexus_cuda::CUDA_ERROR_NO_BINARY_FOR_GPU;
    return cuda.LibraryLoadData(as<CUlibrary *>(out_module), inside.data(), nullptr, nullptr, 0,
                                nullptr, nullptr, 0);
  });
}

HIP_FORWARD(hipModuleUnload, (hipModule_t module), LibraryUnload, module)

HIP_EXPORT hipError_t hipModuleGetFunction(hipFunction_t *out_function, hipModule_t module,
                                           const char *name) {
  return on_device([&] {
    nexus_cuda::CUkernel kernel = nullptr;
    const CUresult found = cuda.LibraryGetKernel(&kernel, as<CUlibrary>(module), name);
    if (found != CUDA_SUCCESS) return found;
    return cuda.KernelGetFunction(as<CUfunction *>(out_function), kernel);
  });
}

HIP_FORWARD(hipModuleGetGlobal,
            (void **out_memory, size_t *out_size, hipModule_t module, const char *name),
            LibraryGetGlobal, out_memory, out_size, module, name)

HIP_FORWARD(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,
            (int *out_blocks, hipFunction_t function, int block_size, size_t shared),
            OccupancyMaxActiveBlocksPerMultiprocessor, out_blocks, function, block_size, shared)
HIP_FORWARD(hipModuleOccupancyMaxPotentialBlockSize,
            (int *out_grid, int *out_block, hipFunction_t function, size_t shared, int limit),
            OccupancyMaxPotentialBlockSize, out_grid, out_block, function, nullptr, shared, limit)

// ---- Launches ----

HIP_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z, unsigned shared,
                                            hipStream_t stream, void **parameters, void **extra) {
  const nexus_cuda::CUlaunchConfig config{
      grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, as<CUstream>(stream), nullptr, 0};
  void *packed[5] = {};  // HIP's list, with the 0 that is CUDA's end
  if (extra != nullptr) std::copy_n(extra, 4, packed);
  return forward(cuda.LaunchKernelEx, &config, function, parameters,
                 extra == nullptr ? nullptr : +packed);
}

HIP_EXPORT hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x,
                                                       unsigned grid_y, unsigned grid_z,
                                                       unsigned block_x, unsigned block_y,
                                                       unsigned block_z, unsigned shared,
                                                       hipStream_t stream, void **parameters) {
  nexus_cuda::CUlaunchAttribute cooperative{};
  cooperative.id = nexus_cuda::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  const nexus_cuda::CUlaunchConfig config{grid_x,       grid_y,  grid_z, block_x,
                                          block_y,      block_z, shared, as<CUstream>(stream),
                                          &cooperative, 1};
  return forward(cuda.LaunchKernelEx, &config, function, parameters, nullptr);
}
