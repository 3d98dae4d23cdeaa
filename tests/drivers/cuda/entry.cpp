// SPDX-License-Identifier: Apache-2.0
// How programs start the driver, find its functions and learn the names of its errors.
#include "../simulator/call.hpp"
#include "functions.hpp"

#include <iterator>

using namespace simulator;

namespace {

constexpr int kFound = 0, kNoSuchSymbol = 1, kVersionTooOld = 2;  // CUdriverProcAddressQueryResult

int find_function(const std::string &name, int version, Address *out) {
  const auto found = functions().find(name);
  const int driver = world().settings.driver_version;
  if (found == functions().end() || found->second.begin()->first > driver) return kNoSuchSymbol;
  const auto after = found->second.upper_bound(version);
  if (after == found->second.begin()) return kVersionTooOld;
  *out = std::prev(after)->second;
  return *out == nullptr ? kNoSuchSymbol : kFound;
}

const char *name_of(CUresult result) {
  switch (result) {
#define CUDA_RESULT(name, number) \
  case name:                      \
    return #name;
#include "results.def"
  }
  return nullptr;
}

}  // namespace

SIMULATED_EXPORT CUresult cuInit(unsigned flags) {
  return call("cuInit", Needs::kNothing, [&](Call &) {
    require(flags == 0);
    if (!world().initialised) world().start();
  });
}

SIMULATED_EXPORT CUresult cuDriverGetVersion(int *out_version) {
  return call("cuDriverGetVersion", Needs::kNothing,
              [&](Call &) { give(out_version, world().settings.driver_version); });
}

SIMULATED_EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **out_function, int version,
                                              uint64_t flags, int32_t *out_status) {
  return call("cuGetProcAddress", Needs::kNothing, [&](Call &) {
    constexpr uint64_t kKnownFlags = 3;  // legacy and per-thread default streams
    require(symbol != nullptr && out_function != nullptr && flags < kKnownFlags);
    require(version <= world().settings.driver_version);
    Address found = nullptr;
    const int status = find_function(symbol, version, &found);
    *out_function = reinterpret_cast<void *>(found);
    if (out_status != nullptr) *out_status = status;
  });
}

// The child of a fork is told names too.
SIMULATED_EXPORT CUresult cuGetErrorName(CUresult result, const char **out_name) {
  if (out_name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!forked()) {
    const CUresult planned = call("cuGetErrorName", Needs::kNothing, [](Call &) {});
    if (planned != CUDA_SUCCESS) return planned;
  }
  *out_name = name_of(result);
  return *out_name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
