// SPDX-License-Identifier: Apache-2.0
#include "selector.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "error.hpp"
#include "log.hpp"
#include "manifest.hpp"
#include "object.hpp"
#include "runtime.hpp"
#include "system.hpp"

namespace nexus::core {
namespace {

nexus_device *deviceOfSelector(const Selector &selector) {
  try {
    return deviceOf(runtimeOf(pluginOf(selector.backend)), selector.index);
  } catch (const Failure &failure) {
    if (failure.status() != NXS_InvalidRuntime && failure.status() != NXS_InvalidDevice) {
      throw;
    }
    throw Failure(NXS_DeviceNotFound, failure.text(), failure.nativeCode(), failure.backend());
  }
}

bool isOfType(nexus_device *device, std::string_view type) {
  const std::optional<json::Value> value = device->property("Type", NP_Type);
  return value && value->string() != nullptr && *value->string() == type;
}

// The first device of that type, or the first of all where type is empty; NULL where
// there is none. A backend that can't tell of its devices is passed over.
nexus_device *firstDevice(std::string_view type) {
  for (const Plugin *plugin : loadedPlugins()) {
    try {
      nexus_runtime *runtime = runtimeOf(*plugin);
      const uint64_t count = static_cast<Runtime *>(runtime)->deviceCount();
      for (uint64_t index = 0; index < count; ++index) {
        nexus_device *device = deviceOf(runtime, index);
        if (type.empty() || isOfType(device, type)) {
          return device;
        }
      }
    } catch (const Failure &failure) {
      logLine(NXS_LogLevel_Warning, plugin->name,
              "The backend is passed over in the choice of a device. " + failure.text());
    }
  }
  return nullptr;
}

nexus_device *defaultDevice() {
  for (const std::string_view type : {"gpu", "cpu", ""}) {
    if (nexus_device *device = firstDevice(type); device != nullptr) {
      return device;
    }
  }
  throw Failure(NXS_DeviceNotFound,
                "No backend has a device; `nexus info` tells what became of each. The package "
                "nexus-cpu brings a backend that works on every machine.");
}

}  // namespace

Selector parseSelector(std::string_view text, std::string_view parameter) {
  Selector selector;
  const std::size_t colon = text.find(':');
  selector.backend = text.substr(0, colon);
  bool valid = isBackendName(selector.backend);
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const char *end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, selector.index);
    valid = valid && error == std::errc() && rest == end;
  }
  if (!valid) {
    throw Failure(NXS_InvalidValue,
                  std::string(parameter) + " is '" + std::string(text) +
                      "', which is no selector; give a backend's name, or that with ':' and a "
                      "device's number, such as 'cpu' or 'cuda:1'.");
  }
  return selector;
}

nexus_device *selectDevice(std::string_view selector) {
  if (!selector.empty()) {
    return deviceOfSelector(parseSelector(selector, "selector"));
  }
  const char *environment = std::getenv("NEXUS_DEVICE");
  if (environment != nullptr && *environment != '\0') {
    const Selector wanted = parseSelector(environment, "NEXUS_DEVICE");
    try {
      return deviceOfSelector(wanted);
    } catch (const Failure &failure) {
      throw failure.with("The environment variable NEXUS_DEVICE asks for it.");
    }
  }
  return defaultDevice();
}

}  // namespace nexus::core
