// SPDX-License-Identifier: Apache-2.0
//
// The C functions of the system: its backends, runtimes and devices.
#include <nexus/nexus_c.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/runtime.hpp"
#include "device/selector.hpp"
#include "object/object.hpp"
#include "registry/backends.hpp"
#include "registry/time_limit.hpp"

namespace nexus::core {
namespace {

void requireBackendName(std::string_view name, const std::string &parameter) {
  const std::vector<std::string> known = Backends::ofThisProcess().knownNames();
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return;
  }
  const std::vector<std::string> near = nearNames(name, known);
  throw Failure(NXS_InvalidValue,
                parameter + " names the backend '" + std::string(name) + "', which is not known" +
                    (near.empty() ? "" : "; did you mean '" + near.front() + "'?") +
                    (near.empty() ? "; there " : " There ") + "are " + listWords(known, "") + ".");
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
  return guarded([&] {
    requirePointer(out_count, "out_count");
    *out_count = Backends::ofThisProcess().all().size();
  });
}

nxs_status nexus_backend_get(uint64_t index, nexus_backend_info *out_info) {
  return guarded([&] {
    requirePointer(out_info, "out_info");
    const std::vector<const Backend *> records = Backends::ofThisProcess().all();
    if (index >= records.size()) {
      throw Failure(NXS_InvalidValue, "index is " + std::to_string(index) +
                                          ", and the number of records is " +
                                          std::to_string(records.size()) + ".");
    }
    fillInfo(*records[index], out_info);
  });
}

nxs_status nexus_runtime_count(uint64_t *out_count) {
  return guarded([&] {
    requirePointer(out_count, "out_count");
    *out_count = loadedPlugins().size();
  });
}

nxs_status nexus_runtime_get(uint64_t index, nexus_runtime **out_runtime) {
  return guarded([&] {
    requirePointer(out_runtime, "out_runtime");
    const std::vector<const Plugin *> plugins = loadedPlugins();
    if (index >= plugins.size()) {
      throw Failure(NXS_InvalidRuntime, "index is " + std::to_string(index) +
                                            ", and the number of runtimes is " +
                                            std::to_string(plugins.size()) +
                                            "; `nexus info` tells what "
                                            "became of each backend.");
    }
    giveOut(Ref(runtimeOf(*plugins[index])), out_runtime);
  });
}

nxs_status nexus_runtime_find(nxs_string name, nexus_runtime **out_runtime) {
  return guarded([&] {
    requirePointer(out_runtime, "out_runtime");
    giveOut(Ref(runtimeOf(pluginOf(viewOf(name, "name")))), out_runtime);
  });
}

nxs_status nexus_select_device(nxs_string selector, nexus_device **out_device) {
  return guarded([&] {
    requirePointer(out_device, "out_device");
    giveOut(Ref(selectDevice(viewOf(selector, "selector"))), out_device);
  });
}
