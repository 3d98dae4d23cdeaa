// SPDX-License-Identifier: Apache-2.0
#include "machine/x86_models.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

namespace nexus_cpu NXS_HIDDEN {
namespace {

struct X86Model {
  unsigned family, first, last;  // models, both included
  const char *name;
};

// The numbers are those of LLVM's Host.cpp. The first row that fits counts.
constexpr std::array kAmdModels = {
    X86Model{0x17, 0x30, 0x3f, "znver2"}, X86Model{0x17, 0x47, 0x47, "znver2"},
    X86Model{0x17, 0x60, 0x7f, "znver2"}, X86Model{0x17, 0x84, 0x87, "znver2"},
    X86Model{0x17, 0x90, 0xaf, "znver2"}, X86Model{0x17, 0x00, 0xff, "znver1"},
    X86Model{0x19, 0x10, 0x1f, "znver4"}, X86Model{0x19, 0x60, 0x7f, "znver4"},
    X86Model{0x19, 0xa0, 0xaf, "znver4"}, X86Model{0x19, 0x00, 0xff, "znver3"},
    X86Model{0x1a, 0x00, 0x77, "znver5"},
};

constexpr std::array kIntelModels = {
    X86Model{6, 0x1a, 0x1a, "nehalem"},
    X86Model{6, 0x1e, 0x1f, "nehalem"},
    X86Model{6, 0x2e, 0x2e, "nehalem"},
    X86Model{6, 0x25, 0x25, "westmere"},
    X86Model{6, 0x2c, 0x2c, "westmere"},
    X86Model{6, 0x2f, 0x2f, "westmere"},
    X86Model{6, 0x2a, 0x2a, "sandybridge"},
    X86Model{6, 0x2d, 0x2d, "sandybridge"},
    X86Model{6, 0x3a, 0x3a, "ivybridge"},
    X86Model{6, 0x3e, 0x3e, "ivybridge"},
    X86Model{6, 0x3c, 0x3c, "haswell"},
    X86Model{6, 0x3f, 0x3f, "haswell"},
    X86Model{6, 0x45, 0x46, "haswell"},
    X86Model{6, 0x3d, 0x3d, "broadwell"},
    X86Model{6, 0x47, 0x47, "broadwell"},
    X86Model{6, 0x4f, 0x4f, "broadwell"},
    X86Model{6, 0x56, 0x56, "broadwell"},
    X86Model{6, 0x4e, 0x4e, "skylake"},
    X86Model{6, 0x5e, 0x5e, "skylake"},
    X86Model{6, 0x8e, 0x8e, "skylake"},
    X86Model{6, 0x9e, 0x9e, "skylake"},
    X86Model{6, 0xa5, 0xa6, "skylake"},
    X86Model{6, 0xa7, 0xa7, "rocketlake"},
    X86Model{6, 0x66, 0x66, "cannonlake"},
    X86Model{6, 0x7d, 0x7e, "icelake-client"},
    X86Model{6, 0x8c, 0x8d, "tigerlake"},
    X86Model{6, 0x97, 0x97, "alderlake"},
    X86Model{6, 0x9a, 0x9a, "alderlake"},
    X86Model{6, 0xbe, 0xbe, "gracemont"},
    X86Model{6, 0xb7, 0xb7, "raptorlake"},
    X86Model{6, 0xba, 0xba, "raptorlake"},
    X86Model{6, 0xbf, 0xbf, "raptorlake"},
    X86Model{6, 0xaa, 0xaa, "meteorlake"},
    X86Model{6, 0xac, 0xac, "meteorlake"},
    X86Model{6, 0xc5, 0xc5, "arrowlake"},
    X86Model{6, 0xb5, 0xb5, "arrowlake"},
    X86Model{6, 0xc6, 0xc6, "arrowlake-s"},
    X86Model{6, 0xbd, 0xbd, "lunarlake"},
    X86Model{6, 0xcc, 0xcc, "pantherlake"},
    X86Model{6, 0x6a, 0x6a, "icelake-server"},
    X86Model{6, 0x6c, 0x6c, "icelake-server"},
    X86Model{6, 0x8f, 0x8f, "sapphirerapids"},
    X86Model{6, 0xcf, 0xcf, "emeraldrapids"},
    X86Model{6, 0xad, 0xad, "graniterapids"},
    X86Model{6, 0xae, 0xae, "graniterapids-d"},
    X86Model{0x13, 0x01, 0x01, "diamondrapids"},
    X86Model{6, 0x37, 0x37, "silvermont"},
    X86Model{6, 0x4a, 0x4a, "silvermont"},
    X86Model{6, 0x4c, 0x4d, "silvermont"},
    X86Model{6, 0x5a, 0x5a, "silvermont"},
    X86Model{6, 0x5d, 0x5d, "silvermont"},
    X86Model{6, 0x5c, 0x5c, "goldmont"},
    X86Model{6, 0x5f, 0x5f, "goldmont"},
    X86Model{6, 0x7a, 0x7a, "goldmont-plus"},
    X86Model{6, 0x86, 0x86, "tremont"},
    X86Model{6, 0x8a, 0x8a, "tremont"},
    X86Model{6, 0x96, 0x96, "tremont"},
    X86Model{6, 0x9c, 0x9c, "tremont"},
    X86Model{6, 0xaf, 0xaf, "sierraforest"},
    X86Model{6, 0xb6, 0xb6, "grandridge"},
    X86Model{6, 0xdd, 0xdd, "clearwaterforest"},
    X86Model{6, 0x57, 0x57, "knl"},
    X86Model{6, 0x85, 0x85, "knm"},
};

bool has_all(const std::vector<std::string> &features,
             std::initializer_list<std::string_view> wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view name) {
    return std::find(features.begin(), features.end(), name) != features.end();
  });
}

const char *find_model(std::span<const X86Model> models, const X86Signature &signature) {
  for (const X86Model &known : models) {
    if (known.family == signature.family && known.first <= signature.model &&
        signature.model <= known.last) {
      return known.name;
    }
  }
  return nullptr;
}

const char *intel_model(const X86Signature &signature, const std::vector<std::string> &features) {
  // Three generations of servers share a number.
  if (signature.family == 6 && signature.model == 0x55) {
    if (has_all(features, {"avx512bf16"})) return "cooperlake";
    return has_all(features, {"avx512vnni"}) ? "cascadelake" : "skylake-avx512";
  }
  return find_model(kIntelModels, signature);
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

const char *x86_level(const std::vector<std::string> &features) {
  if (!has_all(features, {"cx16", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"})) return "x86-64";
  if (!has_all(features, {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"})) {
    return "x86-64-v2";
  }
  if (!has_all(features, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})) {
    return "x86-64-v3";
  }
  return "x86-64-v4";
}

std::string x86_architecture(std::string_view maker, const X86Signature &signature,
                             const std::vector<std::string> &features) {
  const char *name = nullptr;
  if (maker == "AuthenticAMD") name = find_model(kAmdModels, signature);
  if (maker == "GenuineIntel") name = intel_model(signature, features);
  return name != nullptr ? name : x86_level(features);
}

std::string_view x86_efficient_cores(std::string_view architecture) {
  return architecture == "alderlake" || architecture == "raptorlake" ? "gracemont" : "";
}

}  // namespace nexus_cpu
