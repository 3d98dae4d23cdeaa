// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include "platform.hpp"

#include <dlfcn.h>
#include <nexus-plugin/binary_check.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Error;

using GetPlatformIDs = cl_int (*)(cl_uint, cl_platform_id *, cl_uint *);
using GetExtensionFunctionAddress = void *(*)(const char *);

template <class Function>
Function symbol(void *library, const char *name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// A loader and most vendors' libraries export it. A library that is only meant for a loader offers
// the extension's function instead.
GetPlatformIDs find_entry(void *library) {
  if (auto exported = symbol<GetPlatformIDs>(library, "clGetPlatformIDs")) return exported;
  if (auto exported = symbol<GetPlatformIDs>(library, "clIcdGetPlatformIDsKHR")) return exported;
  const auto ask = symbol<GetExtensionFunctionAddress>(library, "clGetExtensionFunctionAddress");
  return ask == nullptr ? nullptr : reinterpret_cast<GetPlatformIDs>(ask("clIcdGetPlatformIDsKHR"));
}

void *open_library(const std::string &path) {
  // dlopen() ends the process where a file is cut short.
  if (path.find('/') != std::string::npos) {
    if (const std::string why = nexus_plugin::checkBinary(path); !why.empty()) {
#if !defined(__APPLE__)  // its frameworks are in the loader's cache, not in files
      throw Error(NXS_DeviceNotAvailable, why);
#endif
    }
  }
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(NXS_DeviceNotAvailable, dlerror());
  return library;
}

std::vector<cl_platform_id> platforms_of(GetPlatformIDs get_platform_ids, const std::string &path) {
  cl_uint count = 0;
  cl_int error = get_platform_ids(0, nullptr, &count);
  if (error == CL_PLATFORM_NOT_FOUND_KHR || (error == CL_SUCCESS && count == 0)) return {};
  std::vector<cl_platform_id> platforms(count);
  if (error == CL_SUCCESS) error = get_platform_ids(count, platforms.data(), &count);
  if (error != CL_SUCCESS) {
    throw_error(error, NXS_DeviceNotAvailable, "asking '" + path + "' for its platforms");
  }
  platforms.resize(count < platforms.size() ? count : platforms.size());
  std::erase(platforms, nullptr);
  return platforms;
}

// Where the functions of a platform are looked up.
class FunctionSource {
 public:
  FunctionSource(void *library, cl_platform_id platform)
      : library_(library),
        exported_(dlsym(library, "clGetPlatformIDs") != nullptr),
        table_(*reinterpret_cast<void *const *const *>(platform)) {}

  void *find(const char *name, std::size_t index) const {
    return exported_ ? dlsym(library_, name) : table_[index];
  }

 private:
  void *library_;
  bool exported_;
  void *const *table_;  // cl_khr_icd: an object begins with the address of its driver's table
};

std::string platform_text(const Functions &cl, cl_platform_id platform, cl_info info) {
  size_t size = 0;
  check(cl.GetPlatformInfo(platform, info, 0, nullptr, &size), "asking a platform for a text");
  std::string text(size, '\0');
  check(cl.GetPlatformInfo(platform, info, size, text.data(), nullptr),
        "asking a platform for a text");
  return text.c_str();
}

template <class Function>
void assign(Function &function, void *address) {
  function = reinterpret_cast<Function>(address);
}

}  // namespace

OpenedDriver open_driver(const std::string &path) {
  OpenedDriver opened;
  opened.library = open_library(path);
  const GetPlatformIDs entry = find_entry(opened.library);
  if (entry == nullptr) {
    throw Error(NXS_DeviceNotAvailable, "'", path,
                "' is no OpenCL library: it has neither clGetPlatformIDs nor cl_khr_icd");
  }
  opened.platforms = platforms_of(entry, path);
  return opened;
}

Functions functions_of(const OpenedDriver &driver, cl_platform_id platform) {
  const FunctionSource source(driver.library, platform);
  Functions cl;
  assign(cl.GetPlatformInfo, source.find("clGetPlatformInfo", 1));
  if (cl.GetPlatformInfo == nullptr) {
    throw Error(NXS_DeviceNotAvailable, "the OpenCL library lacks clGetPlatformInfo");
  }
  const int version = parse_version(platform_text(cl, platform, CL_PLATFORM_VERSION));
#define CL_FUNCTION(since, index, result, name, parameters)                                     \
  if (version >= (since)) assign(cl.name, source.find("cl" #name, index));                      \
  if (version >= (since) && (since) <= 12 && cl.name == nullptr) {                              \
    throw Error(NXS_DeviceNotAvailable, "the OpenCL library lacks cl" #name, ", which OpenCL ", \
                (since) / 10, ".", (since) % 10, " has");                                       \
  }
#include "cl_functions.def"
  if (version < 12) return cl;  // the caller refuses it
  const std::string extensions = platform_text(cl, platform, CL_PLATFORM_EXTENSIONS);
  const auto ask = cl.GetExtensionFunctionAddressForPlatform;
#define CL_FUNCTION(since, index, result, name, parameters)
#define CL_EXTENSION(extension, result, name, parameters) \
  if (has_word(extensions, extension)) assign(cl.name, ask(platform, "cl" #name));
#include "cl_functions.def"
  return cl;
}

}  // namespace nexus_opencl
