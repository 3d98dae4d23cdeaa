// SPDX-License-Identifier: Apache-2.0
#include "device/selector.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "device/device.hpp"
#include "device/runtime.hpp"
#include "object/object.hpp"
#include "registry/backends.hpp"
#include "registry/manifest.hpp"

namespace nexus::core {
namespace {

nexus_device *deviceOfSelector(const Selector &selector) {
  try {
    Runtime &runtime = *static_cast<Runtime *>(runtimeOf(pluginOf(selector.backend)));
    return &runtime.device(selector.index);
  } catch (const Failure &failure) {
    if (failure.status() != NXS_InvalidRuntime && failure.status() != NXS_InvalidDevice) {
      throw;
    }
    throw Failure(NXS_DeviceNotFound, failure.text(), failure.nativeCode(), failure.backend());
  }
}

bool isGpu(Device &device) {
  const std::optional<json::Value> type = device.property("Type", NP_Type);
  return type && type->string() != nullptr && *type->string() == "gpu";
}

bool compilesPortableLanguage(Device &device) {
  if (!device.plugin().has(NXS_Capability_Compile) || !device.property("Compiler", NP_Compiler)) {
    return false;
  }
  const auto languages = device.languages();
  return languages &&
         std::find(languages->begin(), languages->end(), kPortableLanguage) != languages->end();
}

// Returns whether the backend compiles the portable language, or its package has compiled demo
// kernels.
bool hasKernelsToRun(Device &device) {
  return compilesPortableLanguage(device) ||
         !configOf(device.plugin().name, "demo_kernels").empty();
}

// Returns the first wanted device, or NULL. Skips a backend whose devices can't be queried.
template <typename Wanted>
nexus_device *firstDevice(const std::vector<const Plugin *> &plugins, Wanted &&wanted) {
  for (const Plugin *plugin : plugins) {
    try {
      auto &runtime = *static_cast<Runtime *>(runtimeOf(*plugin));
      for (uint64_t index = 0; index < runtime.deviceCount(); ++index) {
        Device &device = runtime.device(index);
        if (wanted(device)) return &device;
      }
    } catch (const Failure &failure) {
      logLine(NXS_LogLevel_Warning, plugin->name,
              "The backend is passed over in the choice of a device. " + failure.text());
    }
  }
  return nullptr;
}

nexus_device *defaultDevice() {
  const std::vector<const Plugin *> plugins = loadedPlugins();
  const auto is_useful_gpu = [](Device &device) {
    return isGpu(device) && hasKernelsToRun(device);
  };
  const auto is_cpu = [](const Device &device) { return device.plugin().name == "cpu"; };
  const auto is_any = [](const Device &) { return true; };
  if (nexus_device *gpu = firstDevice(plugins, is_useful_gpu)) return gpu;
  if (nexus_device *cpu = firstDevice(plugins, is_cpu)) return cpu;
  if (nexus_device *any = firstDevice(plugins, is_any)) return any;
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
