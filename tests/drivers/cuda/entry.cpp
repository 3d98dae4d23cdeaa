// SPDX-License-Identifier: Apache-2.0
// How programs find the functions.
#include "call.hpp"
#include "functions.hpp"

#include <iterator>

namespace {

using namespace simulated_cuda;

constexpr int kFound = 0, kNoSuchSymbol = 1, kVersionTooOld = 2;  // CUdriverProcAddressQueryResult
constexpr uint64_t kKnownFlags = 3;  // legacy and per-thread default streams

int find(const std::string &name, int version, Address *out) {
  const auto found = functions().find(name);
  const int driver = world().settings.driver_version;
  if (found == functions().end() || found->second.begin()->first > driver) return kNoSuchSymbol;
  const auto after = found->second.upper_bound(version);
  if (after == found->second.begin()) return kVersionTooOld;
  *out = std::prev(after)->second;
  return *out == nullptr ? kNoSuchSymbol : kFound;
}

}  // namespace

SIMULATED_EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **out_function, int version,
                                              uint64_t flags, int32_t *out_status) {
  return call("cuGetProcAddress", Needs::kNothing, [&](Call &) {
    require(symbol != nullptr && out_function != nullptr && flags < kKnownFlags);
    require(version <= world().settings.driver_version);
    Address found = nullptr;
    const int status = find(symbol, version, &found);
    *out_function = reinterpret_cast<void *>(found);
    if (out_status != nullptr) *out_status = status;
  });
}
