// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include "device/device_state.hpp"

#include <utility>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Device, NXS_ObjectType_Device> devices;
std::vector<nxs_id> all_devices;

namespace {

CUdevice find_gpu(int ordinal) {
  CUdevice found = 0;
  check(cu.DeviceGet(&found, ordinal), "finding a GPU");
  return found;
}

}  // namespace

Device::Device(int ordinal) : ordinal_(ordinal), handle_(find_gpu(ordinal)) {
  char name[256] = "";
  nexus_cuda::check(cu.DeviceGetName(name, sizeof(name), handle_), "asking a GPU for its name");
  name_ = name;
  size_t bytes = 0;
  nexus_cuda::check(cu.DeviceTotalMem(&bytes, handle_), "asking a GPU for its memory");
  memory_size_ = bytes;
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

uint64_t Device::number(CUdevice_attribute which, uint64_t otherwise) const {
  const int value = attribute(which).value_or(0);
  return value > 0 ? static_cast<uint64_t>(value) : otherwise;
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

void Device::fail(CUresult result, std::string_view what) const {
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
              of.name(), "') and is used with the device ", used_with.ordinal(), " ('",
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

void Queue::call_later(EventPtr event, std::function<void()> call) const noexcept {
  device->state().frees.add({std::move(event)}, std::move(call));
}

}  // namespace nexus_cuda
