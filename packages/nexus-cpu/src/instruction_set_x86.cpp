// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include "processor.hpp"

#include <cpuid.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {
namespace {

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

// Which registers the system saves: without that the instructions can't be used.
uint64_t saved_state() {
  constexpr unsigned kOsxsave = 1U << 27;
  if ((cpuid(1).ecx & kOsxsave) == 0) return 0;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

enum State : uint64_t { kNone = 0, kAvx = 0x6, kAvx512 = 0xe6, kAmx = 0x60000, kApx = 0x80000 };

struct Feature {
  const char *name;
  unsigned leaf, subleaf;
  char reg;  // of eax, ebx, ecx, edx: the second letter
  unsigned bit;
  State state;
};

// All that a compiler may use on its own: the name of what code for this processor runs on is made
// of them.
constexpr std::array kFeatures = {
    Feature{"sse2", 1, 0, 'd', 26, kNone},
    Feature{"sse3", 1, 0, 'c', 0, kNone},
    Feature{"pclmul", 1, 0, 'c', 1, kNone},
    Feature{"ssse3", 1, 0, 'c', 9, kNone},
    Feature{"fma", 1, 0, 'c', 12, kAvx},
    Feature{"cx16", 1, 0, 'c', 13, kNone},
    Feature{"sse4.1", 1, 0, 'c', 19, kNone},
    Feature{"sse4.2", 1, 0, 'c', 20, kNone},
    Feature{"movbe", 1, 0, 'c', 22, kNone},
    Feature{"popcnt", 1, 0, 'c', 23, kNone},
    Feature{"aes", 1, 0, 'c', 25, kNone},
    Feature{"avx", 1, 0, 'c', 28, kAvx},
    Feature{"f16c", 1, 0, 'c', 29, kAvx},
    Feature{"rdrnd", 1, 0, 'c', 30, kNone},
    Feature{"bmi", 7, 0, 'b', 3, kNone},
    Feature{"avx2", 7, 0, 'b', 5, kAvx},
    Feature{"bmi2", 7, 0, 'b', 8, kNone},
    Feature{"avx512f", 7, 0, 'b', 16, kAvx512},
    Feature{"avx512dq", 7, 0, 'b', 17, kAvx512},
    Feature{"adx", 7, 0, 'b', 19, kNone},
    Feature{"avx512ifma", 7, 0, 'b', 21, kAvx512},
    Feature{"avx512cd", 7, 0, 'b', 28, kAvx512},
    Feature{"sha", 7, 0, 'b', 29, kNone},
    Feature{"avx512bw", 7, 0, 'b', 30, kAvx512},
    Feature{"avx512vl", 7, 0, 'b', 31, kAvx512},
    Feature{"avx512vbmi", 7, 0, 'c', 1, kAvx512},
    Feature{"avx512vbmi2", 7, 0, 'c', 6, kAvx512},
    Feature{"gfni", 7, 0, 'c', 8, kNone},
    Feature{"vaes", 7, 0, 'c', 9, kAvx},
    Feature{"vpclmulqdq", 7, 0, 'c', 10, kAvx},
    Feature{"avx512vnni", 7, 0, 'c', 11, kAvx512},
    Feature{"avx512bitalg", 7, 0, 'c', 12, kAvx512},
    Feature{"avx512vpopcntdq", 7, 0, 'c', 14, kAvx512},
    Feature{"avx512vp2intersect", 7, 0, 'd', 8, kAvx512},
    Feature{"amx-bf16", 7, 0, 'd', 22, kAmx},
    Feature{"avx512fp16", 7, 0, 'd', 23, kAvx512},
    Feature{"amx-tile", 7, 0, 'd', 24, kAmx},
    Feature{"amx-int8", 7, 0, 'd', 25, kAmx},
    Feature{"sha512", 7, 1, 'a', 0, kAvx},
    Feature{"avxvnni", 7, 1, 'a', 4, kAvx},
    Feature{"avx512bf16", 7, 1, 'a', 5, kAvx512},
    Feature{"cmpccxadd", 7, 1, 'a', 7, kNone},
    Feature{"avxifma", 7, 1, 'a', 23, kAvx},
    Feature{"avxvnniint8", 7, 1, 'd', 4, kAvx},
    Feature{"avxneconvert", 7, 1, 'd', 5, kAvx},
    Feature{"avxvnniint16", 7, 1, 'd', 10, kAvx},
    Feature{"avx10.1", 7, 1, 'd', 19, kAvx512},
    Feature{"egpr", 7, 1, 'd', 21, kApx},
    Feature{"lzcnt", 0x80000001, 0, 'c', 5, kNone},
    Feature{"sse4a", 0x80000001, 0, 'c', 6, kNone},
    Feature{"xop", 0x80000001, 0, 'c', 11, kAvx},
    Feature{"fma4", 0x80000001, 0, 'c', 16, kAvx},
    Feature{"tbm", 0x80000001, 0, 'c', 21, kNone},
};

bool has_feature(const Feature &feature, uint64_t saved) {
  if ((saved & feature.state) != feature.state) return false;
  const Registers r = cpuid(feature.leaf, feature.subleaf);
  const unsigned bits = feature.reg == 'a'   ? r.eax
                        : feature.reg == 'b' ? r.ebx
                        : feature.reg == 'c' ? r.ecx
                                             : r.edx;
  return ((bits >> feature.bit) & 1U) != 0;
}

struct Model {
  unsigned family, first, last;  // models, both included
  const char *name;
};

constexpr std::array kAmdModels = {
    Model{0x17, 0x00, 0x2f, "znver1"}, Model{0x17, 0x30, 0xaf, "znver2"},
    Model{0x19, 0x00, 0x0f, "znver3"}, Model{0x19, 0x10, 0x1f, "znver4"},
    Model{0x19, 0x20, 0x5f, "znver3"}, Model{0x19, 0x60, 0x7f, "znver4"},
    Model{0x19, 0xa0, 0xaf, "znver4"}, Model{0x1a, 0x00, 0x4f, "znver5"},
    Model{0x1a, 0x60, 0x77, "znver5"},
};

constexpr std::array kIntelModels = {
    Model{6, 0x2a, 0x2a, "sandybridge"},    Model{6, 0x2d, 0x2d, "sandybridge"},
    Model{6, 0x3a, 0x3a, "ivybridge"},      Model{6, 0x3e, 0x3e, "ivybridge"},
    Model{6, 0x3c, 0x3c, "haswell"},        Model{6, 0x3f, 0x3f, "haswell"},
    Model{6, 0x45, 0x46, "haswell"},        Model{6, 0x3d, 0x3d, "broadwell"},
    Model{6, 0x47, 0x47, "broadwell"},      Model{6, 0x4f, 0x4f, "broadwell"},
    Model{6, 0x56, 0x56, "broadwell"},      Model{6, 0x4e, 0x4e, "skylake"},
    Model{6, 0x5e, 0x5e, "skylake"},        Model{6, 0x8e, 0x8e, "skylake"},
    Model{6, 0x9e, 0x9e, "skylake"},        Model{6, 0xa5, 0xa6, "skylake"},
    Model{6, 0x6a, 0x6a, "icelake-server"}, Model{6, 0x6c, 0x6c, "icelake-server"},
    Model{6, 0x7d, 0x7e, "icelake-client"}, Model{6, 0x8c, 0x8d, "tigerlake"},
    Model{6, 0xa7, 0xa7, "rocketlake"},     Model{6, 0x97, 0x97, "alderlake"},
    Model{6, 0x9a, 0x9a, "alderlake"},      Model{6, 0xb7, 0xb7, "raptorlake"},
    Model{6, 0xba, 0xba, "raptorlake"},     Model{6, 0xbf, 0xbf, "raptorlake"},
    Model{6, 0xaa, 0xaa, "meteorlake"},     Model{6, 0xac, 0xac, "meteorlake"},
    Model{6, 0x8f, 0x8f, "sapphirerapids"}, Model{6, 0xcf, 0xcf, "emeraldrapids"},
    Model{6, 0xad, 0xad, "graniterapids"},
};

struct Features {
  const std::vector<std::string> &list;
  bool all(std::initializer_list<const char *> names) const {
    return std::all_of(names.begin(), names.end(), [&](const char *name) {
      return std::find(list.begin(), list.end(), name) != list.end();
    });
  }
};

// The level of x86-64 that compilers know by name, for models that are not listed.
const char *level(const Features &has) {
  if (!has.all({"cx16", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"})) return "x86-64";
  if (!has.all({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"})) return "x86-64-v2";
  if (!has.all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})) return "x86-64-v3";
  return "x86-64-v4";
}

template <std::size_t Count>
const char *find_model(const std::array<Model, Count> &models, unsigned family, unsigned model) {
  for (const Model &known : models) {
    if (known.family == family && known.first <= model && model <= known.last) return known.name;
  }
  return nullptr;
}

std::string architecture(std::string_view maker, const Features &has) {
  const unsigned version = cpuid(1).eax;
  unsigned family = (version >> 8) & 0xf;
  unsigned model = (version >> 4) & 0xf;
  if (family == 6 || family == 0xf) model |= ((version >> 16) & 0xf) << 4;
  if (family == 0xf) family += (version >> 20) & 0xff;
  const char *name = nullptr;
  if (maker == "AuthenticAMD") name = find_model(kAmdModels, family, model);
  if (maker == "GenuineIntel" && family == 6 && model == 0x55) {
    name = has.all({"avx512bf16"})   ? "cooperlake"
           : has.all({"avx512vnni"}) ? "cascadelake"
                                     : "skylake-avx512";
  } else if (maker == "GenuineIntel") {
    name = find_model(kIntelModels, family, model);
  }
  return name != nullptr ? name : level(has);
}

std::string maker_text() {
  const Registers r = cpuid(0);
  char text[12];
  std::memcpy(text, &r.ebx, 4);
  std::memcpy(text + 4, &r.edx, 4);
  std::memcpy(text + 8, &r.ecx, 4);
  return {text, sizeof(text)};
}

std::string brand() {
  if (cpuid(0x80000000).eax < 0x80000004) return {};
  std::string text;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const Registers r = cpuid(leaf);
    text.append(reinterpret_cast<const char *>(&r), sizeof(r));
  }
  text.resize(std::min(text.find('\0'), text.size()));
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

InstructionSet read_instruction_set() {
  InstructionSet set;
  const std::string maker = maker_text();
  const uint64_t saved = saved_state();
  for (const Feature &feature : kFeatures) {
    if (has_feature(feature, saved)) set.features.emplace_back(feature.name);
  }
  const Features has{set.features};
  set.name = brand();
  set.vendor = maker == "AuthenticAMD" ? "AMD" : maker == "GenuineIntel" ? "Intel" : maker;
  set.architecture = architecture(maker, has);
  set.level = level(has);
  set.simd_lanes = has.all({"avx512f"}) ? 16 : has.all({"avx2"}) ? 8 : 4;
  return set;
}

bool can_tell_feature(std::string_view feature) {
  return std::any_of(kFeatures.begin(), kFeatures.end(),
                     [&](const Feature &known) { return known.name == feature; });
}

}  // namespace nexus_cpu

#endif  // __x86_64__
