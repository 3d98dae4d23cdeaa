// SPDX-License-Identifier: Apache-2.0
#include "base/config.hpp"

#include <nexus/nexus_c.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace nexus::core {
namespace {

// All under tableMutex. Never destroyed, since backends' threads may read it while the process
// exits.
struct Config {
  std::map<std::string, std::string_view, std::less<>> values;
  // Every value ever read or set, since plug-ins keep pointers to them.
  std::set<std::string, std::less<>> texts;
  uint64_t version = 0;
};

Config &config() {
  static Config &all = *new Config;
  return all;
}

// The caller holds tableMutex.
std::string_view keep(std::string_view text) {
  return *config().texts.emplace(text).first;
}

std::string environmentName(std::string_view backend, std::string_view key) {
  std::string name = "NEXUS_" + std::string(backend) + "_" + std::string(key);
  for (char &letter : name) {
    letter = letter == '.' || letter == '-'
                 ? '_'
                 : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

// Settings become paths and environment variables, which end at a zero byte.
void refuseZeroByte(std::string_view text, const char *parameter) {
  if (text.find('\0') != std::string_view::npos) {
    failWith(NXS_InvalidValue, parameter, " has a zero byte ('\\0') in it; give text without one.");
  }
}

}  // namespace

void setConfig(std::string_view key, std::string_view value) {
  if (key.empty()) {
    failWith(NXS_InvalidValue, "key is empty; give a name such as 'cpu.cc'.");
  }
  refuseZeroByte(key, "key");
  refuseZeroByte(value, "value");
  const std::lock_guard<std::mutex> lock(tableMutex());
  auto &values = config().values;
  const auto found = values.find(key);
  if ((found == values.end() ? std::string_view() : found->second) == value) return;
  ++config().version;
  if (value.empty()) {
    values.erase(found);
  } else {
    values.insert_or_assign(std::string(key), keep(value));
  }
}

std::string_view configOf(std::string_view backend, std::string_view key) {
  const char *environment = std::getenv(environmentName(backend, key).c_str());
  const std::string qualified = std::string(backend) + "." + std::string(key);
  const std::lock_guard<std::mutex> lock(tableMutex());
  if (environment != nullptr && *environment != '\0') return keep(environment);
  const auto &values = config().values;
  auto found = values.find(qualified);
  if (found == values.end()) {
    found = values.find(key);
  }
  return found == values.end() ? std::string_view() : found->second;
}

uint64_t configVersion() {
  const std::lock_guard<std::mutex> lock(tableMutex());
  return config().version;
}

}  // namespace nexus::core

extern "C" nxs_status nexus_set_config(nxs_string key, nxs_string value) {
  using namespace nexus::core;
  return guarded([&] { setConfig(viewOf(key, "key"), viewOf(value, "value")); });
}

extern "C" nxs_status nexus_get_config(nxs_string backend, nxs_string key, nxs_string *out_value) {
  using namespace nexus::core;
  return giveResult(out_value, "out_value", [&] {
    return stringOf(configOf(viewOf(backend, "backend"), viewOf(key, "key")));
  });
}
