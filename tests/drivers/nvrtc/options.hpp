// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_NVRTC_OPTIONS_HPP_
#define NEXUS_SIMULATED_NVRTC_OPTIONS_HPP_

#include <string>
#include <vector>

namespace simulated_nvrtc {

// NVRTC's options, as its user guide has them, in their long and short forms.
struct Options {
  int architecture = 75;
  bool is_virtual = true;  // compute_..., which gives PTX only
  bool lto = false;
  bool relocatable = false;
  std::vector<std::string> for_host;  // what the host's compiler is told too

  // What is wrong with the options; empty if nothing.
  std::string read(int count, const char *const *given);
};

}  // namespace simulated_nvrtc

#endif  // NEXUS_SIMULATED_NVRTC_OPTIONS_HPP_
