// SPDX-License-Identifier: Apache-2.0
#include "pool/pool_settings.hpp"

#include "system/container_limit.hpp"
#include "system/usable_processors.hpp"

#include <algorithm>
#include <charconv>
#include <nexus-plugin/host.hpp>
#include <optional>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr unsigned kMostThreads = 1024;

std::optional<unsigned> parse_threads(std::string_view text) {
  unsigned threads = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, threads);
  if (error != std::errc() || stop != end || threads < 1 || threads > kMostThreads) return {};
  return threads;
}

std::optional<bool> parse_switch(std::string_view text) {
  if (text == "1") return true;
  if (text == "0") return false;
  return {};
}

// Returns the value of the setting if it is set and can be parsed.
template <class Value>
std::optional<Value> setting(const char *key, std::optional<Value> (*parse)(std::string_view),
                             const char *wanted) {
  const std::string_view text = nexus_plugin::get_config(key);
  if (text.empty()) return {};
  std::optional<Value> value = parse(text);
  if (!value) {
    nexus_plugin::log(NXS_LogLevel_Warning, "the setting cpu.", key, " is '", text,
                      "', which is not ", wanted, "; it is ignored");
  }
  return value;
}

}  // namespace

PoolSettings read_pool_settings() {
  PoolSettings settings;
  const std::vector<unsigned> processors = usable_processors();
  const auto threads = setting("threads", parse_threads, "a number from 1 to 1024");
  if (threads) {
    settings.threads = *threads;
  } else {
    const unsigned limit = container_limit(SystemTree());
    const auto all = static_cast<unsigned>(processors.size());
    settings.threads = std::min({all, kMostThreads, limit == 0 ? all : limit});
  }
  if (setting("pin", parse_switch, "0 or 1").value_or(false)) {
    settings.pinned = processors;
  }
  return settings;
}

}  // namespace nexus_cpu
