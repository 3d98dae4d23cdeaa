// SPDX-License-Identifier: Apache-2.0
#include "machine/arm_models.hpp"

#include <array>
#include <cstdio>

namespace nexus_cpu NXS_HIDDEN {
namespace {

struct ArmPart {
  unsigned implementer, part;
  std::string_view name;
};

// The numbers are those of LLVM's Host.cpp; processors that run 64-bit programs.
constexpr std::array kArmParts = {
    ArmPart{0x41, 0xd02, "cortex-a34"},     ArmPart{0x41, 0xd03, "cortex-a53"},
    ArmPart{0x41, 0xd04, "cortex-a35"},     ArmPart{0x41, 0xd05, "cortex-a55"},
    ArmPart{0x41, 0xd06, "cortex-a65"},     ArmPart{0x41, 0xd07, "cortex-a57"},
    ArmPart{0x41, 0xd08, "cortex-a72"},     ArmPart{0x41, 0xd09, "cortex-a73"},
    ArmPart{0x41, 0xd0a, "cortex-a75"},     ArmPart{0x41, 0xd0b, "cortex-a76"},
    ArmPart{0x41, 0xd0c, "neoverse-n1"},    ArmPart{0x41, 0xd0d, "cortex-a77"},
    ArmPart{0x41, 0xd0e, "cortex-a76ae"},   ArmPart{0x41, 0xd14, "cortex-r82ae"},
    ArmPart{0x41, 0xd15, "cortex-r82"},     ArmPart{0x41, 0xd40, "neoverse-v1"},
    ArmPart{0x41, 0xd41, "cortex-a78"},     ArmPart{0x41, 0xd42, "cortex-a78ae"},
    ArmPart{0x41, 0xd43, "cortex-a65ae"},   ArmPart{0x41, 0xd44, "cortex-x1"},
    ArmPart{0x41, 0xd46, "cortex-a510"},    ArmPart{0x41, 0xd47, "cortex-a710"},
    ArmPart{0x41, 0xd48, "cortex-x2"},      ArmPart{0x41, 0xd49, "neoverse-n2"},
    ArmPart{0x41, 0xd4a, "neoverse-e1"},    ArmPart{0x41, 0xd4b, "cortex-a78c"},
    ArmPart{0x41, 0xd4c, "cortex-x1c"},     ArmPart{0x41, 0xd4d, "cortex-a715"},
    ArmPart{0x41, 0xd4e, "cortex-x3"},      ArmPart{0x41, 0xd4f, "neoverse-v2"},
    ArmPart{0x41, 0xd80, "cortex-a520"},    ArmPart{0x41, 0xd81, "cortex-a720"},
    ArmPart{0x41, 0xd82, "cortex-x4"},      ArmPart{0x41, 0xd83, "neoverse-v3ae"},
    ArmPart{0x41, 0xd84, "neoverse-v3"},    ArmPart{0x41, 0xd85, "cortex-x925"},
    ArmPart{0x41, 0xd87, "cortex-a725"},    ArmPart{0x41, 0xd88, "cortex-a520ae"},
    ArmPart{0x41, 0xd89, "cortex-a720ae"},  ArmPart{0x41, 0xd8e, "neoverse-n3"},
    ArmPart{0x41, 0xd8f, "cortex-a320"},    ArmPart{0x42, 0x516, "thunderx2t99"},
    ArmPart{0x43, 0x516, "thunderx2t99"},   ArmPart{0x43, 0x0af, "thunderx2t99"},
    ArmPart{0x43, 0x0a1, "thunderxt88"},    ArmPart{0x46, 0x001, "a64fx"},
    ArmPart{0x46, 0x003, "fujitsu-monaka"}, ArmPart{0x48, 0xd01, "tsv110"},
    ArmPart{0x4e, 0x004, "carmel"},         ArmPart{0x4e, 0x010, "olympus"},
    ArmPart{0x51, 0x001, "oryon-1"},        ArmPart{0x51, 0x201, "kryo"},
    ArmPart{0x51, 0x205, "kryo"},           ArmPart{0x51, 0x211, "kryo"},
    ArmPart{0x51, 0x800, "cortex-a73"},     ArmPart{0x51, 0x801, "cortex-a73"},
    ArmPart{0x51, 0x802, "cortex-a75"},     ArmPart{0x51, 0x803, "cortex-a75"},
    ArmPart{0x51, 0x804, "cortex-a76"},     ArmPart{0x51, 0x805, "cortex-a76"},
    ArmPart{0x51, 0xc00, "falkor"},         ArmPart{0x51, 0xc01, "saphira"},
    ArmPart{0x61, 0x020, "apple-m1"},       ArmPart{0x61, 0x021, "apple-m1"},
    ArmPart{0x61, 0x022, "apple-m1"},       ArmPart{0x61, 0x023, "apple-m1"},
    ArmPart{0x61, 0x024, "apple-m1"},       ArmPart{0x61, 0x025, "apple-m1"},
    ArmPart{0x61, 0x028, "apple-m1"},       ArmPart{0x61, 0x029, "apple-m1"},
    ArmPart{0x61, 0x030, "apple-m2"},       ArmPart{0x61, 0x031, "apple-m2"},
    ArmPart{0x61, 0x032, "apple-m2"},       ArmPart{0x61, 0x033, "apple-m2"},
    ArmPart{0x61, 0x034, "apple-m2"},       ArmPart{0x61, 0x035, "apple-m2"},
    ArmPart{0x61, 0x038, "apple-m2"},       ArmPart{0x61, 0x039, "apple-m2"},
    ArmPart{0x61, 0x048, "apple-m3"},       ArmPart{0x61, 0x049, "apple-m3"},
    ArmPart{0x6d, 0xd49, "neoverse-n2"},    ArmPart{0xc0, 0xac3, "ampere1"},
    ArmPart{0xc0, 0xac4, "ampere1a"},       ArmPart{0xc0, 0xac5, "ampere1b"},
};

}  // namespace

ArmSignature arm_signature(unsigned long long midr) {
  return {static_cast<unsigned>(midr >> 24) & 0xff, static_cast<unsigned>(midr >> 4) & 0xfff,
          static_cast<unsigned>(midr >> 20) & 0xf, static_cast<unsigned>(midr) & 0xf};
}

std::string arm_vendor(unsigned implementer) {
  switch (implementer) {
    case 0x41:
      return "ARM";
    case 0x42:
      return "Broadcom";
    case 0x43:
      return "Cavium";
    case 0x46:
      return "Fujitsu";
    case 0x48:
      return "HiSilicon";
    case 0x4e:
      return "NVIDIA";
    case 0x51:
      return "Qualcomm";
    case 0x53:
      return "Samsung";
    case 0x61:
      return "Apple";
    case 0x6d:
      return "Microsoft";
    case 0xc0:
      return "Ampere";
    default:
      break;
  }
  char text[16];
  std::snprintf(text, sizeof(text), "0x%02x", implementer);
  return text;
}

std::string_view arm_architecture(const ArmSignature &signature) {
  for (const ArmPart &known : kArmParts) {
    if (known.implementer == signature.implementer && known.part == signature.part) {
      return known.name;
    }
  }
  return {};
}

}  // namespace nexus_cpu
