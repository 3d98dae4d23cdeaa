// SPDX-License-Identifier: Apache-2.0
#include "driver/driver.hpp"

#include "driver/error.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/driver/open_library.hpp>
#include <nexus-plugin/driver/visible_devices.hpp>
#include <nexus-plugin/runtime.hpp>
#include <string_view>

namespace nexus_hip NXS_HIDDEN {

namespace {

using nexus_plugin::VisibleDevices;

// ---- The library and its functions --------------------------------------

constexpr std::string_view kSystemLibraries =
    "libamdhip64.so:libamdhip64.so.7:libamdhip64.so.6:libamdhip64.so.5";

std::atomic<int> started_version{0};

struct DriverLibrary {
  void *handle = nullptr;
  std::string path;
};

// named: libraries separated by colons; empty: the system's.
DriverLibrary open_driver(std::string_view named) {
  std::string reason;
  const auto names = nexus_plugin::split(named.empty() ? kSystemLibraries : named, ':');
  for (const std::string &name : names) {
    std::string why;
    if (void *handle = nexus_plugin::open_library(name, why)) return {handle, name};
    const bool is_there = !why.starts_with(name);  // it, or a library that it needs, is broken
    if (reason.empty() || is_there) reason = why;
  }
  throw Error(NXS_DeviceNotAvailable, "the HIP runtime was not found: ", reason,
              named.empty() ? "; install ROCm's runtime (libamdhip64), or name the library with "
                              "NEXUS_HIP_DRIVER"
                            : "; NEXUS_HIP_DRIVER names that library");
}

// Opens HIP on the thread that loads this plug-in, while start_driver() runs on a thread that ends:
// HIP 6.4.3 crashes at the exit of a process whose main thread did not open it.
[[gnu::constructor]] void open_early() noexcept {
  const char *named = std::getenv("NEXUS_HIP_DRIVER");
  try {
    open_driver(named == nullptr ? "" : named);
  } catch (...) {
    // start_driver() fails the same way and reports it.
  }
}

// Returns whether a setting is 1. Logs other values than 0 and 1, which do not count.
bool is_on(const char *setting) {
  const std::string_view value = nexus_plugin::get_config(setting);
  if (!value.empty() && value != "0" && value != "1") {
    nexus_plugin::log(NXS_LogLevel_Warning, "the setting hip.", setting, " is '", value,
                      "', which is neither 0 nor 1; it is ignored");
  }
  return value == "1";
}

Functions find_functions(const DriverLibrary &library) {
  if (dlsym(library.handle, "hipInit") == nullptr) {
    throw Error(NXS_DeviceNotAvailable, "'", library.path,
                "' is not the HIP runtime: it has no hipInit");
  }
  Functions found;
  found.pools = is_on("pools");
  found.graphs = is_on("graphs");
  found.captures = true;
  const auto require = [&](const char *name) {
    if (void *function = dlsym(library.handle, name)) return function;
    throw Error(NXS_DeviceNotAvailable, "the HIP runtime '", library.path, "' has no ", name,
                ", and ROCm 5.2.3 is the oldest that works; install a newer one");
  };
#define HIP_FUNCTION(name, parameters) found.name.set(require("hip" #name));
#define HIP_OPTIONAL(name, parameters) found.name.set(dlsym(library.handle, "hip" #name));
#define HIP_SETTING(setting, name, parameters) \
  HIP_OPTIONAL(name, parameters)               \
  if (found.name == nullptr) found.setting = false;
#define HIP_PLAIN(type, name, parameters) \
  found.name = reinterpret_cast<decltype(found.name)>(require("hip" #name));
#include "driver/hip_functions.def"
  found.captures = found.captures && found.GraphDestroy != nullptr &&
                   found.GraphInstantiateWithFlags != nullptr &&
                   found.GraphExecDestroy != nullptr && found.GraphLaunch != nullptr;
  return found;
}

// ---- Why there is no device ---------------------------------------------

// ROCm reaches every GPU through this device file.
constexpr const char *kDeviceFile = "/dev/kfd";

// Returns why the file can't be opened; empty if it can.
std::string why_no_kfd() {
  const std::string path = system_path(kDeviceFile);
  const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (opened >= 0) {
    close(opened);
    return {};
  }
  if (errno == ENOENT) {
    return join("there is no '", path,
                "'; load the kernel's module amdgpu (in a container, run it with the GPU: docker "
                "run --device=/dev/kfd --device=/dev/dri)");
  }
  return join("this user can't open '", path, "' (", std::strerror(errno),
              "); add the user to the groups that own it and /dev/dri/renderD128, such as render "
              "and video (sudo usermod -a -G render,video USER), and log in again");
}

// Returns which variable hides the devices, and how; empty if none is set. HIP reads
// CUDA_VISIBLE_DEVICES only if HIP_VISIBLE_DEVICES is not set.
std::string why_hidden() {
  const VisibleDevices by_rocr("ROCR_VISIBLE_DEVICES"), by_hip("HIP_VISIBLE_DEVICES"),
      by_cuda("CUDA_VISIBLE_DEVICES");
  const VisibleDevices &second = by_hip.is_set() ? by_hip : by_cuda;
  const VisibleDevices &at_fault =
      by_rocr.is_set() && (by_rocr.hides_all() || !second.is_set()) ? by_rocr : second;
  if (!at_fault.is_set()) return {};
  return join(at_fault.why_none(), "; unset it, or name devices of this machine (rocminfo ",
              "lists them)");
}

std::string why_no_device() {
  if (std::string why = why_no_kfd(); !why.empty()) return why;
  if (std::string why = why_hidden(); !why.empty()) return why;
  return "check that rocminfo lists one, that this user may open /dev/dri/renderD128 and those "
         "after it, and that this ROCm supports the GPU";
}

// HIP has more than one error for a machine without a device, so any error of the first calls
// counts as that. result: the error, hipSuccess if HIP counted no device.
[[noreturn]] void throw_no_device(hipError_t result) {
  const std::string answer = result == hipSuccess ? "" : join(" (", errors.answer_of(result), ")");
  throw Error::with_native_code(result, NXS_DeviceNotAvailable,
                                "the HIP runtime is installed and finds no GPU", answer, ": ",
                                why_no_device());
}

}  // namespace

std::string system_path(const std::string &path) {
  return join(nexus_plugin::get_config("root"), path);
}

int runtime_version() noexcept {
  return started_version.load(std::memory_order_acquire);
}

std::string runtime_version_text() {
  constexpr int kMajor = 10000000, kMinor = 100000;
  const int version = runtime_version();
  return join(version / kMajor, ".", version % kMajor / kMinor, ".", version % kMinor);
}

void start_driver() {
  nexus_plugin::refuse_after_fork("HIP");
  if (runtime_version() != 0) return;
  hip = find_functions(open_driver(nexus_plugin::get_config("driver")));
  if (const hipError_t result = hip.Init(0); result != hipSuccess) throw_no_device(result);
  int count = 0;
  const hipError_t counted = hip.GetDeviceCount(&count);
  if (counted != hipSuccess || count <= 0) throw_no_device(counted);
  int version = 0;
  if (const hipError_t result = hip.RuntimeGetVersion(&version); result != hipSuccess) {
    throw errors.make(result, NXS_DeviceNotAvailable, "asking the HIP runtime for its version");
  }
  started_version.store(version, std::memory_order_release);
}

}  // namespace nexus_hip
