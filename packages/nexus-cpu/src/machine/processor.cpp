// SPDX-License-Identifier: Apache-2.0
#include "machine/processor.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr std::array<std::string_view, 11> kVectorPrefixes = {
    "sse",   "ssse", "avx",  "fma",       "f16c",        "xop",
    "asimd", "sve",  "bf16", "FEAT_FP16", "FEAT_DotProd"};
constexpr std::array<std::string_view, 9> kMatrixPrefixes = {
    "amx", "sme", "i8mm", "svei8mm", "svef16mm", "svef32mm", "svef64mm", "FEAT_SME", "FEAT_I8MM"};

template <std::size_t Count>
bool begins_with_one_of(std::string_view name,
                        const std::array<std::string_view, Count> &prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_matrix_extension(std::string_view name) {
  return begins_with_one_of(name, kMatrixPrefixes);
}

bool is_vector_extension(std::string_view name) {
  return !is_matrix_extension(name) && begins_with_one_of(name, kVectorPrefixes);
}

std::vector<std::string> chosen(const std::vector<std::string> &features,
                                bool (*choose)(std::string_view)) {
  std::vector<std::string> out;
  std::copy_if(features.begin(), features.end(), std::back_inserter(out), choose);
  return out;
}

}  // namespace

std::vector<std::string> vector_extensions(const std::vector<std::string> &features) {
  return chosen(features, is_vector_extension);
}

std::vector<std::string> matrix_extensions(const std::vector<std::string> &features) {
  return chosen(features, is_matrix_extension);
}

}  // namespace nexus_cpu
