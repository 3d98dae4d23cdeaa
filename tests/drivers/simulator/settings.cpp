// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include "driver.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

namespace simulator {

bool Settings::set(const std::string &key, const std::string &value) try {
  const std::string prefix = "attribute.";
  const long long number = std::stoll(value);
  if (key.starts_with(prefix)) {
    attributes[std::stoi(key.substr(prefix.size()))] = static_cast<int>(number);
  } else if (key == "devices") {
    devices = static_cast<int>(number);
  } else if (key == "driver") {
    driver_version = static_cast<int>(number);
  } else if (key == "architecture") {
    architecture = static_cast<int>(number);
  } else if (key == "memory") {
    memory = static_cast<uint64_t>(number);
  } else if (key == "peers") {
    peers = number != 0;
  } else {
    return false;
  }
  return true;
} catch (const std::exception &) {
  return false;  // the value is no number
}

Settings Settings::from_environment() {
  Settings settings;
  const char *text = std::getenv(kSettings);
  std::istringstream parts(text == nullptr ? "" : text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    if (equals == std::string::npos ||
        !settings.set(part.substr(0, equals), part.substr(equals + 1))) {
      std::fprintf(stderr, "%s: '%s' is not understood\n", kSettings, part.c_str());
      std::abort();
    }
  }
  return settings;
}

}  // namespace simulator
