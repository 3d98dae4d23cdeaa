// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_PROCESSOR_HPP_
#define NEXUS_CPU_PROCESSOR_HPP_

#include "system/system_tree.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The processor's description of itself; of cores of several kinds, the largest one. Empty or 0:
// not known.
struct Processor {
  std::string name;          // the brand
  std::string vendor;        // "AMD", "Intel", "Apple", "ARM", ...
  std::string architecture;  // as compilers call it, such as "znver4"
  std::string level;         // a name that all compilers know and that runs here: "x86-64-v3"
  std::vector<std::string> features;  // as LLVM calls them; on Linux for Arm as the system does
  uint64_t simd_lanes = 0;            // of 32 bits
  // Of Arm the part, and the variant in the upper four bits of eight with the revision.
  std::optional<uint64_t> family, model, stepping;
  // MHz, as the processor tells them; the system may know better.
  uint64_t base_clock_mhz = 0, max_clock_mhz = 0;
};

// Reads the tree for an Arm processor under Linux; asks others themselves.
Processor read_processor(const SystemTree &tree);

// Returns whether a processor that has the feature would list it.
bool can_tell_feature(std::string_view feature);

// Return the features for vectors, and the features for matrix multiplication.
std::vector<std::string> vector_extensions(std::vector<std::string> features);
std::vector<std::string> matrix_extensions(std::vector<std::string> features);

// ---- x86-64: names by the numbers that CPUID tells ----

struct X86Signature {
  unsigned family = 0, model = 0, stepping = 0;
};

// version: register eax of CPUID's leaf 1.
X86Signature x86_signature(unsigned version);

// Returns "Intel" for "GenuineIntel"; another maker's text unchanged.
std::string x86_vendor(std::string_view maker);

// Returns LLVM's name, such as "znver4"; for an unlisted model the x86-64 level that the features
// imply, such as "x86-64-v3". maker: CPUID's text. features: LLVM's names of what programs can use.
std::string x86_architecture(std::string_view maker, const X86Signature &signature,
                             const std::vector<std::string> &features);

// ---- Arm: names by the main ID register (MIDR_EL1) ----

struct ArmSignature {
  unsigned implementer = 0, part = 0, variant = 0, revision = 0;

  // Cores of one kind have the same.
  unsigned kind() const noexcept { return implementer << 12 | part; }
  auto operator<=>(const ArmSignature &) const = default;
};

// Returns "ARM" for 0x41; "0x7f" for an implementer that is not listed.
std::string arm_vendor(unsigned implementer);

// Returns LLVM's name, such as "neoverse-n1"; empty for a part that is not listed.
std::string arm_architecture(const ArmSignature &signature);

// Returns the signature of each processor in use, by its number; empty if they are not Arm's.
std::map<unsigned, ArmSignature> read_arm_signatures(const SystemTree &tree);

// Returns no architecture and level if the processors are not Arm's.
Processor read_arm_processor(const SystemTree &tree);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PROCESSOR_HPP_
