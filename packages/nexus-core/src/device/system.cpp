// SPDX-License-Identifier: Apache-2.0
//
// The runtimes of the system, and the choice of a device.
#include <nexus/nexus_c.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "device/device.hpp"
#include "host/host.hpp"
#include "object/object.hpp"
#include "registry/backends.hpp"
#include "registry/manifest.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

namespace {

struct Selector {
  std::string backend;
  uint64_t index = 0;
};

Device &deviceOfSelector(const Selector &selector) {
  try {
    return runtimeOf(pluginOf(selector.backend)).device(selector.index);
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
  return languages && contains(*languages, kPortableLanguage);
}

// Returns whether the backend compiles the portable language, or its package has compiled demo
// kernels.
bool hasKernelsToRun(Device &device) {
  return compilesPortableLanguage(device) ||
         !configOf(device.plugin().name, "demo_kernels").empty();
}

// Returns the first wanted device, or NULL. Skips a backend whose devices can't be queried.
template <typename Wanted>
Device *firstDevice(const std::vector<const Plugin *> &plugins, Wanted &&wanted) {
  for (const Plugin *plugin : plugins) {
    try {
      Runtime &runtime = runtimeOf(*plugin);
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

Device &defaultDevice() {
  const std::vector<const Plugin *> plugins = loadedPlugins();
  const auto is_useful_gpu = [](Device &device) {
    return isGpu(device) && hasKernelsToRun(device);
  };
  const auto is_cpu = [](const Device &device) { return device.plugin().name == "cpu"; };
  const auto is_any = [](const Device &) { return true; };
  if (Device *gpu = firstDevice(plugins, is_useful_gpu)) return *gpu;
  if (Device *cpu = firstDevice(plugins, is_cpu)) return *cpu;
  if (Device *any = firstDevice(plugins, is_any)) return *any;
  failWith(NXS_DeviceNotFound,
           "No backend has a device; `nexus info` shows why for each. `pip install nexus-cpu` "
           "adds a backend that works on every machine.");
}

}  // namespace

// Throws NXS_InvalidValue, naming parameter, if text is not a selector.
static Selector parseSelector(std::string_view text, std::string_view parameter) {
  Selector selector;
  const std::size_t colon = text.find(':');
  selector.backend = text.substr(0, colon);
  bool valid = isBackendName(selector.backend);
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const std::optional<uint64_t> index = wholeNumber(digits);
    valid = valid && index;
    selector.index = index.value_or(0);
  }
  if (!valid) {
    failWith(NXS_InvalidValue, parameter, " is '", text,
             "', which is not a selector; give a backend's name, or a name, ':' and a device's "
             "number, such as 'cpu' or 'cuda:1'.");
  }
  return selector;
}

Device &selectDevice(std::string_view selector) {
  if (!selector.empty()) return deviceOfSelector(parseSelector(selector, "selector"));
  const std::string_view environment = environmentValue("NEXUS_DEVICE");
  if (!environment.empty()) {
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

using namespace nexus::core;

const char *nexus_version(void) {
  return NEXUS_VERSION;
}

nxs_status nexus_runtime_count(uint64_t *out_count) {
  return giveResult(out_count, "out_count", [&] { return loadedPlugins().size(); });
}

nxs_status nexus_runtime_get(uint64_t index, nexus_runtime **out_runtime) {
  return giveResult(out_runtime, "out_runtime", [&] {
    const std::vector<const Plugin *> plugins = loadedPlugins();
    if (index >= plugins.size()) {
      failWith(NXS_InvalidRuntime, "index is ", index, ", and the number of runtimes is ",
               plugins.size(), "; `nexus info` lists the backends.");
    }
    return Ref(runtimeOf(*plugins[index]));
  });
}

nxs_status nexus_runtime_find(nxs_string name, nexus_runtime **out_runtime) {
  return giveResult(out_runtime, "out_runtime",
                    [&] { return Ref(runtimeOf(pluginOf(viewOf(name, "name")))); });
}

nxs_status nexus_select_device(nxs_string selector, nexus_device **out_device) {
  return giveResult(out_device, "out_device",
                    [&] { return Ref(selectDevice(viewOf(selector, "selector"))); });
}

nxs_status nexus_runtime_get_plugin(nexus_runtime *runtime, nexus_plugin_info *out_info) {
  return guarded([&] {
    requireWhole(out_info, "out_info", "nexus_plugin_info");
    const Plugin &plugin = given<Runtime>(runtime, "runtime").plugin();
    out_info->functions = plugin.answer->functions;
    out_info->runtime = plugin.runtime;
    out_info->capabilities = plugin.capabilities;
    out_info->thread_model = plugin.thread_model;
    out_info->tag = plugin.tag;
  });
}

nxs_status nexus_get_plugin_error(uint64_t error, nexus_error_info *out_info) {
  return guarded([&] {
    requireWhole(out_info, "out_info", "nexus_error_info");
    const uint64_t id = error == 0 ? threadErrorRecord() : error;
    const std::optional<ErrorRecord> record = findErrorRecord(id);
    if (error == 0) forgetThreadErrorRecord();
    if (!record) {
      failWith(NXS_InvalidValue, error == 0 ? std::string("This thread made no error record.")
                                            : "error is " + std::to_string(error) +
                                                  "; there is no such error record.");
    }
    thread_local std::string text;
    thread_local std::string backend;
    text = record->text;
    backend = backendOfTag(record->tag);
    out_info->status = NXS_Success;
    out_info->native_code = record->native_code;
    out_info->backend = stringOf(backend);
    out_info->text = stringOf(text);
    out_info->log = {nullptr, 0};
  });
}
