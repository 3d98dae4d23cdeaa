// SPDX-License-Identifier: Apache-2.0 AMD's HIP for the kit's templates; the kit's gpu/queue.hpp
// describes the struct.
#ifndef NEXUS_HIP_GPU_HPP_
#define NEXUS_HIP_GPU_HPP_

#include "driver/driver.hpp"
#include "driver/error.hpp"

#include <nexus-plugin/gpu/device_step.hpp>
#include <nexus-plugin/gpu/known_memory.hpp>
#include <nexus-plugin/kernel/launch.hpp>
#include <span>
#include <string>
#include <string_view>

namespace nexus_hip NXS_HIDDEN {

class CurrentDevice;
class Device;
class Kernel;
class LaunchCall;
class Library;
struct Recording;

// HIP's pools and graphs are used by settings only, since others report wrong data with both.
// Functions without a body are in device/gpu.cpp.
struct Gpu {
  // ---- Devices ----
  using Device = nexus_hip::Device;
  using Use = CurrentDevice;
  using NativeDevice = hipDevice_t;
  using Attribute = hipDeviceAttribute_t;
  static constexpr std::string_view kName = "HIP", kBackend = "nexus-hip";
  static constexpr std::string_view kVisibleDevices = "ROCR_VISIBLE_DEVICES";
  static constexpr const nexus_plugin::DriverErrors &errors = nexus_hip::errors;
  static hipError_t attribute(int *value, hipDeviceAttribute_t which, int device) noexcept {
    return hip.DeviceGetAttribute(value, which, device);
  }
  static bool is_unknown(hipError_t result) noexcept {
    return result == hipErrorInvalidValue || result == hipErrorNotSupported;
  }
  static constexpr std::size_t kUuidDigits = sizeof(hipUUID);
  // Tells hipErrorNotSupported if the GPU has none.
  static hipError_t uuid(std::string *out, int device);
  static std::string shown_uuid(std::string uuid) { return uuid; }  // as rocminfo, after "GPU-"

  // ---- Streams and events ----
  using NativeStream = hipStream_t;
  using NativeEvent = hipEvent_t;
  static constexpr hipError_t kNotReady = hipErrorNotReady;
  static constexpr unsigned kTimedEvent = hipEventDefault, kUntimedEvent = hipEventDisableTiming;
  static constexpr unsigned kBlockingEvent = hipEventDisableTiming | hipEventBlockingSync;
  static constexpr unsigned kSharedEvent = hipEventDisableTiming | hipEventInterprocess;
  static hipError_t make_stream(hipStream_t *out, int32_t priority) noexcept {
    return hip.StreamCreateWithPriority(out, hipStreamNonBlocking, priority);
  }
  static hipError_t destroy(hipStream_t stream) noexcept { return hip.StreamDestroy(stream); }
  static hipError_t make_event(hipEvent_t *out, unsigned flags) noexcept {
    return hip.EventCreateWithFlags(out, flags);
  }
  static hipError_t destroy(hipEvent_t event) noexcept { return hip.EventDestroy(event); }
  static hipError_t query(hipStream_t stream) noexcept { return hip.StreamQuery(stream); }
  static hipError_t query(hipEvent_t event) noexcept { return hip.EventQuery(event); }
  static hipError_t synchronize(hipStream_t s) noexcept { return hip.StreamSynchronize(s); }
  static hipError_t synchronize(hipEvent_t event) noexcept { return hip.EventSynchronize(event); }
  static hipError_t record(hipEvent_t event, hipStream_t stream) noexcept {
    return hip.EventRecord(event, stream);
  }
  static hipError_t wait(hipStream_t stream, hipEvent_t event) noexcept {
    return hip.StreamWaitEvent(stream, event, 0);
  }
  static hipError_t elapsed(float *milliseconds, hipEvent_t start, hipEvent_t end) noexcept {
    return hip.EventElapsedTime(milliseconds, start, end);
  }
  static hipError_t call_host(hipStream_t stream, void (*function)(void *), void *given) noexcept;
  static constexpr bool kLaunchesAnywhere = false;  // since HIP 7 on the current device only
  static hipError_t priority_range(int *least, int *greatest) noexcept {
    return hip.DeviceGetStreamPriorityRange(least, greatest);
  }

  // ---- Streams of other libraries ----
  static constexpr std::string_view kDefaultStreams = "0 or 2";
  static constexpr std::string_view kNotOf = "a stream of another device than";
  static constexpr std::string_view kInstead = "that device";
  static bool is_legacy_default(hipStream_t stream) noexcept { return stream == nullptr; }
  static bool is_thread_default(hipStream_t stream) noexcept {
    return reinterpret_cast<uintptr_t>(stream) == hipStreamPerThread;
  }
  static hipError_t is_captured(hipStream_t stream, bool *out) noexcept {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    const hipError_t result = hip.StreamIsCapturing(stream, &status);
    *out = status != hipStreamCaptureStatusNone;
    return result;
  }
  // Throws NXS_NotSupported if this HIP does not report.
  static hipError_t is_of(hipStream_t stream, Device &device, bool *out);
  static bool says_no_stream(hipError_t result) noexcept {
    return result == hipErrorInvalidHandle || result == hipErrorInvalidValue ||
           result == hipErrorContextIsDestroyed;
  }

  // ---- Memory ----
  using Address = uintptr_t;
  static void *pointer(Address address) noexcept { return reinterpret_cast<void *>(address); }
  static void **pointer(Address *address) noexcept { return reinterpret_cast<void **>(address); }
  static constexpr hipError_t kOutOfMemory = hipErrorOutOfMemory;
  static hipError_t allocate(Address *out, uint64_t size) noexcept {
    return hip.Malloc(pointer(out), size);
  }
  static hipError_t free(Address address) noexcept { return hip.Free(pointer(address)); }
  static hipError_t free_memory(size_t *free, size_t *total) noexcept {
    return hip.MemGetInfo(free, total);
  }
  static hipError_t allocate_managed(Address *out, uint64_t size) noexcept {
    return hip.MallocManaged(pointer(out), size, hipMemAttachGlobal);
  }
  static hipError_t allocate_host(void **out, uint64_t size) noexcept {
    return hip.HostMalloc(out, size, hipHostMallocPortable | hipHostMallocMapped);
  }
  static hipError_t free_host(void *memory) noexcept { return hip.HostFree(memory); }
  static hipError_t device_address(Address *out, void *host) noexcept {
    return hip.HostGetDevicePointer(pointer(out), host, 0);
  }
  static constexpr int64_t kDLPackDevice = 10, kDLPackHost = 11, kDLPackManaged = kDLPackDevice;

  // ---- Pools of memory ----
  using NativePool = hipMemPool_t;
  using PoolAttribute = hipMemPoolAttr;
  static constexpr PoolAttribute kPoolWaits = hipMemPoolReuseAllowInternalDependencies;
  static constexpr PoolAttribute kPoolThreshold = hipMemPoolAttrReleaseThreshold;
  static constexpr PoolAttribute kPoolReserved = hipMemPoolAttrReservedMemCurrent;
  static constexpr PoolAttribute kPoolUsed = hipMemPoolAttrUsedMemCurrent;
  static bool uses_pools(const Device &device) noexcept;
  static hipError_t make_pool(hipMemPool_t *out, int ordinal) noexcept {
    hipMemPoolProps properties{};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, ordinal};
    return hip.MemPoolCreate(out, &properties);
  }
  static hipError_t destroy(hipMemPool_t pool) noexcept { return hip.MemPoolDestroy(pool); }
  static hipError_t set_attribute(hipMemPool_t pool, PoolAttribute which, void *value) noexcept {
    return hip.MemPoolSetAttribute(pool, which, value);
  }
  static hipError_t get_attribute(hipMemPool_t pool, PoolAttribute which, void *value) noexcept {
    return hip.MemPoolGetAttribute(pool, which, value);
  }
  static hipError_t trim(hipMemPool_t pool, uint64_t keep) noexcept {
    return hip.MemPoolTrimTo(pool, keep);
  }
  static hipError_t allocate(Address *out, uint64_t size, hipMemPool_t pool,
                             hipStream_t stream) noexcept {
    return hip.MallocFromPoolAsync(pointer(out), size, pool, stream);
  }
  static hipError_t free(Address address, hipStream_t stream) noexcept {
    return hip.FreeAsync(pointer(address), stream);
  }
  static hipError_t let_access(hipMemPool_t pool, int ordinal) noexcept {
    const hipMemAccessDesc access = {{hipMemLocationTypeDevice, ordinal},
                                     hipMemAccessFlagsProtReadWrite};
    return hip.MemPoolSetAccess(pool, &access, 1);
  }

  // ---- Page-locked memory of the program ----
  static constexpr hipError_t kIsLocked = hipErrorHostMemoryAlreadyRegistered;
  // HIP registers memory again without an error, and the first unregistering would end both: asks
  // first whether it knows the memory.
  static hipError_t lock_pages(void *address, uint64_t size) noexcept {
    const bool locked = ask_of_address(address) == hipSuccess ||
                        ask_of_address(static_cast<char *>(address) + size - 1) == hipSuccess;
    return locked
               ? kIsLocked
               : hip.HostRegister(address, size, hipHostRegisterPortable | hipHostRegisterMapped);
  }
  static hipError_t unlock_pages(void *address) noexcept { return hip.HostUnregister(address); }
  static constexpr hipError_t kUnknownAddress = hipErrorInvalidValue;
  static hipError_t ask_of_address(const void *address) noexcept {
    hipMemoryType type{};
    const hipError_t result = hip.PointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                      const_cast<void *>(address));
    const bool unknown = is_hip_6() && type == hipMemoryTypeUnregistered;
    return result == hipSuccess && unknown ? kUnknownAddress : result;
  }

  // ---- Memory and events of others ----
  static Device *device(int ordinal);
  static nexus_plugin::gpu::KnownMemory look_up(Device &device, Address address);
  static hipError_t can_access(int *out, int device, int other) noexcept {
    return hip.DeviceCanAccessPeer(out, device, other);
  }
  static hipError_t enable_access(Device &other);
  static constexpr hipError_t kAccessEnabled = hipErrorPeerAccessAlreadyEnabled;
  using MemoryHandle = hipIpcMemHandle_t;
  static hipError_t export_memory(MemoryHandle *out, Address address) noexcept {
    return hip.IpcGetMemHandle(out, pointer(address));
  }
  // The flag may have no other value.
  static hipError_t open_memory(Address *out, const MemoryHandle &handle) noexcept {
    return hip.IpcOpenMemHandle(pointer(out), handle,
                                is_hip_6() ? hipIpcMemLazyEnablePeerAccess : 0);
  }
  static hipError_t close_memory(Address address) noexcept {
    return hip.IpcCloseMemHandle(pointer(address));
  }
  using EventHandle = hipIpcEventHandle_t;
  static hipError_t export_event(EventHandle *out, hipEvent_t event) noexcept {
    return hip.IpcGetEventHandle(out, event);
  }
  static hipError_t open_event(hipEvent_t *out, const EventHandle &handle) noexcept {
    return hip.IpcOpenEventHandle(out, handle);
  }

  // ---- Libraries, kernels and launches ----
  using Library = nexus_hip::Library;
  using Kernel = nexus_hip::Kernel;
  using Module = hipModule_t;
  using Function = hipFunction_t;
  static constexpr const char *kConvention = "hip";
  static hipError_t load(hipModule_t *out, const std::string &code, std::span<char>) noexcept {
    return hip.ModuleLoadData(out, code.data());
  }
  static hipError_t unload(hipModule_t module) noexcept { return hip.ModuleUnload(module); }
  static constexpr hipError_t kNotFound = hipErrorNotFound;
  static hipError_t find_variable(Address *out, size_t *size, hipModule_t module,
                                  const char *symbol) noexcept {
    return hip.ModuleGetGlobal(pointer(out), size, module, symbol);
  }
  static hipError_t best_group(int *items, hipFunction_t function, uint64_t shared) noexcept {
    int grid = 0;
    return hip.ModuleOccupancyMaxPotentialBlockSize(&grid, items, function, shared, 0);
  }
  static hipError_t active_groups(int *groups, hipFunction_t function, int items,
                                  uint64_t shared) noexcept {
    return hip.ModuleOccupancyMaxActiveBlocksPerMultiprocessor(groups, function, items, shared);
  }
  static constexpr nexus_plugin::LaunchOptions kLaunchOptions = {
      .flags = NXS_LaunchFlags_Cooperative, .clusters = false};
  static constexpr uint64_t kMostItems = UINT32_MAX;
  static void check_other_options(const Kernel &, const nexus_plugin::Launch &, uint64_t) {}
  static uint64_t free_shared(const Kernel &kernel, uint64_t groups, uint64_t items);

  // ---- Schedules ----
  using Recording = nexus_hip::Recording;
  using LaunchCall = nexus_hip::LaunchCall;
  static constexpr const char *kProfilers = "rocprofv3, or rocprof before ROCm 6.2";
  static hipError_t copy(Address to, Address from, uint64_t size, hipStream_t stream) noexcept {
    return hip.MemcpyAsync(pointer(to), pointer(from), size, hipMemcpyDefault, stream);
  }
  static hipError_t copy_rows(Address to, Address from, const nxs_rows &rows,
                              hipStream_t stream) noexcept {
    const auto place = [&](Address at, const uint64_t (&pitches)[2]) {
      return hipPitchedPtr{pointer(at), pitches[0], rows.bytes, pitches[1] / pitches[0]};
    };
    hipMemcpy3DParms copy{};
    copy.srcPtr = place(from, rows.from_pitches);
    copy.dstPtr = place(to, rows.to_pitches);
    copy.extent = {rows.bytes, rows.counts[0], rows.counts[1]};
    copy.kind = hipMemcpyDefault;
    return hip.Memcpy3DAsync(&copy, stream);
  }
  static hipError_t fill(Address to, unsigned value, unsigned element, uint64_t count,
                         hipStream_t stream) noexcept {
    void *const at = pointer(to);
    if (element == 1) return hip.MemsetD8Async(at, static_cast<uint8_t>(value), count, stream);
    if (element == 2) return hip.MemsetD16Async(at, static_cast<uint16_t>(value), count, stream);
    return hip.MemsetD32Async(at, static_cast<int>(value), count, stream);
  }
  static unsigned widest_in_rows() noexcept {
    return hip.MemsetD2D16Async != nullptr && hip.MemsetD2D32Async != nullptr ? 4 : 1;
  }
  static hipError_t fill_rows(Address to, uint64_t pitch, unsigned value, unsigned element,
                              uint64_t rows, hipStream_t stream) noexcept {
    void *const at = pointer(to);
    if (element == 1) {
      return hip.Memset2DAsync(at, pitch, static_cast<int>(value), 1, rows, stream);
    }
    if (element == 2) {
      return hip.MemsetD2D16Async(at, pitch, static_cast<uint16_t>(value), 1, rows, stream);
    }
    return hip.MemsetD2D32Async(at, pitch, value, 1, rows, stream);
  }

  // ---- Captured work ----
  static hipError_t begin_capture(hipStream_t stream) noexcept {
    return hip.StreamBeginCapture(stream, hipStreamCaptureModeRelaxed);
  }
  static hipError_t end_capture(hipStream_t stream, hipGraph_t *out) noexcept {
    return hip.StreamEndCapture(stream, out);
  }
  static hipError_t nodes_of(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) noexcept {
    return hip.GraphGetNodes(graph, nodes, count);
  }
  static hipError_t look_at(hipGraphNode_t node, bool *out_of_memory,
                            hipGraph_t *out_child) noexcept {
    hipGraphNodeType type{};
    const hipError_t result = hip.GraphNodeGetType(node, &type);
    if (!is_hip_6()) return result;
    *out_of_memory = type == hipGraphNodeTypeMemAlloc || type == hipGraphNodeTypeMemFree;
    if (type != hipGraphNodeTypeGraph) return result;
    return hip.GraphChildGraphNodeGetGraph(node, out_child);
  }

  // ---- Graphs ----
  using NativeGraph = hipGraph_t;
  using NativeNode = hipGraphNode_t;
  using NativeNodes = std::span<const NativeNode>;
  using NativeExecutable = hipGraphExec_t;
  static bool uses_graphs(const Device &) noexcept { return hip.graphs; }
  static hipError_t make_graph(hipGraph_t *out) noexcept { return hip.GraphCreate(out, 0); }
  static hipError_t destroy(hipGraph_t graph) noexcept { return hip.GraphDestroy(graph); }
  static hipError_t instantiate(hipGraphExec_t *out, hipGraph_t graph) noexcept {
    return hip.GraphInstantiateWithFlags(out, graph, 0);
  }
  static hipError_t destroy(hipGraphExec_t graph) noexcept { return hip.GraphExecDestroy(graph); }
  static hipError_t launch(hipGraphExec_t graph, hipStream_t stream) noexcept {
    return hip.GraphLaunch(graph, stream);
  }
  static hipError_t upload(hipGraphExec_t graph, hipStream_t stream) noexcept {
    return hip.GraphUpload == nullptr ? hipSuccess : hip.GraphUpload(graph, stream);
  }
  static hipError_t add(hipGraphNode_t *out, hipGraph_t graph, NativeNodes after,
                        hipGraph_t part) noexcept {
    return hip.GraphAddChildGraphNode(out, graph, after.data(), after.size(), part);
  }
  // launch.cpp has these.
  static hipError_t add(hipGraphNode_t *out, hipGraph_t graph, NativeNodes after,
                        const nexus_plugin::gpu::CopyStep &copy, Device &) noexcept;
  static hipError_t add(hipGraphNode_t *out, hipGraph_t graph, NativeNodes after,
                        const nexus_plugin::gpu::FillStep &fill, Device &) noexcept;
  static hipError_t add(hipGraphNode_t *out, hipGraph_t graph, NativeNodes after, LaunchCall &call,
                        bool after_kernel) noexcept;
  static hipError_t change(hipGraphExec_t graph, hipGraphNode_t node, LaunchCall &call) noexcept;
};

}  // namespace nexus_hip

#endif  // NEXUS_HIP_GPU_HPP_
