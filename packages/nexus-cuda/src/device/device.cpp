// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include "device/device_state.hpp"

#include <utility>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Device, NXS_ObjectType_Device> devices;
std::vector<nxs_id> all_devices;

Device::Device(int ordinal) : ordinal_(ordinal) {
  nexus_cuda::check(cu.DeviceGet(&handle_, ordinal), "finding a GPU");
  char name[256] = "";
  nexus_cuda::check(cu.DeviceGetName(name, sizeof(name), handle_), "asking a GPU for its name");
  name_ = name;
  size_t bytes = 0;
  nexus_cuda::check(cu.DeviceTotalMem(&bytes, handle_), "asking a GPU for its memory");
  memory_size_ = bytes;
  const auto number = [&](CUdevice_attribute of, uint64_t otherwise) {
    const int told = attribute(of).value_or(0);
    return told > 0 ? static_cast<uint64_t>(told) : otherwise;
  };
  compute_capability_ =
      static_cast<int>(number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) * 10 +
                       number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
  max_group_items_ = number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1);
  max_group_size_ = {number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1),
                     number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1),
                     number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 1)};
  max_group_count_ = {number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 1),
                      number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 1),
                      number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 1)};
  shared_memory_ = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0);
  max_shared_memory_ =
      number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_memory_);
  warp_size_ = number(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32);
  multiprocessors_ = number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1);
  const auto has = [&](CUdevice_attribute what) { return number(what, 0) != 0; };
  has_managed_memory_ = has(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
  has_memory_pools_ = has(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  shares_memory_ = has(CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED);
  has_stream_priorities_ = has(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
  has_cluster_launch_ = has(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  has_cooperative_launch_ = has(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
}

std::string Device::architecture() const {
  return join("sm_", compute_capability_);
}

std::optional<int> Device::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  const CUresult result = cu.DeviceGetAttribute(&value, attribute, handle_);
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED) return {};
  check(result, "asking a GPU for an attribute");
  return value;
}

CUcontext Device::retain_context() {
  const std::lock_guard lock(mutex_);
  CUcontext made = context_.load(std::memory_order_relaxed);
  if (made != nullptr) return made;
  nexus_cuda::check(cu.DevicePrimaryCtxRetain(&made, handle_),
                    join("starting the device '", name_, "'"));
  context_.store(made, std::memory_order_release);
  return made;
}

DeviceState &Device::make_state() {
  const CurrentContext current(*this);
  const std::lock_guard lock(mutex_);
  DeviceState *made = state_.load(std::memory_order_relaxed);
  if (made == nullptr) {
    made = new DeviceState(*this);
    state_.store(made, std::memory_order_release);
  }
  return *made;
}

FailurePtr Device::failure_of(CUresult result, std::string_view what) const noexcept {
  return lost_.failure_of(is_fatal(result), [&] {
    return make_error_of(result, status_of(result), join(what, " on the device '", name_, "'"));
  });
}

void Device::refuse(CUresult result, std::string_view what) const {
  if (is_fatal(result)) throw nexus_plugin::Failed(failure_of(result, what));
  throw_error(result, what);
}

std::string uuid_text(const CUuuid &uuid) {
  return nexus_plugin::hexadecimal({uuid.bytes, sizeof(uuid.bytes)});
}

std::string uuid_of(const Device &device) {
  CUuuid uuid{};
  return cu.DeviceGetUuid(&uuid, device.handle()) == CUDA_SUCCESS ? uuid_text(uuid) : "";
}

std::string dashed_uuid(std::string uuid) {
  if (uuid.empty()) return uuid;
  for (const std::size_t place : {20U, 16U, 12U, 8U}) uuid.insert(place, 1, '-');
  return uuid;
}

void check_same_device(const char *object, const Device &of, const Device &used_with) {
  if (&of == &used_with) return;
  throw Error(NXS_InvalidDevice, "the ", object, " is of the device ", of.ordinal(), " ('",
              of.name(), "') and is used with one of ", used_with.ordinal(), " ('",
              used_with.name(), "'); use objects of one device");
}

CurrentContext::CurrentContext(Device &device) {
  const CUcontext wanted = device.context();
  CUcontext now = nullptr;
  if (cu.CtxGetCurrent(&now) == CUDA_SUCCESS && now == wanted) return;
  device.check(cu.CtxPushCurrent(wanted), "making the device's context current");
  pushed_ = true;
}

// ---- Queue ---------------------------------------------------------------

constexpr const char *kWork = "work of the stream";

CUevent Queue::make_event(Device &device, bool timed) {
  CUevent made = nullptr;
  device.check(cu.EventCreate(&made, timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING),
               "making an event");
  return made;
}

CUstream Queue::make_stream(nexus_cuda::Device &device, int32_t priority) {
  CUstream made = nullptr;
  device.check(cu.StreamCreateWithPriority(&made, CU_STREAM_NON_BLOCKING, priority),
               "making a stream");
  return made;
}

EventPtr Queue::record() const {
  EventPtr event = EventPtr::make(device->state().events, false);
  device->check(cu.EventRecord(event->get(), pooled->stream), kWork);
  return event;
}

FailurePtr Queue::failure_of(CUresult status) const noexcept {
  return device->failure_of(status, kWork);
}

void Queue::waited() const {
  device->state().memory.keep_to_threshold();
}

void Queue::enqueue_wait(Enqueuing &work, const Signal &signal) {
  work.check(cu.StreamWaitEvent(work.stream, signal.event->get(), 0),
             "enqueuing a wait for an event");
}

double Queue::elapsed(nexus_cuda::Device &device, const EventPtr &start, const EventPtr &end) {
  device.refuse_lost();
  const CurrentContext current(device);
  float milliseconds = 0;
  device.check(cu.EventElapsedTime(&milliseconds, start->get(), end->get()),
               "reading the time between two events");
  return static_cast<double>(milliseconds) * 1e6;
}

void Queue::enqueue_host_call(Enqueuing &work, void (*reached)(void *), void *call) {
  work.check(cu.LaunchHostFunc(work.stream, reached, call), "enqueuing a host callback");
}

void Queue::call_later(EventPtr event, std::function<void()> call) const noexcept {
  device->state().frees.add({std::move(event)}, std::move(call));
}

}  // namespace nexus_cuda
