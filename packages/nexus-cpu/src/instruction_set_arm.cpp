// SPDX-License-Identifier: Apache-2.0
#if !defined(__x86_64__)

#include "processor.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

#if defined(__APPLE__)

constexpr std::array kFlags = {"FEAT_FP16", "FEAT_DotProd", "FEAT_BF16", "FEAT_I8MM", "FEAT_SME"};

std::string system_text(const char *name) {
  char text[256] = {};
  std::size_t size = sizeof(text) - 1;
  return sysctlbyname(name, text, &size, nullptr, 0) == 0 ? std::string(text) : std::string();
}

bool system_flag(const char *name) {
  int value = 0;
  std::size_t size = sizeof(value);
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
}

// "Apple M2 Pro" is an apple-m2.
std::string apple_architecture(const std::string &brand) {
  constexpr std::string_view prefix = "Apple M";
  if (brand.rfind(prefix, 0) != 0 || brand.size() <= prefix.size()) return "armv8-a";
  return std::string("apple-m") + brand[prefix.size()];
}

#else

struct Part {
  std::string_view maker, part;  // as /proc/cpuinfo writes them
  const char *name;
};

constexpr std::array kParts = {
    Part{"0x41", "0xd03", "cortex-a53"},  Part{"0x41", "0xd05", "cortex-a55"},
    Part{"0x41", "0xd07", "cortex-a57"},  Part{"0x41", "0xd08", "cortex-a72"},
    Part{"0x41", "0xd0b", "cortex-a76"},  Part{"0x41", "0xd0c", "neoverse-n1"},
    Part{"0x41", "0xd40", "neoverse-v1"}, Part{"0x41", "0xd41", "cortex-a78"},
    Part{"0x41", "0xd49", "neoverse-n2"}, Part{"0x41", "0xd4f", "neoverse-v2"},
};

// The first processor's lines of /proc/cpuinfo.
std::string info(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    const std::size_t start = line.find_first_not_of(' ', colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

#endif

}  // namespace

InstructionSet read_instruction_set() {
  InstructionSet set;
#if defined(__APPLE__)
  set.name = system_text("machdep.cpu.brand_string");
  set.vendor = "Apple";
  set.architecture = apple_architecture(set.name);
  set.level = "apple-m1";
  for (const char *flag : kFlags) {
    if (system_flag((std::string("hw.optional.arm.") + flag).c_str())) set.features.push_back(flag);
  }
  set.simd_lanes = 4;
#else
  const std::string maker = info("CPU implementer");
  const std::string part = info("CPU part");
  std::istringstream flags(info("Features"));
  for (std::string flag; flags >> flag;) set.features.push_back(flag);
  set.vendor = maker == "0x41" ? "ARM" : maker == "0x61" ? "Apple" : maker;
#if defined(__aarch64__)
  set.architecture = "armv8-a";
  set.simd_lanes = 4;
#elif defined(__riscv)
  set.architecture = "rv64";
#endif
  set.level = set.architecture;
  for (const Part &known : kParts) {
    if (known.maker == maker && known.part == part) set.architecture = known.name;
  }
  set.name = info("model name").empty() ? set.architecture : info("model name");
#endif
  return set;
}

#if defined(__APPLE__)
bool can_tell_feature(std::string_view feature) {
  return std::find(kFlags.begin(), kFlags.end(), feature) != kFlags.end();
}
#else
// The system lists all that it lets programs use.
bool can_tell_feature(std::string_view) {
  return true;
}
#endif

}  // namespace nexus_cpu

#endif  // !__x86_64__
