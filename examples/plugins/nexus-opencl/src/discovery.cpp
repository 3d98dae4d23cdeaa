// SPDX-License-Identifier: Apache-2.0
#include "discovery.hpp"

#include "driver.hpp"

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cctype>
#include <memory>
#include <nexus-plugin/host.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::get_config;

#if defined(__APPLE__)
constexpr const char *kSystemLoader = "/System/Library/Frameworks/OpenCL.framework/OpenCL";
#else
constexpr const char *kSystemLoader = "libOpenCL.so.1";
#endif

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// What was found, and what was in the way, for the sentence where nothing was found.
class Search {
 public:
  void look_in(const std::string &path) {
    try {
      const OpenedDriver driver = open_driver(path);
      if (driver.platforms.empty()) complain("'" + path + "' has no OpenCL platform");
      for (const cl_platform_id id : driver.platforms) add(driver, id);
    } catch (const Error &error) {
      complain(error.what());
    }
  }

  std::vector<Platform *> platforms() const { return found_; }
  const std::string &complaints() const { return complaints_; }

 private:
  void add(const OpenedDriver &driver, cl_platform_id id) {
    auto platform = std::make_unique<Platform>(id, functions_of(driver, id));
    if (platform->devices().empty()) {
      complain("the platform '" + platform->name() + "' has no device of OpenCL 1.2 or later");
      return;
    }
    // A vendor's library may have been reached through the loader already.
    const bool known = std::any_of(found_.begin(), found_.end(), [&](const Platform *other) {
      return other->id() == id || (other->name() == platform->name() &&
                                   other->version_text() == platform->version_text());
    });
    if (!known) found_.push_back(platform.release());  // as long as the process
  }

  void complain(const std::string &sentence) {
    nexus_plugin::log(NXS_LogLevel_Debug, "OpenCL: ", sentence);
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

// Drivers keep threads and locks, which a fork() leaves behind.
void refuse_after_fork() {
  static std::atomic<pid_t> started_in{0};
  pid_t before = 0;
  if (!started_in.compare_exchange_strong(before, getpid()) && before != getpid()) {
    throw Error(NXS_DeviceNotAvailable,
                "OpenCL was started before this process was forked, and drivers do not survive "
                "that; start processes anew (multiprocessing's 'spawn'), or use the backend first "
                "in the child");
  }
}

[[noreturn]] void throw_nothing_found(const std::string &complaints, bool named) {
  throw Error(NXS_DeviceNotAvailable, "no OpenCL device was found: ", complaints,
              named ? "; NEXUS_OPENCL_LIBRARY names that library"
                    : "; install the driver of your device, or a runtime for processors such as "
                      "intel-opencl-rt, or name a library with NEXUS_OPENCL_LIBRARY");
}

}  // namespace

std::vector<Platform *> find_platforms() {
  refuse_after_fork();
  Search search;
  const std::string_view library = get_config("library");
  if (!library.empty()) {
    search.look_in(std::string(library));
  } else {
    search.look_in(kSystemLoader);
    for (const std::string &path : split(get_config("vendors"), ':')) search.look_in(path);
  }
  if (search.platforms().empty()) throw_nothing_found(search.complaints(), !library.empty());
  const std::string_view names = get_config("platforms");
  return names.empty() ? search.platforms() : chosen(search.platforms(), names);
}

}  // namespace nexus_opencl
