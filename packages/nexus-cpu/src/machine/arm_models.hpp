// SPDX-License-Identifier: Apache-2.0
// Names of Arm processors, told from the numbers in their main ID register (MIDR_EL1).
#ifndef NEXUS_CPU_ARM_MODELS_HPP_
#define NEXUS_CPU_ARM_MODELS_HPP_

#include <nexus-api/nxs.h>
#include <compare>
#include <string>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

struct ArmSignature {
  unsigned implementer = 0, part = 0, variant = 0, revision = 0;

  // Cores of one kind have the same.
  unsigned kind() const noexcept { return implementer << 12 | part; }
  // r1p2 is 0x12.
  unsigned stepping() const noexcept { return variant << 4 | revision; }
  auto operator<=>(const ArmSignature &) const = default;
};

ArmSignature arm_signature(unsigned long long midr);

// "ARM" for 0x41; "0x7f" for an implementer that is not listed.
std::string arm_vendor(unsigned implementer);

// LLVM's name, such as "neoverse-n1"; empty for a part that is not listed.
std::string_view arm_architecture(const ArmSignature &signature);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_ARM_MODELS_HPP_
