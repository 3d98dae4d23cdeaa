// SPDX-License-Identifier: Apache-2.0
#include "driver/nvml.hpp"

#include <dlfcn.h>
#include <cstdlib>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/driver/open_library.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr const char *kSystemNvml = "libnvidia-ml.so.1";

// Returns the path that the user set; empty if there is none.
std::string named_nvml() {
  const char *named = std::getenv("NEXUS_NVML_LIBRARY");
  if (named != nullptr && *named != '\0') return named;
  return std::string(nexus_plugin::get_config("nvml"));
}

// Returns why NVML can't be used; empty if it can.
std::string open_nvml(const std::string &path, NvmlFunctions &found) {
  std::string why;
  void *const library = nexus_plugin::open_library(path, why);
  if (library == nullptr) return why;
#define NVML_FUNCTION(name, parameters) \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, "nvml" #name));
#include "driver/nvml_functions.def"
  if (found.Init_v2 == nullptr) return nexus_plugin::join("'", path, "' has no nvmlInit_v2");
  const nvmlReturn_t started = found.Init_v2();
  return started == NVML_SUCCESS
             ? ""
             : nexus_plugin::join("nvmlInit_v2 of '", path, "' returned ", started);
}

NvmlFunctions start_nvml() {
  const std::string named = named_nvml();
  NvmlFunctions found;
  const std::string why = open_nvml(named.empty() ? kSystemNvml : named, found);
  if (why.empty()) return found;
  nexus_plugin::log(named.empty() ? NXS_LogLevel_Info : NXS_LogLevel_Warning,
                    "NVML can't be used, so devices have no properties for the memory in use, "
                    "temperature, power, clocks and the like: ",
                    why,
                    named.empty() ? "; it comes with NVIDIA's driver"
                                  : "; NEXUS_NVML_LIBRARY or cuda.nvml names that library");
  return {};
}

}  // namespace

const NvmlFunctions &nvml() {
  static const NvmlFunctions functions = start_nvml();
  return functions;
}

std::optional<bool> is_divided(nvmlDevice_t gpu) {
  unsigned now = 0, after_reset = 0;
  const auto mode = nvml().DeviceGetMigMode;
  if (mode == nullptr || gpu == nullptr) return {};
  const nvmlReturn_t told = mode(gpu, &now, &after_reset);
  if (told == NVML_ERROR_NOT_SUPPORTED) return false;
  if (told != NVML_SUCCESS) return {};
  return now == NVML_DEVICE_MIG_ENABLE;
}

}  // namespace nexus_cuda
