// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

namespace simulator {

bool Settings::set(const std::string &key, const std::string &value) try {
  const std::string prefix = "attribute.";
  const std::map<std::string, int *> numbers{{"devices", &devices},
                                             {"driver", &driver_version},
                                             {"architecture", &architecture},
                                             {"peers", &peers}};
  if (key == "memory") {
    memory = std::stoull(value);
  } else if (key.starts_with(prefix)) {
    attributes[std::stoi(key.substr(prefix.size()))] = std::stoi(value);
  } else if (const auto named = kNamedAttributes.find(key); named != kNamedAttributes.end()) {
    attributes[named->second] = std::stoi(value);
  } else if (const auto found = numbers.find(key); found != numbers.end()) {
    *found->second = std::stoi(value);
  } else {
    return false;
  }
  return true;
} catch (const std::exception &) {
  return false;  // the value is not a number
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
