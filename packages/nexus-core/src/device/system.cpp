// SPDX-License-Identifier: Apache-2.0
#include "device/system.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
#include "registry/loader.hpp"
#include "registry/manifest.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

namespace {

struct Selector {
  std::string backend;
  uint64_t index = 0;
};

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
  failWith(NXS_DeviceNotFound,
           "No backend has a device; `nexus info` tells what became of each. The package "
           "nexus-cpu brings a backend that works on every machine.");
}

}  // namespace

// Throws NXS_InvalidValue, naming parameter, if text is no selector.
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
             "', which is no selector; give a backend's name, or that with ':' and a "
             "device's number, such as 'cpu' or 'cuda:1'.");
  }
  return selector;
}

nexus_device *selectDevice(std::string_view selector) {
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

namespace {

void requireBackendName(std::string_view name, const std::string &parameter) {
  const std::vector<std::string> known = Backends::ofThisProcess().knownNames();
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::vector<std::string> near = nearNames(name, known);
  failWith(NXS_InvalidValue, parameter, " names the backend '", name, "', which is not known",
           (near.empty() ? "" : "; did you mean '" + near.front() + "'?"),
           (near.empty() ? "; there " : " There "), "are ", listWords(known, ""), ".");
}

void fillInfo(const Backend &backend, nexus_backend_info *out_info) {
  nexus_backend_info info{};
  info.struct_size = out_info->struct_size;
  info.state = backend.state;
  info.name = stringOf(backend.name);
  info.distribution = stringOf(backend.distribution);
  info.version = stringOf(backend.version);
  info.manifest = stringOf(backend.manifest_path);
  info.library = stringOf(backend.library);
  info.reason = stringOf(backend.reason);
  std::memcpy(out_info, &info, std::min<std::size_t>(info.struct_size, sizeof(info)));
}

}  // namespace

}  // namespace nexus::core

using namespace nexus::core;

const char *nexus_version(void) {
  return NEXUS_VERSION;
}

nxs_status nexus_add_manifest(nxs_string path, nxs_string distribution) {
  return guarded([&] { addManifest(viewOf(path, "path"), viewOf(distribution, "distribution")); });
}

nxs_status nexus_add_failure(nxs_string name, nxs_string distribution, nxs_string reason) {
  return guarded([&] {
    addFailure(viewOf(name, "name"), viewOf(distribution, "distribution"),
               viewOf(reason, "reason"));
  });
}

nxs_status nexus_check_backend_name(nxs_string name, nxs_string parameter) {
  return guarded([&] {
    requireBackendName(viewOf(name, "name"), std::string(viewOf(parameter, "parameter")));
  });
}

nxs_status nexus_discover(void) {
  return guarded([] { discover(); });
}

double nexus_plugin_timeout(void) {
  return std::chrono::duration<double>(startLimit()).count();
}

void nexus_set_discovery(int32_t enabled) {
  setDiscovery(enabled != 0);
}

nxs_status nexus_backend_count(uint64_t *out_count) {
  return giveResult(out_count, "out_count", [&] { return Backends::ofThisProcess().all().size(); });
}

nxs_status nexus_backend_get(uint64_t index, nexus_backend_info *out_info) {
  return guarded([&] {
    requirePointer(out_info, "out_info");
    const std::vector<const Backend *> records = Backends::ofThisProcess().all();
    if (index >= records.size()) {
      failWith(NXS_InvalidValue, "index is ", index, ", and the number of records is ",
               records.size(), ".");
    }
    fillInfo(*records[index], out_info);
  });
}

nxs_status nexus_runtime_count(uint64_t *out_count) {
  return giveResult(out_count, "out_count", [&] { return loadedPlugins().size(); });
}

nxs_status nexus_runtime_get(uint64_t index, nexus_runtime **out_runtime) {
  return giveResult(out_runtime, "out_runtime", [&] {
    const std::vector<const Plugin *> plugins = loadedPlugins();
    if (index >= plugins.size()) {
      failWith(NXS_InvalidRuntime, "index is ", index, ", and the number of runtimes is ",
               plugins.size(), "; `nexus info` tells what became of each backend.");
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
