// SPDX-License-Identifier: Apache-2.0
#include "platform.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/kernel/binary_check.hpp>
#include <nexus-plugin/runtime.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

constexpr int kOldestVersion = 12;

// ---- Libraries --------------------------------------------------------

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
#if !defined(__APPLE__)  // its frameworks are in the loader's cache, not in files
  // dlopen() ends the process if a file is cut short.
  if (path.find('/') != std::string::npos) {
    if (const std::string why = checkBinary(path); !why.empty()) {
      throw Error(NXS_DeviceNotAvailable, why);
    }
  }
#endif
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(NXS_DeviceNotAvailable, dlerror());
  return library;
}

std::vector<cl_platform_id> platform_ids(void *library, const std::string &path) {
  const GetPlatformIDs get_platform_ids = find_entry(library);
  if (get_platform_ids == nullptr) {
    throw Error(NXS_DeviceNotAvailable, "'", path,
                "' is not an OpenCL library: it has neither clGetPlatformIDs nor cl_khr_icd");
  }
  cl_uint count = 0;
  cl_int error = get_platform_ids(0, nullptr, &count);
  if (error == CL_PLATFORM_NOT_FOUND_KHR || (error == CL_SUCCESS && count == 0)) return {};
  std::vector<cl_platform_id> platforms(count);
  if (error == CL_SUCCESS) error = get_platform_ids(count, platforms.data(), &count);
  if (error != CL_SUCCESS) {
    throw_error(error, NXS_DeviceNotAvailable, "asking '" + path + "' for its platforms");
  }
  if (count < platforms.size()) platforms.resize(count);
  std::erase(platforms, nullptr);
  return platforms;
}

std::string platform_text(const Functions &cl, cl_platform_id platform, cl_info info) {
  std::string text;
  check(read_list(text, cl.GetPlatformInfo, platform, info), "asking a platform for a text");
  return text.c_str();
}

template <class Function>
void assign(Function &function, void *address) {
  function = reinterpret_cast<Function>(address);
}

// Looks up the functions of a platform. Those of newer versions and of extensions that it does not
// have are NULL. Throws NXS_DeviceNotAvailable if one that version 1.2 has is missing.
Functions functions_of(void *library, cl_platform_id platform) {
  // cl_khr_icd: an object begins with the address of its driver's table.
  void *const *const table = *reinterpret_cast<void *const *const *>(platform);
  const bool exported = dlsym(library, "clGetPlatformIDs") != nullptr;
  const auto find = [&](const char *name, std::size_t index) {
    return exported ? dlsym(library, name) : table[index];
  };
  Functions cl;
  assign(cl.GetPlatformInfo, find("clGetPlatformInfo", 1));
  if (cl.GetPlatformInfo == nullptr) {
    throw Error(NXS_DeviceNotAvailable, "the OpenCL library lacks clGetPlatformInfo");
  }
  const int version = parse_version(platform_text(cl, platform, CL_PLATFORM_VERSION));
#define CL_FUNCTION(since, index, result, name, parameters)                                     \
  if (version >= (since)) assign(cl.name, find("cl" #name, index));                             \
  if (version >= (since) && (since) <= 12 && cl.name == nullptr) {                              \
    throw Error(NXS_DeviceNotAvailable, "the OpenCL library lacks cl" #name, ", which OpenCL ", \
                (since) / 10, ".", (since) % 10, " has");                                       \
  }
#include "cl_functions.def"
  if (version < kOldestVersion) return cl;  // Platform refuses it
  const std::string extensions = platform_text(cl, platform, CL_PLATFORM_EXTENSIONS);
  const auto ask = cl.GetExtensionFunctionAddressForPlatform;
#define CL_FUNCTION(since, index, result, name, parameters)
#define CL_EXTENSION(extension, result, name, parameters) \
  if (has_word(extensions, extension)) assign(cl.name, ask(platform, "cl" #name));
#include "cl_functions.def"
  return cl;
}

// ---- Platforms --------------------------------------------------------

// Drivers call it at any time, from threads of their own.
void log_from_driver(const char *text, const void *, size_t, void *) {
  log(NXS_LogLevel_Info, "OpenCL: ", text == nullptr ? "" : text);
}

bool is_usable(const Functions &cl, cl_device_id device) {
  cl_bool available = CL_FALSE;
  cl.GetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof(available), &available, nullptr);
  const auto version = read_text(cl.GetDeviceInfo, device, CL_DEVICE_VERSION);
  return available != CL_FALSE && parse_version(version.value_or("")) >= kOldestVersion;
}

}  // namespace

int parse_version(std::string_view text) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (is_digit(text[i]) && text[i + 1] == '.' && is_digit(text[i + 2])) {
      return (text[i] - '0') * 10 + (text[i + 2] - '0');
    }
  }
  return 0;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool has_word(std::string_view list, std::string_view word) {
  const std::vector<std::string> words = split(list, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

Platform::Platform(cl_platform_id id, const Functions &functions)
    : id_(id),
      cl_(functions),
      name_(platform_text(cl_, id, CL_PLATFORM_NAME)),
      vendor_(platform_text(cl_, id, CL_PLATFORM_VENDOR)),
      version_text_(platform_text(cl_, id, CL_PLATFORM_VERSION)) {
  if (parse_version(version_text_) < kOldestVersion) {
    throw Error(NXS_DeviceNotAvailable, "the platform '", name_, "' has '", version_text_,
                "'; this backend needs OpenCL 1.2");
  }
  find_devices();
}

void Platform::find_devices() {
  for (const cl_device_type type :
       {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU}) {
    cl_uint count = 0;
    if (cl_.GetDeviceIDs(id_, type, 0, nullptr, &count) != CL_SUCCESS || count == 0) continue;
    std::vector<cl_device_id> found(count);
    check(cl_.GetDeviceIDs(id_, type, count, found.data(), nullptr), "asking for devices");
    std::copy_if(found.begin(), found.end(), std::back_inserter(devices_),
                 [this](cl_device_id device) { return is_usable(cl_, device); });
  }
}

cl_context Platform::context() {
  const std::lock_guard lock(context_mutex_);
  if (context_ == nullptr) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(id_), 0};
    cl_int error = CL_SUCCESS;
    context_ = cl_.CreateContext(properties, static_cast<cl_uint>(devices_.size()), devices_.data(),
                                 log_from_driver, nullptr, &error);
    check(error, join("starting the OpenCL platform '", name_, "'"));
  }
  return context_;
}

// ---- The search -------------------------------------------------------

namespace {

#if defined(__APPLE__)
constexpr const char *kSystemLoader = "/System/Library/Frameworks/OpenCL.framework/OpenCL";
#else
constexpr const char *kSystemLoader = "libOpenCL.so.1";
#endif

// Collects platforms, and the reasons why libraries and platforms were left out.
class Search {
 public:
  void look_in(const std::string &path) {
    try {
      void *library = open_library(path);
      const std::vector<cl_platform_id> ids = platform_ids(library, path);
      if (ids.empty()) complain("'" + path + "' has no OpenCL platform");
      for (const cl_platform_id id : ids) add(library, id);
    } catch (const Error &error) {
      complain(error.what());
    }
  }

  const std::vector<Platform *> &platforms() const { return found_; }
  const std::string &complaints() const { return complaints_; }

 private:
  void add(void *library, cl_platform_id id) {
    auto platform = std::make_unique<Platform>(id, functions_of(library, id));
    if (platform->devices().empty()) {
      complain("the platform '" + platform->name() + "' has no device of OpenCL 1.2 or later");
      return;
    }
    // The loader may have brought a vendor's library before.
    const bool known = std::any_of(found_.begin(), found_.end(), [&](const Platform *other) {
      return other->id() == id || (other->name() == platform->name() &&
                                   other->version_text() == platform->version_text());
    });
    if (!known) found_.push_back(platform.release());  // as long as the process
  }

  void complain(const std::string &sentence) {
    log(NXS_LogLevel_Debug, "OpenCL: ", sentence);
    complaints_ += (complaints_.empty() ? "" : "; ") + sentence;
  }

  std::vector<Platform *> found_;
  std::string complaints_;
};

std::vector<Platform *> chosen(const std::vector<Platform *> &all, std::string_view names) {
  std::vector<Platform *> out;
  for (const std::string &part : split(names, ',')) {
    for (Platform *platform : all) {
      const bool named = lower(platform->name()).find(lower(part)) != std::string::npos;
      if (named && std::find(out.begin(), out.end(), platform) == out.end()) {
        out.push_back(platform);
      }
    }
  }
  if (!out.empty()) return out;
  std::string list;
  for (const Platform *platform : all) {
    list += (list.empty() ? "'" : ", '") + platform->name() + "'";
  }
  throw Error(NXS_DeviceNotAvailable, "NEXUS_OPENCL_PLATFORMS is '", names,
              "', and no platform's name has that in it; there are ", list);
}

}  // namespace

std::vector<Platform *> find_platforms() {
  refuse_after_fork("OpenCL");
  Search search;
  const std::string_view library = get_config("library");
  if (!library.empty()) {
    search.look_in(std::string(library));
  } else {
    search.look_in(kSystemLoader);
    for (const std::string &path : split(get_config("vendors"), ':')) search.look_in(path);
  }
  if (search.platforms().empty()) {
    throw Error(NXS_DeviceNotAvailable, "no OpenCL device was found: ", search.complaints(),
                !library.empty() ? "; NEXUS_OPENCL_LIBRARY names that library"
                                 : "; install the driver of your device, or a runtime for "
                                   "processors such as intel-opencl-rt, or name a library with "
                                   "NEXUS_OPENCL_LIBRARY");
  }
  const std::string_view names = get_config("platforms");
  return names.empty() ? search.platforms() : chosen(search.platforms(), names);
}

}  // namespace nexus_opencl
