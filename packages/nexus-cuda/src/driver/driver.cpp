// SPDX-License-Identifier: Apache-2.0
#include "driver/driver.hpp"

#include "driver/error.hpp"
#include "driver/visible_devices.hpp"

#include <dlfcn.h>
#include <atomic>
#include <nexus-plugin/binary_check.hpp>
#include <nexus-plugin/host.hpp>
#include <nexus-plugin/runtime.hpp>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::join;

constinit Functions cu;

namespace {

// The latest answer of the driver other than success.
struct Refusal {
  const char *function = nullptr;
  CUresult result = CUDA_SUCCESS;
};
constinit thread_local Refusal last_refusal;

constexpr const char *kSystemLibrary = "libcuda.so.1";
constexpr int kOldest = 12000;
constexpr const char *kOldestInWords = "12.0 (on Linux 525.60.13)";

std::atomic<int> started_version{0};

using GetProcAddress = CUresult (*)(const char *symbol, void **function, int version,
                                    unsigned long long flags,
                                    CUdriverProcAddressQueryResult *status);

// Where the functions are looked up.
struct DriverLibrary {
  void *handle = nullptr;
  GetProcAddress ask = nullptr;
  std::string path;
};

std::string version_text(int version) {
  return join(version / 1000, ".", version % 1000 / 10);
}

void *open_library(const std::string &path, bool named) {
  // dlopen() ends the process where a file is cut short.
  if (named && path.find('/') != std::string::npos) {
    if (const std::string why = nexus_plugin::checkBinary(path); !why.empty()) {
      throw Error(NXS_DeviceNotAvailable, why, "; NEXUS_CUDA_DRIVER names that library");
    }
  }
  if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char *why = dlerror();
  throw Error(NXS_DeviceNotAvailable,
              "no driver of NVIDIA's was found: ", why == nullptr ? path.c_str() : why,
              named ? "; NEXUS_CUDA_DRIVER names that library"
                    : "; install the driver of your GPU (in a container, run it with the GPU: "
                      "docker run --gpus all)");
}

void refuse_too_old(const std::string &has) {
  throw Error(NXS_DeviceNotAvailable, "the driver of NVIDIA's is too old: ", has, ", and CUDA ",
              kOldestInWords, " is the oldest that works; install a newer driver");
}

DriverLibrary open_driver() {
  DriverLibrary opened;
  const std::string_view named = nexus_plugin::get_config("driver");
  opened.path = named.empty() ? std::string(kSystemLibrary) : std::string(named);
  opened.handle = open_library(opened.path, !named.empty());
  opened.ask = reinterpret_cast<GetProcAddress>(dlsym(opened.handle, "cuGetProcAddress_v2"));
  if (opened.ask != nullptr) return opened;
  if (dlsym(opened.handle, "cuInit") == nullptr) {
    throw Error(NXS_DeviceNotAvailable, "'", opened.path,
                "' is no driver of NVIDIA's: it has no cuInit");
  }
  refuse_too_old(join("'", opened.path, "' has no cuGetProcAddress of CUDA 12"));
  return opened;
}

// NULL where the driver has no such function.
void *find(const DriverLibrary &library, const char *name, int version) {
  void *found = nullptr;
  CUdriverProcAddressQueryResult status = 0;
  const CUresult result = library.ask(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  return result == CUDA_SUCCESS ? found : nullptr;
}

Functions find_functions(const DriverLibrary &library, int version) {
  Functions found;
  constexpr bool REQUIRED = true, OPTIONAL = false;
#define CU_FUNCTION(need, since, name, parameters)                                                \
  if ((since) <= version) found.name.set(find(library, "cu" #name, since));                       \
  if (need && found.name == nullptr) {                                                            \
    throw Error(NXS_DeviceNotAvailable, "the driver '", library.path, "' says that it has CUDA ", \
                version_text(version), " and lacks cu" #name "; install it again");               \
  }
#include "driver/cuda_functions.def"
  return found;
}

[[noreturn]] void throw_not_started(CUresult result, const std::string &path) {
  if (result == CUDA_ERROR_NO_DEVICE || (result == CUDA_ERROR_INVALID_DEVICE && names_devices())) {
    throw Error::with_native_code(result, NXS_DeviceNotAvailable, why_no_device());
  }
  if (result == CUDA_ERROR_STUB_LIBRARY) {
    throw Error::with_native_code(result, NXS_DeviceNotAvailable, "'", path,
                                  "' is the toolkit's stub and no driver; take the folder of stubs "
                                  "out of LD_LIBRARY_PATH");
  }
  throw_error(result, NXS_DeviceNotAvailable, "starting the driver of NVIDIA's");
}

int version_of(const DriverLibrary &library) {
  const auto ask =
      reinterpret_cast<CUresult (*)(int *)>(find(library, "cuDriverGetVersion", kOldest));
  int version = 0;
  if (ask == nullptr || ask(&version) != CUDA_SUCCESS) {
    throw Error(NXS_DeviceNotAvailable, "'", library.path,
                "' does not tell its version; install the driver again");
  }
  if (version < kOldest) refuse_too_old(join("it has CUDA ", version_text(version)));
  return version;
}

}  // namespace

void note_refusal(const char *function, CUresult result) noexcept {
  last_refusal = {function, result};
}

const char *refusing_function(CUresult error) noexcept {
  return last_refusal.result == error ? last_refusal.function : nullptr;
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
  cu = functions;  // for the words of an error too
  if (started != CUDA_SUCCESS) throw_not_started(started, library.path);
  int count = 0;
  const CUresult counted = cu.DeviceGetCount(&count);
  if (counted != CUDA_SUCCESS) throw_not_started(counted, library.path);
  if (count == 0) throw_not_started(CUDA_ERROR_NO_DEVICE, library.path);
  log_hidden_devices(count);
  started_version.store(version, std::memory_order_release);
}

}  // namespace nexus_cuda
