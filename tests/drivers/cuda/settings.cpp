// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

namespace simulated_cuda {

bool Settings::set(const std::string &key, const std::string &value) try {
  const std::string prefix = "attribute.";
  if (key.rfind(prefix, 0) == 0) {
    attributes[std::stoi(key.substr(prefix.size()))] = std::stoi(value);
  } else if (key == "devices") {
    devices = std::stoi(value);
  } else if (key == "driver") {
    driver_version = std::stoi(value);
  } else if (key == "architecture") {
    architecture = std::stoi(value);
  } else if (key == "memory") {
    memory = std::stoull(value);
  } else if (key == "name") {
    name = value;
  } else if (key == "init_result") {
    init_result = std::stoi(value);
  } else if (key == "pools") {
    pools = value != "0";
  } else if (key == "managed") {
    managed = value != "0";
  } else if (key == "peers") {
    peers = value != "0";
  } else if (key == "poison") {
    poison = value != "0";
  } else {
    return false;
  }
  return true;
} catch (const std::exception &) {
  return false;  // the value is no number
}

Settings Settings::from_environment() {
  Settings settings;
  const char *text = std::getenv("NEXUS_SIMULATED_CUDA");
  std::istringstream parts(text == nullptr ? "" : text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    if (equals == std::string::npos ||
        !settings.set(part.substr(0, equals), part.substr(equals + 1))) {
      std::fprintf(stderr, "NEXUS_SIMULATED_CUDA: '%s' is not understood\n", part.c_str());
      std::abort();
    }
  }
  return settings;
}

}  // namespace simulated_cuda
