// SPDX-License-Identifier: Apache-2.0
#include "machine/processor.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr std::string_view kVectorPrefixes[] = {"sse",  "ssse",      "avx",         "fma",
                                                "f16c", "xop",       "asimd",       "sve",
                                                "bf16", "FEAT_FP16", "FEAT_DotProd"};
constexpr std::string_view kMatrixPrefixes[] = {
    "amx", "sme", "i8mm", "svei8mm", "svef16mm", "svef32mm", "svef64mm", "FEAT_SME", "FEAT_I8MM"};

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

template <class Choose>
std::vector<std::string> chosen(const std::vector<std::string> &features, Choose choose) {
  std::vector<std::string> out;
  std::copy_if(features.begin(), features.end(), std::back_inserter(out), choose);
  return out;
}

}  // namespace

std::vector<std::string> vector_extensions(const std::vector<std::string> &features) {
  return chosen(features, [](std::string_view name) {
    return !begins_with_one_of(name, kMatrixPrefixes) && begins_with_one_of(name, kVectorPrefixes);
  });
}

std::vector<std::string> matrix_extensions(const std::vector<std::string> &features) {
  return chosen(features,
                [](std::string_view name) { return begins_with_one_of(name, kMatrixPrefixes); });
}

}  // namespace nexus_cpu
