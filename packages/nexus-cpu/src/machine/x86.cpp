// SPDX-License-Identifier: Apache-2.0 x86-64 processors: their names, and what CPUID reports about
// this one.
#include "machine/processor.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

struct AmdModels {
  unsigned family, first, last;  // models, both included
  const char *name;
};

// The numbers are those of LLVM's Host.cpp. The first row that fits counts.
constexpr AmdModels kAmdModels[] = {
    {0x17, 0x30, 0x3f, "znver2"}, {0x17, 0x47, 0x47, "znver2"}, {0x17, 0x60, 0x7f, "znver2"},
    {0x17, 0x84, 0x87, "znver2"}, {0x17, 0x90, 0xaf, "znver2"}, {0x17, 0x00, 0xff, "znver1"},
    {0x19, 0x10, 0x1f, "znver4"}, {0x19, 0x60, 0x7f, "znver4"}, {0x19, 0xa0, 0xaf, "znver4"},
    {0x19, 0x00, 0xff, "znver3"}, {0x1a, 0x00, 0x77, "znver5"},
};

struct IntelModel {
  unsigned model;  // of family 6
  const char *name;
};

// clang-format off
constexpr IntelModel kIntelModels[] = {
    {0x1a, "nehalem"}, {0x1e, "nehalem"}, {0x1f, "nehalem"}, {0x2e, "nehalem"}, {0x25, "westmere"},
    {0x2c, "westmere"}, {0x2f, "westmere"}, {0x2a, "sandybridge"}, {0x2d, "sandybridge"},
    {0x3a, "ivybridge"}, {0x3e, "ivybridge"}, {0x3c, "haswell"}, {0x3f, "haswell"},
    {0x45, "haswell"}, {0x46, "haswell"}, {0x3d, "broadwell"}, {0x47, "broadwell"},
    {0x4f, "broadwell"}, {0x56, "broadwell"}, {0x4e, "skylake"}, {0x5e, "skylake"},
    {0x8e, "skylake"}, {0x9e, "skylake"}, {0xa5, "skylake"}, {0xa6, "skylake"},
    {0xa7, "rocketlake"}, {0x66, "cannonlake"}, {0x7d, "icelake-client"}, {0x7e, "icelake-client"},
    {0x8c, "tigerlake"}, {0x8d, "tigerlake"}, {0x97, "alderlake"}, {0x9a, "alderlake"},
    {0xbe, "gracemont"}, {0xb7, "raptorlake"}, {0xba, "raptorlake"}, {0xbf, "raptorlake"},
    {0xaa, "meteorlake"}, {0xac, "meteorlake"}, {0xc5, "arrowlake"}, {0xb5, "arrowlake"},
    {0xc6, "arrowlake-s"}, {0xbd, "lunarlake"}, {0xcc, "pantherlake"}, {0x6a, "icelake-server"},
    {0x6c, "icelake-server"}, {0x8f, "sapphirerapids"}, {0xcf, "emeraldrapids"},
    {0xad, "graniterapids"}, {0xae, "graniterapids-d"}, {0x37, "silvermont"}, {0x4a, "silvermont"},
    {0x4c, "silvermont"}, {0x4d, "silvermont"}, {0x5a, "silvermont"}, {0x5d, "silvermont"},
    {0x5c, "goldmont"}, {0x5f, "goldmont"}, {0x7a, "goldmont-plus"}, {0x86, "tremont"},
    {0x8a, "tremont"}, {0x96, "tremont"}, {0x9c, "tremont"}, {0xaf, "sierraforest"},
    {0xb6, "grandridge"}, {0xdd, "clearwaterforest"}, {0x57, "knl"}, {0x85, "knm"},
};
// clang-format on

bool has_all(const std::vector<std::string> &features,
             std::initializer_list<std::string_view> wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view name) {
    return std::find(features.begin(), features.end(), name) != features.end();
  });
}

const char *x86_level(const std::vector<std::string> &features) {
  if (!has_all(features, {"cx16", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"})) return "x86-64";
  if (!has_all(features, {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"})) {
    return "x86-64-v2";
  }
  const bool wide = has_all(features, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  return wide ? "x86-64-v4" : "x86-64-v3";
}

}  // namespace

X86Signature x86_signature(unsigned version) {
  X86Signature out{(version >> 8) & 0xf, (version >> 4) & 0xf, version & 0xf};
  if (out.family == 6 || out.family == 0xf) out.model |= ((version >> 16) & 0xf) << 4;
  if (out.family == 0xf) out.family += (version >> 20) & 0xff;
  return out;
}

std::string x86_vendor(std::string_view maker) {
  if (maker == "GenuineIntel") return "Intel";
  if (maker == "AuthenticAMD") return "AMD";
  return std::string(maker);
}

std::string x86_architecture(std::string_view maker, const X86Signature &signature,
                             const std::vector<std::string> &features) {
  const auto [family, model, stepping] = signature;
  if (maker == "AuthenticAMD") {
    for (const AmdModels &known : kAmdModels) {
      if (known.family == family && known.first <= model && model <= known.last) return known.name;
    }
  }
  if (maker == "GenuineIntel" && family == 6) {
    if (model == 0x55) {  // three generations of servers share a number
      if (has_all(features, {"avx512bf16"})) return "cooperlake";
      return has_all(features, {"avx512vnni"}) ? "cascadelake" : "skylake-avx512";
    }
    for (const IntelModel &known : kIntelModels) {
      if (known.model == model) return known.name;
    }
  }
  if (maker == "GenuineIntel" && family == 0x13 && model == 1) return "diamondrapids";
  return x86_level(features);
}

#if defined(__x86_64__)

namespace {

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

// Returns which registers the system saves: without that, instructions with them can't be used.
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
  unsigned Registers::*reg;
  unsigned bit;
  State state = kNone;
};

constexpr auto kA = &Registers::eax, kB = &Registers::ebx, kC = &Registers::ecx,
               kD = &Registers::edx;
constexpr unsigned kAmdLeaf = 0x80000001;

// All features that a compiler may use by itself; they determine the name of the code's target.
// clang-format off
constexpr Feature kFeatures[] = {
    {"sse2", 1, 0, kD, 26}, {"sse3", 1, 0, kC, 0}, {"pclmul", 1, 0, kC, 1}, {"ssse3", 1, 0, kC, 9},
    {"fma", 1, 0, kC, 12, kAvx}, {"cx16", 1, 0, kC, 13}, {"sse4.1", 1, 0, kC, 19},
    {"sse4.2", 1, 0, kC, 20}, {"movbe", 1, 0, kC, 22}, {"popcnt", 1, 0, kC, 23},
    {"aes", 1, 0, kC, 25}, {"avx", 1, 0, kC, 28, kAvx}, {"f16c", 1, 0, kC, 29, kAvx},
    {"rdrnd", 1, 0, kC, 30}, {"bmi", 7, 0, kB, 3}, {"avx2", 7, 0, kB, 5, kAvx},
    {"bmi2", 7, 0, kB, 8}, {"avx512f", 7, 0, kB, 16, kAvx512}, {"avx512dq", 7, 0, kB, 17, kAvx512},
    {"adx", 7, 0, kB, 19}, {"avx512ifma", 7, 0, kB, 21, kAvx512},
    {"avx512cd", 7, 0, kB, 28, kAvx512}, {"sha", 7, 0, kB, 29}, {"avx512bw", 7, 0, kB, 30, kAvx512},
    {"avx512vl", 7, 0, kB, 31, kAvx512}, {"avx512vbmi", 7, 0, kC, 1, kAvx512},
    {"avx512vbmi2", 7, 0, kC, 6, kAvx512}, {"gfni", 7, 0, kC, 8}, {"vaes", 7, 0, kC, 9, kAvx},
    {"vpclmulqdq", 7, 0, kC, 10, kAvx}, {"avx512vnni", 7, 0, kC, 11, kAvx512},
    {"avx512bitalg", 7, 0, kC, 12, kAvx512}, {"avx512vpopcntdq", 7, 0, kC, 14, kAvx512},
    {"avx512vp2intersect", 7, 0, kD, 8, kAvx512}, {"amx-bf16", 7, 0, kD, 22, kAmx},
    {"avx512fp16", 7, 0, kD, 23, kAvx512}, {"amx-tile", 7, 0, kD, 24, kAmx},
    {"amx-int8", 7, 0, kD, 25, kAmx}, {"sha512", 7, 1, kA, 0, kAvx}, {"avxvnni", 7, 1, kA, 4, kAvx},
    {"avx512bf16", 7, 1, kA, 5, kAvx512}, {"cmpccxadd", 7, 1, kA, 7},
    {"avxifma", 7, 1, kA, 23, kAvx}, {"avxvnniint8", 7, 1, kD, 4, kAvx},
    {"avxneconvert", 7, 1, kD, 5, kAvx}, {"avxvnniint16", 7, 1, kD, 10, kAvx},
    {"avx10.1", 7, 1, kD, 19, kAvx512}, {"egpr", 7, 1, kD, 21, kApx}, {"lzcnt", kAmdLeaf, 0, kC, 5},
    {"sse4a", kAmdLeaf, 0, kC, 6}, {"xop", kAmdLeaf, 0, kC, 11, kAvx},
    {"fma4", kAmdLeaf, 0, kC, 16, kAvx}, {"tbm", kAmdLeaf, 0, kC, 21},
};
// clang-format on

std::string maker_text() {
  const Registers r = cpuid(0);
  const unsigned words[] = {r.ebx, r.edx, r.ecx};
  return {reinterpret_cast<const char *>(words), sizeof(words)};
}

std::string brand() {
  if (cpuid(0x80000000).eax < 0x80000004) return {};
  std::string text;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const Registers r = cpuid(leaf);
    text.append(reinterpret_cast<const char *>(&r), sizeof(r));
  }
  text.resize(std::min(text.find('\0'), text.size()));
  return std::string(trimmed(text));
}

}  // namespace

Processor read_processor(const SystemTree &) {
  Processor out;
  const std::string maker = maker_text();
  const X86Signature signature = x86_signature(cpuid(1).eax);
  const uint64_t saved = saved_state();
  for (const auto &[name, leaf, subleaf, reg, bit, state] : kFeatures) {
    if ((saved & state) != state) continue;
    if (((cpuid(leaf, subleaf).*reg >> bit) & 1U) != 0) out.features.emplace_back(name);
  }
  out.name = brand();
  out.vendor = x86_vendor(maker);
  out.architecture = x86_architecture(maker, signature, out.features);
  out.level = x86_level(out.features);
  out.simd_lanes = has_all(out.features, {"avx512f"}) ? 16
                   : has_all(out.features, {"avx2"})  ? 8
                                                      : 4;
  out.family = signature.family;
  out.model = signature.model;
  out.stepping = signature.stepping;
  const Registers clocks = cpuid(0x16);
  out.base_clock_mhz = clocks.eax & 0xffff;
  out.max_clock_mhz = clocks.ebx & 0xffff;
  return out;
}

bool can_tell_feature(std::string_view feature) {
  return std::any_of(std::begin(kFeatures), std::end(kFeatures),
                     [&](const Feature &known) { return known.name == feature; });
}

#endif  // __x86_64__

}  // namespace nexus_cpu
