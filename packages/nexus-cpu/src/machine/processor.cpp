// SPDX-License-Identifier: Apache-2.0
#include "machine/processor.hpp"

#include <algorithm>
#include <span>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr std::string_view kVectorPrefixes[] = {"sse",  "ssse",      "avx",         "fma",
                                                "f16c", "xop",       "asimd",       "sve",
                                                "bf16", "FEAT_FP16", "FEAT_DotProd"};
constexpr std::string_view kMatrixPrefixes[] = {
    "amx", "sme", "i8mm", "svei8mm", "svef16mm", "svef32mm", "svef64mm", "FEAT_SME", "FEAT_I8MM"};

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::vector<std::string> vector_extensions(std::vector<std::string> features) {
  std::erase_if(features, [](const std::string &name) {
    return begins_with_one_of(name, kMatrixPrefixes) || !begins_with_one_of(name, kVectorPrefixes);
  });
  return features;
}

std::vector<std::string> matrix_extensions(std::vector<std::string> features) {
  std::erase_if(features,
                [](const std::string &name) { return !begins_with_one_of(name, kMatrixPrefixes); });
  return features;
}

}  // namespace nexus_cpu
