// SPDX-License-Identifier: Apache-2.0
// Names of x86-64 processors, told from the numbers by which CPUID tells them apart.
#ifndef NEXUS_CPU_X86_MODELS_HPP_
#define NEXUS_CPU_X86_MODELS_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

struct X86Signature {
  unsigned family = 0, model = 0, stepping = 0;
};

// Of CPUID's leaf 1, register eax.
X86Signature x86_signature(unsigned version);

// "Intel" for "GenuineIntel"; another maker's text as it is.
std::string x86_vendor(std::string_view maker);

// LLVM's name, such as "znver4"; for a model that is not listed the level. maker: CPUID's text.
// features: LLVM's names of what programs can use.
std::string x86_architecture(std::string_view maker, const X86Signature &signature,
                             const std::vector<std::string> &features);

// The level of x86-64 that the features make up, such as "x86-64-v3".
const char *x86_level(const std::vector<std::string> &features);

// LLVM's name of the efficient cores of a client processor; empty where LLVM has none, or where all
// cores are of one kind.
std::string_view x86_efficient_cores(std::string_view architecture);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_X86_MODELS_HPP_
