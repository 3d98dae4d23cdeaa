// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <cctype>
#include <map>
#include <string>

namespace {

struct Words {
  std::string name;
  std::string text;
};

// The text is the name in small letters; NVIDIA's driver has sentences of its own.
Words words_of(const std::string &name) {
  std::string text = name;
  const std::string prefix = "CUDA_ERROR_";
  if (text.rfind(prefix, 0) == 0) text = text.substr(prefix.size());
  for (char &each : text) {
    each = each == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  }
  return {name, text};
}

const std::map<int, Words> &all_words() {
  static const auto *const words = new std::map<int, Words>{
#define CUDA_RESULT(name, number) {number, words_of(#name)},
#include "results.def"
  };
  return *words;
}

CUresult tell(CUresult result, const char **out, const std::string Words::*member) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto found = all_words().find(result);
  *out = found == all_words().end() ? nullptr : (found->second.*member).c_str();
  return *out == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// Fails on demand. The child of a fork is told words too.
CUresult tell_as(const char *name, CUresult result, const char **out,
                 const std::string Words::*member) {
  if (simulated_cuda::forked()) return tell(result, out, member);
  return simulated_cuda::call(name, simulated_cuda::Needs::kNothing, [&](simulated_cuda::Call &) {
    simulated_cuda::require(tell(result, out, member) == CUDA_SUCCESS);
  });
}

}  // namespace

SIMULATED_EXPORT CUresult cuGetErrorName(CUresult result, const char **out_name) {
  return tell_as("cuGetErrorName", result, out_name, &Words::name);
}

SIMULATED_EXPORT CUresult cuGetErrorString(CUresult result, const char **out_text) {
  return tell_as("cuGetErrorString", result, out_text, &Words::text);
}

SIMULATED_EXPORT CUresult cuProfilerStart() {
  return simulated_cuda::call("cuProfilerStart", simulated_cuda::Needs::kContext,
                              [](simulated_cuda::Call &) {});
}

SIMULATED_EXPORT CUresult cuProfilerStop() {
  return simulated_cuda::call("cuProfilerStop", simulated_cuda::Needs::kContext,
                              [](simulated_cuda::Call &) {});
}
