// SPDX-License-Identifier: Apache-2.0
#include "compile/toolkit_library.hpp"

#include "driver/driver.hpp"

#include <dlfcn.h>
#include <charconv>
#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>

namespace nexus_cuda NXS_HIDDEN {

const ToolkitLibrary kNvrtcLibrary = {
    .title = "NVRTC",
    .config_key = "nvrtc",
    .variable = "NEXUS_CUDA_NVRTC",
    .entry = "nvrtcVersion",
    .loader_names = "libnvrtc.so.13:libnvrtc.so.12:libnvrtc.so",
    .how_to_get = "pip install 'nexus-cuda[nvrtc]' installs it",
    .missing = NXS_CompilerNotAvailable,
};
const ToolkitLibrary kNvJitLinkLibrary = {
    .title = "nvJitLink",
    .config_key = "nvjitlink",
    .variable = "NEXUS_CUDA_NVJITLINK",
    .entry = "nvJitLinkVersion",
    .loader_names = "libnvJitLink.so.13:libnvJitLink.so.12:libnvJitLink.so",
    .how_to_get = "pip install nvidia-nvjitlink installs it (nvidia-nvjitlink-cu12 for CUDA 12)",
    .missing = NXS_LinkerNotAvailable,
};
const ToolkitLibrary kNvvmLibrary = {
    .title = "libNVVM",
    .config_key = "nvvm",
    .variable = "NEXUS_CUDA_NVVM",
    .entry = "nvvmVersion",
    .loader_names = "libnvvm.so.4:libnvvm.so",
    .how_to_get = "pip install nvidia-nvvm installs it (nvidia-cuda-nvcc-cu12 for CUDA 12)",
    .missing = NXS_CompilerNotAvailable,
};

namespace {

// Returns the path of the library that the system's loader finds by a name; empty if there is none.
std::string path_by_loader(const ToolkitLibrary &library, const std::string &name) {
  void *const opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return {};
  Dl_info found{};
  const void *const entry = dlsym(opened, library.entry);
  const bool known = entry != nullptr && dladdr(entry, &found) != 0 && found.dli_fname != nullptr;
  return known ? found.dli_fname : "";
}

// Returns false for a library of a later major version than the driver, which may not load its
// code.
bool suits_driver(const std::string &path) {
  constexpr int kFirstOfCuda = 11;  // below it the number is not CUDA's, as with libnvvm.so.4
  const int number = so_number(path);
  return number < kFirstOfCuda || number <= driver_version() / 1000;
}

// Returns the path of the library; empty if there is none.
std::string find_path(const ToolkitLibrary &library) {
  const auto paths = nexus_plugin::split(nexus_plugin::get_config(library.config_key), ':');
  for (const std::string &path : paths) {
    if (suits_driver(path)) return path;
  }
  for (const std::string &name : nexus_plugin::split(library.loader_names, ':')) {
    if (!suits_driver(name)) continue;
    if (std::string path = path_by_loader(library, name); !path.empty()) return path;
  }
  return paths.empty() ? std::string() : paths.front();
}

template <class... Words>
[[noreturn]] void throw_missing(const ToolkitLibrary &library, const Words &...words) {
  throw Error(library.missing, words..., "; ", library.how_to_get, ", or set ", library.variable,
              " to the path of the library");
}

}  // namespace

std::string find_toolkit_library(const ToolkitLibrary &library) {
  std::string path = find_path(library);
  if (path.empty()) throw_missing(library, "there is no ", library.title, " here");
  if (path.find('/') == std::string::npos) {  // the user set a name for the system's loader
    std::string found = path_by_loader(library, path);
    if (!found.empty()) return found;
  }
  return path;
}

bool has_toolkit_library(const ToolkitLibrary &library) noexcept {
  try {
    return !find_path(library).empty();
  } catch (...) {
    return false;
  }
}

void *open_toolkit_library(const ToolkitLibrary &library, const std::string &path) {
  if (void *const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
  throw_missing(library, "'", path, "' can't be opened as ", library.title, ": ", dlerror());
}

void *toolkit_function(const ToolkitLibrary &library, void *opened, const char *name,
                       bool required) {
  void *const found = dlsym(opened, name);
  if (found != nullptr || !required) return found;
  throw_missing(library, "the library that was opened as ", library.title, " has no function ",
                name, ", which those of CUDA 12.0 and newer have");
}

void throw_untold(const ToolkitLibrary &library, const std::string &path, const char *what) {
  throw Error(library.missing, "the ", library.title, " '", path, "' does not report ", what,
              "; install another");
}

int so_number(std::string_view path) {
  const std::size_t at = path.rfind(".so.");
  if (at == std::string_view::npos) return 0;
  int number = 0;
  std::from_chars(path.data() + at + 4, path.data() + path.size(), number);
  return number;
}

ToolkitOutcome run_tool(const ToolkitLibrary &library, std::vector<std::string> options,
                        ToolkitJob::Work work, nexus_plugin::WorkQueue *queue) {
  const double timeout = nexus_plugin::compile_timeout(kTimeoutVariable);
  const nexus_plugin::JobLimits limits{library.title, timeout, kTimeoutVariable, library.missing};
  const auto job = Shared<ToolkitJob>::make(std::move(options), std::move(work));
  if (queue != nullptr) {
    queue->submit([job] { job->run(); });
    nexus_plugin::wait_for_job(*job, limits);
  } else {
    nexus_plugin::run_in_background(job, limits);
  }
  return std::move(job->outcome);
}

}  // namespace nexus_cuda
