// SPDX-License-Identifier: Apache-2.0
#include "code/cache_settings.hpp"

#include <pwd.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/process.hpp"

#if defined(__APPLE__)
#include <crt_externs.h>
#else
extern "C" char **environ;
#endif

namespace nexus::core {
namespace {

constexpr uint64_t kDefaultLimit = uint64_t{512} << 20;

std::string_view variable(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// Warns once per process of a value.
void warnOnce(const char *name, std::string_view value, const char *remedy) {
  const std::string text =
      std::string(name) + " is '" + std::string(value) + "' and is ignored; " + remedy;
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    static std::set<std::string> &told = *new std::set<std::string>;
    if (!told.insert(text).second) {
      return;
    }
  }
  logLine(NXS_LogLevel_Warning, "", text);
}

std::string homeFolder() {
  if (const std::string_view home = variable("HOME"); home.starts_with('/')) {
    return std::string(home);
  }
  std::vector<char> memory(16384);
  struct passwd entry{};
  struct passwd *found = nullptr;
  if (getpwuid_r(geteuid(), &entry, memory.data(), memory.size(), &found) == 0 &&
      found != nullptr && found->pw_dir != nullptr && *found->pw_dir == '/') {
    return found->pw_dir;
  }
  return {};
}

// Returns the platform's folder for caches; empty without a home folder.
std::string platformFolder() {
  const std::string home = homeFolder();
#if defined(__APPLE__)
  return home.empty() ? home : home + "/Library/Caches/nexus";
#else
  if (const std::string_view caches = variable("XDG_CACHE_HOME"); caches.starts_with('/')) {
    return std::string(caches) + "/nexus";
  }
  return home.empty() ? home : home + "/.cache/nexus";
#endif
}

std::string folderSetting() {
  const std::string_view given = variable("NEXUS_CACHE_DIR");
  if (given.empty()) {
    return platformFolder();
  }
  if (!given.starts_with('/')) {
    warnOnce("NEXUS_CACHE_DIR", given, "give an absolute path.");
    return platformFolder();
  }
  return std::string(given);
}

uint64_t limitSetting() {
  const std::string_view given = variable("NEXUS_CACHE_SIZE");
  if (given.empty()) {
    return kDefaultLimit;
  }
  uint64_t bytes = 0;
  const char *end = given.data() + given.size();
  const auto [rest, error] = std::from_chars(given.data(), end, bytes);
  if (error != std::errc() || rest != end) {
    warnOnce("NEXUS_CACHE_SIZE", given, "give a number of bytes, such as 536870912.");
    return kDefaultLimit;
  }
  return bytes;
}

char **environment() {
#if defined(__APPLE__)
  return *_NSGetEnviron();
#else
  return environ;
#endif
}

}  // namespace

bool cachesAreOn() {
  const std::string_view given = variable("NEXUS_CACHE");
  if (!given.empty() && given != "0" && given != "1") {
    warnOnce("NEXUS_CACHE", given, "give 0 to turn the caches off, or 1.");
  }
  return given != "0";
}

CacheSettings cacheSettings() {
  return {cachesAreOn(), folderSetting(), limitSetting()};
}

std::string compilerEnvironment() {
  std::string text = std::to_string(configVersion()) + '\n';
  for (char **entry = environment(); entry != nullptr && *entry != nullptr; ++entry) {
    text.append(*entry).push_back('\0');
  }
  return text;
}

}  // namespace nexus::core
