// SPDX-License-Identifier: Apache-2.0 NVIDIA's driver for the kit's templates; the kit's
// gpu/queue.hpp describes the struct.
#ifndef NEXUS_CUDA_GPU_HPP_
#define NEXUS_CUDA_GPU_HPP_

#include "driver/driver.hpp"
#include "driver/error.hpp"

#include <cstddef>
#include <cstdint>
#include <nexus-plugin/gpu/device_step.hpp>
#include <nexus-plugin/gpu/known_memory.hpp>
#include <nexus-plugin/kernel/launch.hpp>
#include <span>
#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

class CurrentContext;
class Device;
class ConditionCall;
class Kernel;
class LaunchCall;
class Library;
struct Recording;

struct Gpu {
  // ---- Devices ----
  using Device = nexus_cuda::Device;
  using Use = CurrentContext;
  using NativeDevice = CUdevice;
  using Attribute = CUdevice_attribute;
  static constexpr std::string_view kName = "CUDA", kBackend = "nexus-cuda";
  static constexpr std::string_view kVisibleDevices = "CUDA_VISIBLE_DEVICES";
  static constexpr const nexus_plugin::DriverErrors &errors = nexus_cuda::errors;
  static CUresult attribute(int *value, Attribute which, CUdevice device) noexcept {
    return cu.DeviceGetAttribute(value, which, device);
  }
  static bool is_unknown(CUresult result) noexcept {
    return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED;
  }
  // The UUID is the one of the MIG instance if the device is one.
  static constexpr std::size_t kUuidDigits = 32;
  static CUresult uuid(std::string *out, CUdevice device) {
    CUuuid told{};
    const CUresult result = cu.DeviceGetUuid(&told, device);
    *out = nexus_plugin::hexadecimal({told.bytes, sizeof(told.bytes)});
    return result;
  }
  // Returns the UUID as NVML and nvidia-smi write it after "GPU-" or "MIG-":
  // "8932f937-d72c-4106-c12f-20bd9faed9f6".
  static std::string shown_uuid(std::string uuid) {
    if (uuid.empty()) return uuid;
    for (const std::size_t place : {20U, 16U, 12U, 8U}) uuid.insert(place, 1, '-');
    return uuid;
  }

  // ---- Streams and events ----
  using NativeStream = CUstream;
  using NativeEvent = CUevent;
  static constexpr CUresult kNotReady = CUDA_ERROR_NOT_READY;
  static constexpr unsigned kTimedEvent = CU_EVENT_DEFAULT;
  static constexpr unsigned kUntimedEvent = CU_EVENT_DISABLE_TIMING;
  static constexpr unsigned kBlockingEvent = CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC;
  static constexpr unsigned kSharedEvent = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  static CUresult make_stream(CUstream *out, int32_t priority) noexcept {
    return cu.StreamCreateWithPriority(out, CU_STREAM_NON_BLOCKING, priority);
  }
  static CUresult destroy(CUstream stream) noexcept { return cu.StreamDestroy(stream); }
  static CUresult make_event(CUevent *out, unsigned flags) noexcept {
    return cu.EventCreate(out, flags);
  }
  static CUresult destroy(CUevent event) noexcept { return cu.EventDestroy(event); }
  static CUresult query(CUstream stream) noexcept { return cu.StreamQuery(stream); }
  static CUresult query(CUevent event) noexcept { return cu.EventQuery(event); }
  static CUresult synchronize(CUstream stream) noexcept { return cu.StreamSynchronize(stream); }
  static CUresult synchronize(CUevent event) noexcept { return cu.EventSynchronize(event); }
  static CUresult record(CUevent event, CUstream stream) noexcept {
    return cu.EventRecord(event, stream);
  }
  static CUresult wait(CUstream stream, CUevent event) noexcept {
    return cu.StreamWaitEvent(stream, event, 0);
  }
  static CUresult elapsed(float *milliseconds, CUevent start, CUevent end) noexcept {
    return cu.EventElapsedTime(milliseconds, start, end);
  }
  static CUresult call_host(CUstream stream, void (*function)(void *), void *given) noexcept {
    return cu.LaunchHostFunc(stream, function, given);
  }
  static constexpr bool kLaunchesAnywhere = true;
  static CUresult priority_range(int *least, int *greatest) noexcept {
    return cu.CtxGetStreamPriorityRange(least, greatest);
  }

  // ---- Streams of other libraries ----
  static constexpr std::string_view kDefaultStreams = "1 or 2";
  static constexpr std::string_view kNotOf =
      "a stream of another device, or of a context that is not the primary one of the device";
  static constexpr std::string_view kInstead = "its primary context";
  static bool is_legacy_default(CUstream stream) noexcept {
    return reinterpret_cast<uintptr_t>(stream) <= CU_STREAM_LEGACY;
  }
  static bool is_thread_default(CUstream stream) noexcept {
    return reinterpret_cast<uintptr_t>(stream) == CU_STREAM_PER_THREAD;
  }
  static CUresult is_captured(CUstream stream, bool *out) noexcept {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = cu.StreamIsCapturing(stream, &status);
    *out = status != CU_STREAM_CAPTURE_STATUS_NONE;
    return result;
  }
  // Defined in device.hpp. Throws if the device can't be started.
  static CUresult is_of(CUstream stream, Device &device, bool *out);
  static bool says_no_stream(CUresult result) noexcept {
    return result == CUDA_ERROR_INVALID_HANDLE || result == CUDA_ERROR_INVALID_VALUE ||
           result == CUDA_ERROR_INVALID_CONTEXT;
  }

  // ---- Events of other processes ----
  using EventHandle = CUipcEventHandle;
  static CUresult export_event(EventHandle *out, CUevent event) noexcept {
    return cu.IpcGetEventHandle(out, event);
  }
  static CUresult open_event(CUevent *out, const EventHandle &handle) noexcept {
    return cu.IpcOpenEventHandle(out, handle);
  }

  // ---- Memory ----
  static constexpr CUresult kOutOfMemory = CUDA_ERROR_OUT_OF_MEMORY;
  using Address = CUdeviceptr;
  static CUresult copy(CUdeviceptr to, CUdeviceptr from, uint64_t size, CUstream stream) noexcept {
    return cu.MemcpyAsync(to, from, size, stream);
  }
  static CUresult copy_rows(CUdeviceptr to, CUdeviceptr from, const nxs_rows &rows,
                            CUstream stream) noexcept {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = from;
    copy.srcPitch = rows.from_pitches[0];
    copy.srcHeight = rows.from_pitches[1] / rows.from_pitches[0];
    copy.dstDevice = to;
    copy.dstPitch = rows.to_pitches[0];
    copy.dstHeight = rows.to_pitches[1] / rows.to_pitches[0];
    copy.WidthInBytes = rows.bytes;
    copy.Height = rows.counts[0];
    copy.Depth = rows.counts[1];
    return cu.Memcpy3DAsync(&copy, stream);
  }
  static CUresult allocate_host(void **out, uint64_t size) noexcept {
    return cu.MemHostAlloc(out, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  }
  static CUresult free_host(void *memory) noexcept { return cu.MemFreeHost(memory); }

  // ---- Memory of buffers ----
  static CUresult allocate(CUdeviceptr *out, uint64_t size) noexcept {
    return cu.MemAlloc(out, size);
  }
  static CUresult free(CUdeviceptr address) noexcept { return cu.MemFree(address); }
  static CUresult free_memory(size_t *free, size_t *total) noexcept {
    return cu.MemGetInfo(free, total);
  }
  static CUresult allocate_managed(CUdeviceptr *out, uint64_t size) noexcept {
    return cu.MemAllocManaged(out, size, CU_MEM_ATTACH_GLOBAL);
  }
  static CUresult device_address(CUdeviceptr *out, void *host) noexcept {
    return cu.MemHostGetDevicePointer(out, host, 0);
  }
  static constexpr int64_t kDLPackDevice = 2, kDLPackHost = 3, kDLPackManaged = 13;

  // ---- Pools of memory ----
  using NativePool = CUmemoryPool;
  using PoolAttribute = CUmemPool_attribute;
  static constexpr PoolAttribute kPoolWaits = CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
  static constexpr PoolAttribute kPoolThreshold = CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
  static constexpr PoolAttribute kPoolReserved = CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
  static constexpr PoolAttribute kPoolUsed = CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
  static bool uses_pools(const Device &device) noexcept;  // defined in device.hpp
  static CUresult make_pool(CUmemoryPool *out, int ordinal) noexcept {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, ordinal};
    return cu.MemPoolCreate(out, &properties);
  }
  static CUresult destroy(CUmemoryPool pool) noexcept { return cu.MemPoolDestroy(pool); }
  static CUresult set_attribute(CUmemoryPool pool, PoolAttribute which, void *value) noexcept {
    return cu.MemPoolSetAttribute(pool, which, value);
  }
  static CUresult get_attribute(CUmemoryPool pool, PoolAttribute which, void *value) noexcept {
    return cu.MemPoolGetAttribute(pool, which, value);
  }
  static CUresult trim(CUmemoryPool pool, uint64_t keep) noexcept {
    return cu.MemPoolTrimTo(pool, keep);
  }
  static CUresult allocate(CUdeviceptr *out, uint64_t size, CUmemoryPool pool,
                           CUstream stream) noexcept {
    return cu.MemAllocFromPoolAsync(out, size, pool, stream);
  }
  static CUresult free(CUdeviceptr address, CUstream stream) noexcept {
    return cu.MemFreeAsync(address, stream);
  }
  static CUresult let_access(CUmemoryPool pool, int ordinal) noexcept {
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, ordinal},
                                    CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return cu.MemPoolSetAccess(pool, &access, 1);
  }

  // ---- Page-locked memory of the program ----
  static constexpr CUresult kIsLocked = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  static CUresult lock_pages(void *address, uint64_t size) noexcept {
    return cu.MemHostRegister(address, size,
                              CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  }
  static CUresult unlock_pages(void *address) noexcept { return cu.MemHostUnregister(address); }
  static constexpr CUresult kUnknownAddress = CUDA_ERROR_INVALID_VALUE;
  static CUresult ask_of_address(const void *address) noexcept {
    CUmemorytype type{};
    const CUresult result = cu.PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                   reinterpret_cast<CUdeviceptr>(address));
    return result == CUDA_SUCCESS && type == 0 ? kUnknownAddress : result;
  }

  // ---- Memory of others ----
  // memory/known_memory.cpp has these.
  static Device *device(int ordinal);
  static nexus_plugin::gpu::KnownMemory look_up(Device &device, CUdeviceptr address);
  static CUresult can_access(int *out, CUdevice device, CUdevice other) noexcept {
    return cu.DeviceCanAccessPeer(out, device, other);
  }
  static CUresult enable_access(Device &other);
  static constexpr CUresult kAccessEnabled = CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  using MemoryHandle = CUipcMemHandle;
  static CUresult export_memory(CUipcMemHandle *out, CUdeviceptr address) noexcept {
    return cu.IpcGetMemHandle(out, address);
  }
  static CUresult open_memory(CUdeviceptr *out, const CUipcMemHandle &handle) noexcept {
    return cu.IpcOpenMemHandle(out, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  }
  static CUresult close_memory(CUdeviceptr address) noexcept {
    return cu.IpcCloseMemHandle(address);
  }

  // ---- Libraries and kernels ----
  using Library = nexus_cuda::Library;
  using Kernel = nexus_cuda::Kernel;
  using Module = CUlibrary;
  using Function = CUfunction;
  static constexpr const char *kConvention = "cuda";
  static CUresult load(CUlibrary *out, const std::string &code, std::span<char> log) noexcept {
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
    return cu.LibraryLoadData(out, code.c_str(), options, values, 2, nullptr, nullptr, 0);
  }
  static CUresult unload(CUlibrary library) noexcept { return cu.LibraryUnload(library); }
  static constexpr CUresult kNotFound = CUDA_ERROR_NOT_FOUND;
  static CUresult find_variable(CUdeviceptr *out, size_t *size, CUlibrary library,
                                const char *symbol) noexcept {
    return cu.LibraryGetGlobal(out, size, library, symbol);
  }
  static CUresult best_group(int *items, CUfunction function, uint64_t dynamic_shared) noexcept {
    int grid = 0;
    return cu.OccupancyMaxPotentialBlockSize(&grid, items, function, nullptr, dynamic_shared, 0);
  }
  static CUresult active_groups(int *groups, CUfunction function, int items,
                                uint64_t dynamic_shared) noexcept {
    return cu.OccupancyMaxActiveBlocksPerMultiprocessor(groups, function, items, dynamic_shared);
  }
  static CUresult allow_dynamic_shared(CUfunction function, uint64_t bytes) noexcept {
    return cu.FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(bytes));
  }

  // ---- Launches; launch_options.cpp has the functions ----
  static constexpr nexus_plugin::LaunchOptions kLaunchOptions = {
      .flags = NXS_LaunchFlags_Cooperative | NXS_LaunchFlags_Programmatic, .clusters = true};
  static constexpr uint64_t kMostItems = UINT64_MAX;  // only blocks have limits
  static void check_other_options(const Kernel &kernel, const nexus_plugin::Launch &launch,
                                  uint64_t dynamic_shared);
  static uint64_t free_shared(const Kernel &kernel, uint64_t groups, uint64_t items);
  static uint64_t max_cluster_size(const Kernel &kernel, const nexus_plugin::Launch &launch,
                                   uint64_t dynamic_shared);
  static uint64_t active_clusters(const Kernel &kernel, const nexus_plugin::Launch &launch,
                                  uint64_t dynamic_shared);

  // ---- Schedules ----
  using Recording = nexus_cuda::Recording;
  using LaunchCall = nexus_cuda::LaunchCall;
  static constexpr const char *kProfilers = "ncu (counters) or nsys profile";
  static CUresult fill(CUdeviceptr to, unsigned value, unsigned element, uint64_t count,
                       CUstream stream) noexcept {
    switch (element) {
      case 1:
        return cu.MemsetD8Async(to, static_cast<unsigned char>(value), count, stream);
      case 2:
        return cu.MemsetD16Async(to, static_cast<unsigned short>(value), count, stream);
      default:
        return cu.MemsetD32Async(to, value, count, stream);
    }
  }
  static constexpr unsigned widest_in_rows() noexcept { return 4; }
  static CUresult fill_rows(CUdeviceptr to, uint64_t pitch, unsigned value, unsigned element,
                            uint64_t rows, CUstream stream) noexcept {
    switch (element) {
      case 1:
        return cu.MemsetD2D8Async(to, pitch, static_cast<unsigned char>(value), 1, rows, stream);
      case 2:
        return cu.MemsetD2D16Async(to, pitch, static_cast<unsigned short>(value), 1, rows, stream);
      default:
        return cu.MemsetD2D32Async(to, pitch, value, 1, rows, stream);
    }
  }

  // ---- Captured work ----
  // RELAXED: the other modes forbid calls such as cuMemAlloc, in one of them to all threads.
  static CUresult begin_capture(CUstream stream) noexcept {
    return cu.StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  }
  static CUresult end_capture(CUstream stream, CUgraph *out) noexcept {
    return cu.StreamEndCapture(stream, out);
  }
  static CUresult nodes_of(CUgraph graph, CUgraphNode *nodes, size_t *count) noexcept {
    return cu.GraphGetNodes(graph, nodes, count);
  }
  static CUresult look_at(CUgraphNode node, bool *out_of_memory, CUgraph *out_child) noexcept {
    CUgraphNodeType type{};
    const CUresult result = cu.GraphNodeGetType(node, &type);
    *out_of_memory = type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
    if (type != CU_GRAPH_NODE_TYPE_GRAPH) return result;
    return cu.GraphChildGraphNodeGetGraph(node, out_child);
  }

  // ---- Graphs ----
  using NativeGraph = CUgraph;
  using NativeNode = CUgraphNode;
  using NativeNodes = std::span<const NativeNode>;
  using NativeExecutable = CUgraphExec;
  static bool uses_graphs(const Device &) noexcept { return true; }
  static CUresult make_graph(CUgraph *out) noexcept { return cu.GraphCreate(out, 0); }
  static CUresult destroy(CUgraph graph) noexcept { return cu.GraphDestroy(graph); }
  static CUresult instantiate(CUgraphExec *out, CUgraph graph) noexcept {
    return cu.GraphInstantiateWithFlags(out, graph, 0);
  }
  static CUresult destroy(CUgraphExec graph) noexcept { return cu.GraphExecDestroy(graph); }
  static CUresult launch(CUgraphExec graph, CUstream stream) noexcept {
    return cu.GraphLaunch(graph, stream);
  }
  static CUresult upload(CUgraphExec graph, CUstream stream) noexcept {
    return cu.GraphUpload(graph, stream);
  }
  static CUresult add(CUgraphNode *out, CUgraph graph, NativeNodes after, CUgraph part) noexcept {
    return cu.GraphAddChildGraphNode(out, graph, after.data(), after.size(), part);
  }
  // schedule.cpp has these.
  static CUresult add(CUgraphNode *out, CUgraph graph, NativeNodes after,
                      const nexus_plugin::gpu::CopyStep &copy, Device &device) noexcept;
  static CUresult add(CUgraphNode *out, CUgraph graph, NativeNodes after,
                      const nexus_plugin::gpu::FillStep &fill, Device &device) noexcept;
  static CUresult add(CUgraphNode *out, CUgraph graph, NativeNodes after, const LaunchCall &call,
                      bool after_kernel) noexcept;
  static CUresult change(CUgraphExec graph, CUgraphNode node, const LaunchCall &call) noexcept;
  // condition.cpp has these.
  using ConditionHandle = CUgraphConditionalHandle;
  using ConditionCall = nexus_cuda::ConditionCall;
  static bool has_conditions() noexcept {
    return cu.GraphConditionalHandleCreate != nullptr && cu.GraphAddNode != nullptr;
  }
  static CUresult make_condition(ConditionHandle *out, CUgraph graph, Device &device) noexcept;
  static CUresult add(CUgraphNode *out, CUgraph *out_body, CUgraph graph, NativeNodes after,
                      ConditionHandle condition, bool loops, Device &device) noexcept;
  static CUresult add(CUgraphNode *out, CUgraph graph, NativeNodes after,
                      const ConditionCall &call) noexcept;
  static CUresult change(CUgraphExec graph, CUgraphNode node, const ConditionCall &call) noexcept;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_GPU_HPP_
