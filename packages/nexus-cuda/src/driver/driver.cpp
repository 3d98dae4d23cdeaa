// SPDX-License-Identifier: Apache-2.0
#include "driver/driver.hpp"

#include "driver/error.hpp"
#include "driver/nvml.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <atomic>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/driver/open_library.hpp>
#include <nexus-plugin/driver/visible_devices.hpp>
#include <nexus-plugin/runtime.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

namespace {

// ---- The library and its functions --------------------------------------

using nexus_plugin::VisibleDevices;

constexpr const char *kSystemLibrary = "libcuda.so.1";
constexpr int kOldest = 12000;

std::atomic<int> started_version{0};

using GetProcAddress = CUresult (*)(const char *symbol, void **function, int version,
                                    unsigned long long flags,
                                    CUdriverProcAddressQueryResult *status);

struct DriverLibrary {
  std::string path;
  GetProcAddress get = nullptr;
};

[[noreturn]] void throw_too_old(const std::string &has) {
  throw Error(NXS_DeviceNotAvailable, "NVIDIA's driver is too old: ", has, ", and CUDA 12.0 (on ",
              "Linux 525.60.13) is the oldest that works; install a newer driver");
}

DriverLibrary open_driver() {
  const std::string named(nexus_plugin::get_config("driver"));
  const std::string path = named.empty() ? kSystemLibrary : named;
  std::string why;
  void *const library = nexus_plugin::open_library(path, why);
  if (library == nullptr) {
    throw Error(NXS_DeviceNotAvailable, "NVIDIA's driver was not found: ", why,
                !named.empty() ? "; NEXUS_CUDA_DRIVER names that library"
                               : "; install the driver of your GPU (in a container, run it with "
                                 "the GPU: docker run --gpus all)");
  }
  const auto get = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (get != nullptr) return {path, get};
  if (dlsym(library, "cuInit") == nullptr) {
    throw Error(NXS_DeviceNotAvailable, "'", path, "' is not NVIDIA's driver: it has no cuInit");
  }
  throw_too_old(join("'", path, "' has no cuGetProcAddress of CUDA 12"));
}

// Returns NULL if the driver has no such function.
void *find(const DriverLibrary &library, const char *name, int version) {
  void *found = nullptr;
  CUdriverProcAddressQueryResult status = 0;
  const CUresult result = library.get(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  return result == CUDA_SUCCESS ? found : nullptr;
}

Functions find_functions(const DriverLibrary &library, int version) {
  Functions found;
#define CU_FUNCTION(name, parameters)                                                           \
  found.name.set(find(library, "cu" #name, kOldest));                                           \
  if (found.name == nullptr) {                                                                  \
    throw Error(NXS_DeviceNotAvailable, "the driver '", library.path, "' claims to have CUDA ", \
                version_text(version), " but lacks cu" #name "; install it again");             \
  }
#define CU_OPTIONAL(name, since, parameters) \
  if ((since) <= version) found.name.set(find(library, "cu" #name, since));
#include "driver/cuda_functions.def"
  return found;
}

// ---- The machine's GPUs, listed by NVML --------------------------------

struct ListedGpu {
  std::string name, uuid;
  bool divided = false;                // by MIG
  std::vector<std::string> instances;  // UUIDs of the MIG instances
};

using AskText = nvmlReturn_t (*)(nvmlDevice_t, char *, unsigned);

std::string text_of(AskText ask, nvmlDevice_t device) {
  char text[96] = "";
  const bool told = ask != nullptr && ask(device, text, sizeof(text)) == NVML_SUCCESS;
  return told ? text : "";
}

std::vector<std::string> instances_of(nvmlDevice_t gpu) {
  std::vector<std::string> found;
  const auto most = ask_nvml<unsigned>(nvml().DeviceGetMaxMigDeviceCount, gpu).value_or(0);
  const auto get = nvml().DeviceGetMigDeviceHandleByIndex;
  for (unsigned index = 0; get != nullptr && index < most; ++index) {
    nvmlDevice_t instance = nullptr;
    if (get(gpu, index, &instance) != NVML_SUCCESS) continue;
    found.push_back(text_of(nvml().DeviceGetUUID, instance));
  }
  return found;
}

ListedGpu describe(nvmlDevice_t handle) {
  ListedGpu gpu{
      text_of(nvml().DeviceGetName, handle), text_of(nvml().DeviceGetUUID, handle), false, {}};
  gpu.divided = is_divided(handle).value_or(false);
  if (gpu.divided) gpu.instances = instances_of(handle);
  return gpu;
}

// Returns an empty list without NVML too.
std::vector<ListedGpu> gpus_of_machine() {
  std::vector<ListedGpu> gpus;
  unsigned count = 0;
  const auto ask = nvml().DeviceGetCount_v2;
  const auto get = nvml().DeviceGetHandleByIndex_v2;
  if (ask == nullptr || get == nullptr || ask(&count) != NVML_SUCCESS) return gpus;
  for (unsigned index = 0; index < count; ++index) {
    nvmlDevice_t handle = nullptr;
    if (get(index, &handle) == NVML_SUCCESS) gpus.push_back(describe(handle));
  }
  return gpus;
}

bool is_divided_without_instances(const ListedGpu &gpu) {
  return gpu.divided && gpu.instances.empty();
}

// Returns a text such as "'NVIDIA H100' (GPU-...), an instance of 'NVIDIA H100' (MIG-...)".
std::string names_of(const std::vector<ListedGpu> &gpus) {
  constexpr std::size_t kListed = 8;
  std::vector<std::string> names;
  for (const ListedGpu &gpu : gpus) {
    if (!gpu.divided) names.push_back(join("'", gpu.name, "' (", gpu.uuid, ")"));
    for (const std::string &uuid : gpu.instances) {
      names.push_back(join("an instance of '", gpu.name, "' (", uuid, ")"));
    }
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(kListed, names.size()); ++i) {
    list += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kListed ? join(list, " and ", names.size() - kListed, " more") : list;
}

// ---- CUDA_VISIBLE_DEVICES ----------------------------------------------

bool is_mig(std::string_view entry) {
  return entry.starts_with("MIG-");
}

VisibleDevices visible_devices() {
  return VisibleDevices("CUDA_VISIBLE_DEVICES");
}

std::string remedy(const std::vector<std::string> &entries, const std::vector<ListedGpu> &gpus) {
  const bool wants_mig = !entries.empty() && is_mig(entries.front());
  const bool has_mig =
      std::any_of(gpus.begin(), gpus.end(), [](const ListedGpu &g) { return g.divided; });
  const std::string there = names_of(gpus);
  return join("; unset it, or name devices of this machine",
              there.empty() ? " (nvidia-smi -L lists them)" : ": ", there,
              wants_mig && !gpus.empty() && !has_mig ? "; MIG is turned off on all of them" : "");
}

std::string why_none_of_all(const std::vector<ListedGpu> &gpus) {
  if (gpus.empty()) {
    return "NVIDIA's driver is installed and finds no GPU; check that nvidia-smi lists one (in a "
           "container, run it with the GPU: docker run --gpus all)";
  }
  const auto divided = std::find_if(gpus.begin(), gpus.end(), is_divided_without_instances);
  if (divided != gpus.end()) {
    return join("the GPU '", divided->name, "' (", divided->uuid,
                ") is divided by MIG and has no instance that computes; make one (nvidia-smi mig "
                "-cgi <profile> -C), or turn MIG off (nvidia-smi -mig 0)");
  }
  return join("NVIDIA's driver shows no GPU to CUDA, and this machine has ", names_of(gpus),
              "; check that this user may open /dev/nvidia0 and /dev/nvidia-uvm (in a container, "
              "that they are there)");
}

// Returns why an installed driver shows no device, and what to do.
std::string why_no_device() {
  const std::vector<ListedGpu> gpus = gpus_of_machine();
  const bool none_computes =
      !gpus.empty() && std::all_of(gpus.begin(), gpus.end(), is_divided_without_instances);
  const VisibleDevices visible = visible_devices();
  if (!visible.is_set() || none_computes) return why_none_of_all(gpus);
  return join("NVIDIA's driver shows no GPU: ", visible.why_none(),
              remedy(visible.entries(), gpus));
}

// Warns in the log if CUDA_VISIBLE_DEVICES names more devices than CUDA shows. count: the latter.
void log_hidden_devices(int count) {
  const VisibleDevices visible = visible_devices();
  const std::vector<std::string> &entries = visible.entries();
  const auto shown = static_cast<std::size_t>(count);
  if (entries.size() <= shown || VisibleDevices::ends_list(entries[shown])) return;
  const bool only_first_instance = shown == 1 && is_mig(entries.front()) && is_mig(entries[1]);
  nexus_plugin::log(NXS_LogLevel_Warning, "CUDA_VISIBLE_DEVICES is '", visible.value(),
                    "', and CUDA shows only ", count,
                    only_first_instance
                        ? " of them: a process can use only the first MIG instance"
                        : join(" of them: there is no '", entries[shown],
                               "', so CUDA ignores it and the entries after it; leave it out"));
}

// ---- The start ----------------------------------------------------------

[[noreturn]] void throw_not_started(CUresult result, const std::string &path) {
  if (result == CUDA_ERROR_NO_DEVICE ||
      (result == CUDA_ERROR_INVALID_DEVICE && visible_devices().is_set())) {
    throw Error::with_native_code(result, NXS_DeviceNotAvailable, why_no_device());
  }
  if (result == CUDA_ERROR_STUB_LIBRARY) {
    throw Error::with_native_code(result, NXS_DeviceNotAvailable, "'", path,
                                  "' is the toolkit's stub and no driver; take the folder of stubs "
                                  "out of LD_LIBRARY_PATH");
  }
  throw errors.make(result, NXS_DeviceNotAvailable, "starting NVIDIA's driver");
}

int version_of(const DriverLibrary &library) {
  const auto ask =
      reinterpret_cast<CUresult (*)(int *)>(find(library, "cuDriverGetVersion", kOldest));
  int version = 0;
  if (ask == nullptr || ask(&version) != CUDA_SUCCESS) {
    throw Error(NXS_DeviceNotAvailable, "'", library.path,
                "' does not report its version; install the driver again");
  }
  if (version < kOldest) throw_too_old(join("it has CUDA ", version_text(version)));
  return version;
}

}  // namespace

std::string version_text(int version) {
  return join(version / 1000, ".", version % 1000 / 10);
}

int driver_version() noexcept {
  return started_version.load(std::memory_order_acquire);
}

void start_driver() {
  nexus_plugin::refuse_after_fork("CUDA");
  if (driver_version() != 0) return;
  const DriverLibrary library = open_driver();
  const int version = version_of(library);
  const Functions functions = find_functions(library, version);
  const CUresult started = functions.Init(0);
  cu = functions;  // before the check, whose error text needs cuGetErrorName
  if (started != CUDA_SUCCESS) throw_not_started(started, library.path);
  int count = 0;
  const CUresult counted = cu.DeviceGetCount(&count);
  if (counted != CUDA_SUCCESS) throw_not_started(counted, library.path);
  if (count == 0) throw_not_started(CUDA_ERROR_NO_DEVICE, library.path);
  log_hidden_devices(count);
  started_version.store(version, std::memory_order_release);
}

}  // namespace nexus_cuda
