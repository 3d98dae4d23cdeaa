// SPDX-License-Identifier: Apache-2.0
#include "device_info.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "backends.hpp"
#include "device.hpp"
#include "device_file.hpp"
#include "discovery.hpp"
#include "log.hpp"
#include "properties.hpp"
#include "property_name.hpp"
#include "runtime.hpp"
#include "system.hpp"
#include "text.hpp"

namespace nexus::core {
namespace {

// Lays over's members over those of base; objects in both are merged, all else replaced.
void layOver(json::Value &base, const json::Value &over) {
  for (const json::Member &member : *over.object()) {
    json::Value *below = base.find(member.name);
    if (below != nullptr && below->isObject() && member.value.isObject()) {
      layOver(*below, member.value);
    } else if (!member.value.isNull()) {
      base.set(member.name, member.value);
    }
  }
}

// The file in the folder of the device's backend, else in that of libnexus.
json::Value fileOf(Device &device) {
  const Plugin &plugin = device.plugin();
  const std::string stem = stemOf(device);
  std::optional<DeviceFile> file = readDeviceFile(plugin.devices, stem, plugin.name);
  if (!file) {
    file = readDeviceFile(ownDeviceFolder(), stem, std::string());
  }
  return file ? std::move(file->tree) : json::Value(json::Value::Object{});
}

void addFiles(json::Value &database, const std::filesystem::path &folder,
              const std::string &backend) {
  if (folder.empty()) {
    return;
  }
  for (DeviceFile &file : readDeviceFiles(folder, backend)) {
    if (database.find(file.stem) == nullptr) {
      database.set(file.stem, std::move(file.tree));
    }
  }
}

// The devices here that no file describes.
void addDevices(json::Value &database, Runtime &runtime) {
  for (uint64_t i = 0; i < runtime.deviceCount(); ++i) {
    try {
      Device &device = runtime.device(i);
      const std::string stem = stemOf(device);
      if (!stem.empty() && database.find(stem) == nullptr) {
        database.set(stem, deviceInfo(device));
      }
    } catch (const Failure &failure) {  // a device that is lost has no say in the others' entries
      logLine(NXS_LogLevel_Warning, runtime.plugin().name, failure.text());
    }
  }
}

std::string folded(std::string_view text) {
  std::string lower(text);
  for (char &letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

// What an entry may be called, beside its stem.
std::vector<std::string> namesOf(const json::Value &entry) {
  std::vector<std::string> names;
  for (const char *key : {"Name", "Architecture"}) {
    const json::Value *value = entry.find(key);
    if (value != nullptr && value->isString()) names.push_back(*value->string());
  }
  return names;
}

std::vector<std::string> stemsOf(const std::vector<const json::Member *> &entries) {
  std::vector<std::string> stems;
  for (const json::Member *entry : entries) {
    stems.push_back("'" + entry->name + "'");
  }
  return stems;
}

[[noreturn]] void refuseUnknown(const json::Value &database, std::string_view name) {
  std::vector<std::string> known;
  for (const json::Member &entry : *database.object()) {
    known.push_back(entry.name);
    for (std::string &other : namesOf(entry.value)) known.push_back(std::move(other));
  }
  std::vector<std::string> near = nearNames(name, known);
  for (std::string &one : near) one = "'" + one + "'";
  throw Failure(NXS_InvalidValue,
                "name is '" + std::string(name) +
                    "', and no device has that file name, Name or "
                    "Architecture; " +
                    (near.empty() ? "nexus_get_device_info, or nexus.get_device_info() in Python, "
                                    "tells what is known."
                                  : "did you mean " + listWords(near, "") + "?"));
}

// The entry of that stem, else the only one of that Name or Architecture.
const json::Value &lookUp(const json::Value &database, std::string_view name) {
  const std::string wanted = folded(name);
  std::vector<const json::Member *> found;
  for (const json::Member &entry : *database.object()) {
    if (folded(entry.name) == wanted) {
      return entry.value;
    }
    const std::vector<std::string> names = namesOf(entry.value);
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string &other) { return folded(other) == wanted; })) {
      found.push_back(&entry);
    }
  }
  if (found.size() > 1) {
    throw Failure(NXS_InvalidValue, "name is '" + std::string(name) + "', which " +
                                        listWords(stemsOf(found), "") +
                                        " are called; give one of these.");
  }
  if (found.empty()) {
    refuseUnknown(database, name);
  }
  return found.front()->value;
}

}  // namespace

json::Value deviceInfo(Device &device) {
  json::Value own{json::Value::Object{}};
  for (const std::string &name : device.propertyKeys()) {
    const auto number = propertyNumber(name);
    if (!number || *number == NP_Keys) {
      continue;
    }
    if (auto value = device.property(name, *number)) {
      own.set(name, *std::move(value));
    }
  }
  json::Value info = fileOf(device);
  layOver(info, own);
  return info;
}

json::Value deviceDatabase() {
  json::Value database{json::Value::Object{}};
  const std::vector<const Backend *> backends = Backends::ofThisProcess().all();
  for (const Backend *backend : backends) {
    if (backend->manifest) {
      addFiles(database, backend->manifest->devices, backend->name);
    }
  }
  addFiles(database, ownDeviceFolder(), std::string());
  for (const Backend *backend : backends) {
    if (backend->plugin != nullptr) {
      addDevices(database, given<Runtime>(runtimeOf(*backend->plugin), "runtime"));
    }
  }
  return database;
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_get_device_info(nexus_properties **out_properties) {
  return guarded([&] {
    requirePointer(out_properties, "out_properties");
    giveOut(make<Properties>(deviceDatabase()), out_properties);
  });
}

nxs_status nexus_lookup_device_info(nxs_string name, nexus_properties **out_properties) {
  return guarded([&] {
    requirePointer(out_properties, "out_properties");
    const std::string_view wanted = viewOf(name, "name");
    giveOut(make<Properties>(lookUp(deviceDatabase(), wanted)), out_properties);
  });
}
