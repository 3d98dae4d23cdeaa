// SPDX-License-Identifier: Apache-2.0
#include "driver/driver.hpp"

#include <dlfcn.h>
#include <cstdlib>
#include <nexus-plugin/driver/open_library.hpp>
#include <nexus-plugin/runtime.hpp>
#include <vector>

namespace nexus_metal NXS_HIDDEN {

constinit Driver driver;
constinit Messages msg;

namespace {

constexpr const char *kVariable = "NEXUS_METAL_DRIVER";

// The libraries in which functions are looked up.
std::vector<std::string> library_paths() {
  if (const char *named = std::getenv(kVariable); named != nullptr && *named != '\0') {
    return {named};
  }
#if defined(__APPLE__)
  return {"/usr/lib/libobjc.A.dylib", "/System/Library/Frameworks/Foundation.framework/Foundation",
          "/System/Library/Frameworks/Metal.framework/Metal"};
#else
  throw Error(NXS_DeviceNotAvailable,
              "only macOS has Metal; uninstall nexus-metal from this system");
#endif
}

class Libraries {
 public:
  Libraries() {
    for (const std::string &path : library_paths()) {
      std::string why;
#if defined(__APPLE__)
      void *const library = dlopen(path.c_str(), RTLD_NOW);  // in the shared cache, not in a file
      if (library == nullptr) why = dlerror();
#else
      void *const library = open_library(path, why);
#endif
      if (library == nullptr) {
        throw Error(NXS_DeviceNotAvailable, "'", path, "' can't be opened: ", why);
      }
      libraries_.push_back(library);
    }
  }

  template <class Function>
  void find(Function &out, const char *name) const {
    for (void *library : libraries_) {
      out = reinterpret_cast<Function>(dlsym(library, name));
      if (out != nullptr) return;
    }
    throw Error(NXS_DeviceNotAvailable, "the system's Metal lacks ", name,
                "; nexus-metal needs macOS 13 or later");
  }

 private:
  std::vector<void *> libraries_;  // never closed
};

}  // namespace

void start_driver() {
  refuse_after_fork("Metal");
  const Libraries libraries;
  libraries.find(driver.get_class, "objc_getClass");
  libraries.find(driver.register_selector, "sel_registerName");
  libraries.find(driver.send, "objc_msgSend");
  libraries.find(driver.push_pool, "objc_autoreleasePoolPush");
  libraries.find(driver.pop_pool, "objc_autoreleasePoolPop");
  libraries.find(driver.copy_all_devices, "MTLCopyAllDevices");
  libraries.find(driver.global_block, "_NSConcreteGlobalBlock");
#define NEXUS_SELECTOR(name, text, ...) msg.name.selector = driver.register_selector(text);
#include "driver/selectors.def"
}

id to_nsstring(const std::string &text) {
  const id string = text.find('\0') != std::string::npos
                        ? nullptr
                        : msg.string(driver.get_class("NSString"), text.c_str());
  if (string != nullptr) return string;
  throw Error(NXS_InvalidValue, "a text of ", text.size(),
              " bytes is not UTF-8, or has a zero byte; Metal accepts neither");
}

std::string to_text(id nsstring) {
  const char *const text = nsstring == nullptr ? nullptr : msg.utf8(nsstring);
  return text == nullptr ? std::string() : std::string(text);
}

void throw_error(id nserror, nxs_status status, std::string_view what) {
  if (nserror == nullptr) throw Error(status, what, " failed, and Metal does not say why");
  throw Error::with_native_code(msg.error_code(nserror), status, what,
                                " failed: ", to_text(msg.error_text(nserror)), " (",
                                to_text(msg.domain(nserror)), " ", msg.error_code(nserror), ")");
}

Owned made(id object, nxs_status status, std::string_view what) {
  if (object == nullptr) throw Error(status, what, " failed: Metal returned nil");
  return Owned(object);
}

}  // namespace nexus_metal
