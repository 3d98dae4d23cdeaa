// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_SETTINGS_HPP_
#define NEXUS_SIMULATOR_SETTINGS_HPP_

#include "driver.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace simulator {

// What machine is simulated: from the environment (kSettings), "key=value,key=value", or set by
// simulated_set() before the driver starts.
struct Settings {
  int devices = 2;
  int driver_version = kDriverVersion;
  int architecture = kArchitecture;
  uint64_t memory = uint64_t{4} << 30;
  int peers = 1;                  // devices reach each other's memory
  std::map<int, int> attributes;  // laid over every device's: "attribute.16=132"

  static Settings from_environment();
  // False where there is no such key, or the value is none.
  bool set(const std::string &key, const std::string &value);
};

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_SETTINGS_HPP_
