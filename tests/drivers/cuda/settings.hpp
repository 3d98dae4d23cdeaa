// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_SETTINGS_HPP_
#define NEXUS_SIMULATED_CUDA_SETTINGS_HPP_

#include <cstdint>
#include <map>
#include <string>

namespace simulated_cuda {

// What machine is simulated. From NEXUS_SIMULATED_CUDA, "key=value,key=value", or set by
// simulated_cuda_set() before cuInit.
struct Settings {
  int devices = 2;
  int driver_version = 13000;
  int architecture = 90;  // compute capability, major * 10 + minor
  uint64_t memory = uint64_t{4} << 30;
  std::string name = "Simulated GPU";
  int init_result = 0;            // what cuInit returns
  bool pools = true;              // memory pools are supported
  bool managed = true;            // managed memory is supported
  bool peers = true;              // devices reach each other's memory
  bool poison = true;             // fresh small allocations hold garbage
  std::map<int, int> attributes;  // laid over every device's: "attribute.16=132"

  static Settings from_environment();
  // False where there is no such key, or the value is none.
  bool set(const std::string &key, const std::string &value);
};

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_SETTINGS_HPP_
