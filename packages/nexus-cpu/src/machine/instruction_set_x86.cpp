// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include "machine/processor.hpp"
#include "machine/x86_models.hpp"

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

Processor read_processor(const SystemTree &) {
  Processor out;
  const std::string maker = maker_text();
  const X86Signature signature = x86_signature(cpuid(1).eax);
  const uint64_t saved = saved_state();
  for (const Feature &feature : kFeatures) {
    if (has_feature(feature, saved)) out.features.emplace_back(feature.name);
  }
  const auto has = [&](std::string_view name) {
    return std::find(out.features.begin(), out.features.end(), name) != out.features.end();
  };
  out.name = brand();
  out.vendor = x86_vendor(maker);
  out.architecture = x86_architecture(maker, signature, out.features);
  out.level = x86_level(out.features);
  out.simd_lanes = has("avx512f") ? 16 : has("avx2") ? 8 : 4;
  out.family = signature.family;
  out.model = signature.model;
  out.stepping = signature.stepping;
  const Registers clocks = cpuid(0x16);
  out.base_clock_mhz = clocks.eax & 0xffff;
  out.max_clock_mhz = clocks.ebx & 0xffff;
  return out;
}

bool can_tell_feature(std::string_view feature) {
  return std::any_of(kFeatures.begin(), kFeatures.end(),
                     [&](const Feature &known) { return known.name == feature; });
}

}  // namespace nexus_cpu

#endif  // __x86_64__
