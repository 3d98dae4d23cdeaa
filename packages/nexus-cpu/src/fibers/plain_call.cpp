// SPDX-License-Identifier: Apache-2.0
#include "fibers/plain_call.hpp"

#include <array>
#include <cstring>
#include <nexus-plugin/arguments.hpp>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {
namespace {

template <std::size_t>
using Pointer = void *;

template <std::size_t... Index>
void call_row(void (*function)(), PlainRow &row) {
  using Kernel = void (*)(Pointer<Index>..., int32_t *, int32_t *, void *, void *);
  const auto kernel = reinterpret_cast<Kernel>(function);
  // The function may write to the arrays; each call gets fresh ones.
  int32_t launch_size[6];
  int32_t launch_id[6];
  for (; row.launch_id[3] < row.end && !row.others_done; ++row.launch_id[3]) {
    std::memcpy(launch_size, row.launch_size, sizeof(launch_size));
    std::memcpy(launch_id, row.launch_id, sizeof(launch_id));
    kernel(row.arguments[Index]..., launch_size, launch_id, row.local_memory, row.barrier);
  }
}

template <std::size_t... Index>
constexpr PlainCaller caller_for(std::index_sequence<Index...>) {
  return call_row<Index...>;
}

template <std::size_t... Count>
constexpr std::array<PlainCaller, sizeof...(Count)> make_callers(std::index_sequence<Count...>) {
  return {caller_for(std::make_index_sequence<Count>())...};
}

constexpr auto callers = make_callers(std::make_index_sequence<nexus_plugin::kMaxArguments + 1>());

}  // namespace

PlainCaller plain_caller(std::size_t argument_count) noexcept {
  return callers[argument_count];
}

}  // namespace nexus_cpu
