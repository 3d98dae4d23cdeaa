// SPDX-License-Identifier: Apache-2.0
#include "toolkit/nvrtc.hpp"

#include "toolkit/toolkit_library.hpp"

#include <dlfcn.h>
#include <charconv>
#include <filesystem>
#include <nexus-plugin/error.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

// The library that NVRTC opens by its name when it compiles: "libnvrtc-builtins.so.13.5", beside it
// in wheels and toolkits. Empty where it is not.
std::string builtins_beside(const std::string &path) {
  constexpr std::string_view kBuiltins = "libnvrtc-builtins.so.";
  const int major = so_number(path);
  std::error_code ignored;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kBuiltins) || name.find('.', kBuiltins.size()) == std::string::npos) {
      continue;
    }
    if (major == 0 || so_number(name) == major) return entry.path().string();
  }
  return {};
}

// 135 of "libnvrtc-builtins.so.13.5"; 0 where the name does not tell.
int version_of_builtins(const std::string &path) {
  const int major = so_number(path);
  const std::size_t at = path.rfind(".so.");
  if (major == 0) return 0;
  const std::size_t dot = path.find('.', at + 4);
  int minor = 0;
  const char *const end = path.data() + path.size();
  if (std::from_chars(path.data() + dot + 1, end, minor).ec != std::errc()) return 0;
  return major * 10 + minor;
}

template <class Function>
void assign_nvrtc(Function &function, void *opened, const char *name, bool required) {
  void *const found =
      required ? toolkit_function(kNvrtcLibrary, opened, name) : dlsym(opened, name);
  function = reinterpret_cast<Function>(found);
}

Nvrtc *load_nvrtc(const std::string &path) {
  constexpr bool REQUIRED = true, OPTIONAL = false;
  void *const opened = open_toolkit_library(kNvrtcLibrary, path);
  // NVRTC finds what is opened already; by itself it may not look in its own folder.
  const std::string builtins = builtins_beside(path);
  if (!builtins.empty()) (void)dlopen(builtins.c_str(), RTLD_LAZY | RTLD_LOCAL);
  Nvrtc loaded;
#define NVRTC_FUNCTION(need, name, parameters) \
  assign_nvrtc(loaded.name, opened, "nvrtc" #name, need);
#include "toolkit/nvrtc_functions.def"
  int major = 0, minor = 0, count = 0;
  const bool answers = loaded.Version(&major, &minor) == NVRTC_SUCCESS &&
                       loaded.GetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0;
  if (answers) loaded.architectures.resize(static_cast<std::size_t>(count));
  if (!answers || loaded.GetSupportedArchs(loaded.architectures.data()) != NVRTC_SUCCESS) {
    throw Error(NXS_CompilerNotAvailable, "the NVRTC '", path,
                "' does not tell its version or what it compiles for; install another");
  }
  loaded.version = major * 10 + minor;
  return new Nvrtc(std::move(loaded));
}

}  // namespace

std::string nvrtc_title(int version) {
  return join("NVRTC ", version / 10, ".", version % 10);
}

NvrtcPlace find_nvrtc(int driver_major) {
  NvrtcPlace place;
  place.path = find_toolkit_library(kNvrtcLibrary, driver_major);
  const std::string builtins = builtins_beside(place.path);
  place.version = version_of_builtins(builtins);
  place.identity = file_identity(place.path);
  if (place.version == 0) {
    place.version = open_nvrtc(place.path).version;
  } else {
    place.identity += " with " + file_identity(builtins);
  }
  place.identity = nvrtc_title(place.version) + ": " + place.identity;
  return place;
}

const Nvrtc &open_nvrtc(const std::string &path) {
  return opened_once(path, load_nvrtc);
}

}  // namespace nexus_cuda
