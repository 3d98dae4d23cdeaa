// SPDX-License-Identifier: Apache-2.0
#include "device/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>

#include "device/device.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

constexpr PropertyFunction kRuntimeProperty = &nxs_functions::GetRuntimeProperty;

// The runtimes, in a list that only grows and is never freed. Lock-free, since another thread could
// hold a lock at a fork(), and the child would wait for it forever.
struct Made {
  const Plugin *plugin;
  Runtime *runtime;
  Made *next;
};
std::atomic<Made *> newest_made{nullptr};

Runtime *findMade(const Made *made, const Plugin &plugin) {
  while (made != nullptr && made->plugin != &plugin) made = made->next;
  return made == nullptr ? nullptr : made->runtime;
}

}  // namespace

Runtime::Runtime(const Plugin &plugin)
    : Object(kType),
      plugin_(plugin),
      device_count_(plugin.device_count),
      devices_(device_count_, nullptr) {}

Device &Runtime::device(uint64_t index) {
  if (index >= device_count_) {
    throw Failure(NXS_InvalidDevice, "index is " + std::to_string(index) + ", and the runtime '" +
                                         plugin_.name + "' has " + std::to_string(device_count_) +
                                         (device_count_ == 1 ? " device, counted from 0."
                                                             : " devices, counted from 0."));
  }
  const Lock lock(mutex_);
  Device *&device = devices_[index];
  if (device == nullptr) {
    nxs_id id = 0;
    plugin_.call(&nxs_functions::GetDevice, "give a device", plugin_.runtime,
                 static_cast<uint32_t>(index), &id);
    if (id <= 0 || NXS_ID_TYPE(id) != NXS_ObjectType_Device || NXS_ID_TAG(id) != plugin_.tag) {
      throw Failure(NXS_InternalError,
                    "The backend " + plugin_.name + " gives for its device " +
                        std::to_string(index) + " the id " + std::to_string(id) +
                        ", which is not one of a device of its own; report it to its authors.",
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
  if (number == NP_ID) {
    return json::Value(nativeId());
  }
  if (number == NP_Keys) {
    return keyNumbers(*this);
  }
  if (number == NP_Name) {
    return json::Value(plugin_.name);  // the manifest's name, by which it is found
  }
  if (auto value = readNative(plugin_, kRuntimeProperty, plugin_.runtime, number, "runtime")) {
    return value;
  }
  if (number == NP_Capabilities) {
    return json::Value(static_cast<int64_t>(plugin_.capabilities));
  }
  if (number == NP_Version) {
    return json::Value(plugin_.version);
  }
  return std::nullopt;
}

std::vector<std::string> Runtime::propertyKeys() {
  return unionOf({"ID", "Keys", "Name", "Capabilities", "Version"},
                 readNativeKeys(plugin_, kRuntimeProperty, plugin_.runtime, "runtime"));
}

nexus_runtime *runtimeOf(const Plugin &plugin) {
  Made *head = newest_made.load(std::memory_order_acquire);
  if (Runtime *known = findMade(head, plugin)) {
    return known;
  }
  Ref<Runtime> runtime = make<Runtime>(plugin);
  auto made = std::make_unique<Made>(Made{&plugin, runtime.get(), head});
  while (!newest_made.compare_exchange_weak(made->next, made.get(), std::memory_order_acq_rel)) {
    if (Runtime *known = findMade(made->next, plugin)) {
      return known;  // another thread was faster
    }
  }
  made.release();
  return runtime.detach();
}

std::vector<Runtime *> madeRuntimes() {
  std::vector<Runtime *> runtimes;
  for (const Made *made = newest_made.load(std::memory_order_acquire); made != nullptr;
       made = made->next) {
    if (made->runtime->ofThisProcess()) runtimes.push_back(made->runtime);
  }
  return runtimes;
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_runtime_device_count(nexus_runtime *runtime, uint64_t *out_count) {
  return guarded([&] {
    requirePointer(out_count, "out_count");
    *out_count = given<Runtime>(runtime, "runtime").deviceCount();
  });
}

nxs_status nexus_runtime_get_device(nexus_runtime *runtime, uint64_t index,
                                    nexus_device **out_device) {
  return guarded([&] {
    requirePointer(out_device, "out_device");
    giveOut(Ref(given<Runtime>(runtime, "runtime").device(index)), out_device);
  });
}

nxs_status nexus_device_get_runtime(nexus_device *device, nexus_runtime **out_runtime) {
  return guarded([&] {
    requirePointer(out_runtime, "out_runtime");
    giveOut(Ref(given<Device>(device, "device").runtime()), out_runtime);
  });
}
