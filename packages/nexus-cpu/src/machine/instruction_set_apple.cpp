// SPDX-License-Identifier: Apache-2.0
#if defined(__APPLE__) && !defined(__x86_64__)

#include "machine/processor.hpp"
#include "system/apple_system.hpp"

#include <algorithm>
#include <array>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr std::array kFlags = {"FEAT_FP16", "FEAT_DotProd", "FEAT_BF16", "FEAT_I8MM", "FEAT_SME"};

// "Apple M2 Pro" is an apple-m2.
std::string apple_architecture(const std::string &brand) {
  constexpr std::string_view prefix = "Apple M";
  if (!brand.starts_with(prefix) || brand.size() <= prefix.size()) return "armv8-a";
  return std::string("apple-m") + brand[prefix.size()];
}

}  // namespace

Processor read_processor(const SystemTree &) {
  Processor out;
  out.name = system_text("machdep.cpu.brand_string");
  out.vendor = "Apple";
  out.architecture = apple_architecture(out.name);
  out.level = "apple-m1";
  for (const char *flag : kFlags) {
    if (system_number(std::string("hw.optional.arm.") + flag) != 0) out.features.push_back(flag);
  }
  out.simd_lanes = 4;
  return out;
}

bool can_tell_feature(std::string_view feature) {
  return std::find(kFlags.begin(), kFlags.end(), feature) != kFlags.end();
}

}  // namespace nexus_cpu

#endif  // __APPLE__ && !__x86_64__
