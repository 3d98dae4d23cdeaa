// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/process.hpp"
#include "base/text.hpp"
#include "device/device_merge.hpp"
#include "object/property.hpp"

namespace nexus::core {

namespace {

NativeProperties propertiesOf(const Plugin &plugin, nxs_id id) {
  return {plugin, &nxs_functions::GetDeviceProperty, id, "device"};
}

// Returns a size that the device reports, or fallback.
uint64_t statedSize(const Plugin &plugin, nxs_id id, nxs_property number, uint64_t fallback) {
  const auto stated = propertiesOf(plugin, id).readInt(number);
  return stated && *stated > 0 ? static_cast<uint64_t>(*stated) : fallback;
}

}  // namespace

Device::Device(Runtime &runtime, const Plugin &plugin, uint64_t index, nxs_id id)
    : Object(kType),
      runtime_(runtime),
      plugin_(plugin),
      queues_(makeQueuesOf(*this)),
      id_(id),
      selector_(plugin_.name + ":" + std::to_string(index)),
      offset_alignment_(statedSize(plugin_, id, NP_BufferOffsetAlignment, 1)),
      max_group_size_(
          statedSize(plugin_, id, NP_MaxThreadsPerBlock,
                     statedSize(plugin_, id, NP_MaxThreadsPerThreadgroup, UINT64_MAX))) {}

std::optional<std::vector<std::string>> Device::languages() const {
  const std::optional<json::Value> known = propertiesOf(plugin_, id_).read(NP_Languages);
  if (!known || !known->isArray()) return std::nullopt;
  std::vector<std::string> languages;
  for (const json::Value &language : *known->array()) {
    if (language.isString()) languages.push_back(*language.string());
  }
  return languages;
}

bool Device::handlesAreAddresses() const {
  // DLPack's device types of OpenCL, Vulkan, Metal and WebGPU.
  constexpr std::array objects{4, 7, 8, 15};
  const auto type = propertiesOf(plugin_, id_).readDLPackType();
  return !type || !contains(objects, *type);
}

std::optional<json::Value> Device::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(id_);
    case NP_MemoryUsed:
      return json::Value(static_cast<int64_t>(memory_count_.used()));
    case NP_MemoryPeak:
      return json::Value(static_cast<int64_t>(memory_count_.peak()));
    case NP_MemoryReserved:
      if (auto reserved = propertiesOf(plugin_, id_).read(number)) return reserved;
      // the plug-in keeps no free memory
      return json::Value(static_cast<int64_t>(memory_count_.used()));
    case NP_MemorySubsystem: {
      auto memories = propertiesOf(plugin_, id_).read(number);
      if (memories) orderMemories(*memories);
      return memories;
    }
    case NP_ReleaseThreshold:
      if (const uint64_t bytes = release_threshold_.load(); bytes != UINT64_MAX) {
        return json::Value(static_cast<int64_t>(bytes));
      }
      return std::nullopt;
    default:
      return propertiesOf(plugin_, id_).read(number);
  }
}

std::vector<std::string> Device::propertyKeys() {
  std::vector<std::string> own{"ID", "Keys", "MemoryUsed", "MemoryPeak", "MemoryReserved"};
  if (release_threshold_.load() != UINT64_MAX) {
    own.emplace_back("ReleaseThreshold");
  }
  return propertiesOf(plugin_, id_).keys(std::move(own));
}

Ref<Counted> Device::resource() const {
  if (!has_resource_.load(std::memory_order_acquire)) return {};
  const std::lock_guard<std::mutex> lock(mutex_);
  return resource_;
}

void Device::setResource(Ref<Counted> resource) {
  const std::lock_guard<std::mutex> lock(mutex_);
  has_resource_.store(static_cast<bool>(resource), std::memory_order_release);
  std::swap(resource_, resource);  // the former is released outside the lock: it calls the program
}

Ref<Native> Device::makeNativeSchedule() const {
  nxs_id id = 0;
  plugin_.call(&nxs_functions::CreateSchedule, "make a schedule", id_, &id);
  return make<Native>(plugin_, &nxs_functions::ReleaseSchedule, id, "schedule");
}

void Device::setReleaseThreshold(uint64_t bytes) {
  if (bytes > INT64_MAX && bytes != UINT64_MAX) {
    failWith(NXS_InvalidValue, "bytes is ", bytes, "; give at most ", INT64_MAX,
             ", or None (in C UINT64_MAX) to keep all.");
  }
  plugin_.callIfSupported(&nxs_functions::SetReleaseThreshold, "set how much memory is kept", id_,
                          bytes);
  release_threshold_.store(bytes);
}

void requireSameDevice(const Device &given, const char *what, const Device &wanted,
                       const char *for_what) {
  if (&given == &wanted) return;
  failWith(NXS_InvalidDevice, what, " is on the device '", given.selector(), "', and the ",
           for_what, " on '", wanted.selector(), "'; give one from '", wanted.selector(), "'.");
}

namespace {

NativeProperties propertiesOf(const Plugin &plugin) {
  return {plugin, &nxs_functions::GetRuntimeProperty, plugin.runtime, "runtime"};
}

struct MadeRuntimes {
  std::mutex mutex;
  std::vector<Runtime *> list;  // under mutex; never freed
};

}  // namespace

Runtime::Runtime(const Plugin &plugin)
    : Object(kType),
      plugin_(plugin),
      device_count_(plugin.device_count),
      devices_(device_count_, nullptr) {}

Device &Runtime::device(uint64_t index) {
  if (index >= device_count_) {
    failWith(NXS_InvalidDevice, "index is ", index, ", and the runtime '", plugin_.name, "' has ",
             counted(device_count_, "device"), ", counted from 0.");
  }
  const Lock lock(mutex_);
  Device *&device = devices_[index];
  if (device == nullptr) {
    nxs_id id = 0;
    plugin_.call(&nxs_functions::GetDevice, "give a device", plugin_.runtime,
                 static_cast<uint32_t>(index), &id);
    if (id <= 0 || NXS_ID_TYPE(id) != NXS_ObjectType_Device || NXS_ID_TAG(id) != plugin_.tag) {
      throw Failure(
          NXS_InternalError,
          join("The backend ", plugin_.name, " returned the id ", id, " for its device ", index,
               ", which is not the id of one of its devices; report it to its authors."),
          0, plugin_.name);
    }
    device = new Device(*this, plugin_, index, id);
  }
  return *device;
}

std::vector<Device *> Runtime::madeDevices() {
  const Lock lock(mutex_);
  std::vector<Device *> made;
  std::copy_if(devices_.begin(), devices_.end(), std::back_inserter(made),
               [](const Device *device) { return device != nullptr; });
  return made;
}

std::optional<json::Value> Runtime::property(std::string_view, nxs_property number) {
  if (number == NP_ID) return json::Value(nativeId());
  if (number == NP_Name) {
    return json::Value(plugin_.name);  // the manifest's name, by which it is found
  }
  if (auto value = propertiesOf(plugin_).read(number)) return value;
  if (number == NP_Capabilities) return json::Value(static_cast<int64_t>(plugin_.capabilities));
  if (number == NP_Version) return json::Value(plugin_.version);
  return std::nullopt;
}

std::vector<std::string> Runtime::propertyKeys() {
  return propertiesOf(plugin_).keys({"ID", "Keys", "Name", "Capabilities", "Version"});
}

Runtime &runtimeOf(const Plugin &plugin) {
  MadeRuntimes &made = ofProcess<MadeRuntimes>();
  const std::lock_guard<std::mutex> lock(made.mutex);
  for (Runtime *runtime : made.list) {
    if (&runtime->plugin() == &plugin) return *runtime;
  }
  Ref<Runtime> runtime = make<Runtime>(plugin);
  made.list.push_back(runtime.get());
  return *runtime.detach();
}

std::vector<Runtime *> madeRuntimes() {
  MadeRuntimes &made = ofProcess<MadeRuntimes>();
  const std::lock_guard<std::mutex> lock(made.mutex);
  return made.list;
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_get_selector(nexus_device *device, nxs_string *out_selector) {
  return giveResult(out_selector, "out_selector",
                    [&] { return stringOf(given<Device>(device, "device").selector()); });
}

nxs_status nexus_device_get_objects(nexus_device *device, nxs_object_type type, uint64_t capacity,
                                    nexus_object **out_objects, uint64_t *out_count) {
  return guarded([&] {
    requirePointer(out_count, "out_count");
    if (capacity > 0) {
      requirePointer(out_objects, "out_objects");
    }
    Device &of = given<Device>(device, "device");
    if (type != NXS_ObjectType_Buffer && type != NXS_ObjectType_Library &&
        type != NXS_ObjectType_Stream && type != NXS_ObjectType_Event &&
        type != NXS_ObjectType_Schedule) {
      failWith(NXS_InvalidValue, "type is ", type,
               "; a device lists its buffers, libraries, streams, events and schedules.");
    }
    std::vector<Ref<Object>> live = of.objects().live(type);
    *out_count = live.size();
    for (std::size_t i = 0; i < live.size() && i < capacity; ++i) {
      out_objects[i] = live[i].detach();
    }
  });
}

nxs_status nexus_device_trim_memory(nexus_device *device, uint64_t keep) {
  return guarded([&] {
    const Device &of = given<Device>(device, "device");
    of.plugin().callIfSupported(&nxs_functions::TrimMemory, "give memory back to the driver",
                                of.id(), keep);
  });
}

nxs_status nexus_device_set_release_threshold(nexus_device *device, uint64_t bytes) {
  return guarded([&] { given<Device>(device, "device").setReleaseThreshold(bytes); });
}

nxs_status nexus_device_reset_memory_peak(nexus_device *device) {
  return guarded([&] { given<Device>(device, "device").memoryCount().resetPeak(); });
}

nxs_status nexus_runtime_device_count(nexus_runtime *runtime, uint64_t *out_count) {
  return giveResult(out_count, "out_count",
                    [&] { return given<Runtime>(runtime, "runtime").deviceCount(); });
}

nxs_status nexus_runtime_get_device(nexus_runtime *runtime, uint64_t index,
                                    nexus_device **out_device) {
  return giveResult(out_device, "out_device",
                    [&] { return Ref(given<Runtime>(runtime, "runtime").device(index)); });
}

nxs_status nexus_device_get_runtime(nexus_device *device, nexus_runtime **out_runtime) {
  return giveResult(out_runtime, "out_runtime",
                    [&] { return Ref(given<Device>(device, "device").runtime()); });
}
