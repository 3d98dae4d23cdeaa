// SPDX-License-Identifier: Apache-2.0
//
// A layer wraps the function table of one plug-in: its functions do something before or after the
// same function of the next table. Without layers, the core calls the plug-in's own functions at no
// cost.
//
// A layer is a type with
//   template <typename Function, typename... Arguments>
//   static nxs_status call(uint32_t tag, const nxs_functions &next, Arguments... arguments);
// where Function is a type of function_list.hpp. call must not throw.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/function_list.hpp"

namespace nexus::core::layers {

/// Returns the names in NEXUS_LAYERS, in order.
inline std::vector<std::string> wantedNames() {
  return splitWords(environmentValue("NEXUS_LAYERS"), ',');
}

/// Returns whether NEXUS_LAYERS names that layer.
inline bool isWanted(std::string_view name) {
  return contains(wantedNames(), name);
}

/// Functions that submit have the ticket as their last result.
template <typename... Arguments>
inline constexpr bool submits =
    std::is_same_v<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>,
                   nxs_ticket *>;

/// Returns the ticket of a function that submits.
template <typename... Arguments>
nxs_ticket *ticketOf(Arguments... arguments) noexcept {
  return std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
}

/// Returns the one argument that is the id of a stream.
template <typename... Arguments>
nxs_id streamOf(Arguments... arguments) noexcept {
  nxs_id stream = 0;
  const auto look = [&](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), nxs_id>) {
      if (NXS_ID_TYPE(argument) == NXS_ObjectType_Stream) stream = argument;
    }
  };
  (look(arguments), ...);
  return stream;
}

/// The tables that the layer's functions call, by the tag of a plug-in. An entry is set before the
/// layer's own table is used, and then stays.
template <typename Layer>
std::atomic<const nxs_functions *> &nextTable(uint32_t tag) noexcept {
  static std::array<std::atomic<const nxs_functions *>, 1U << NXS_ID_TAG_BITS> tables{};
  return tables[tag];
}

template <typename Layer, typename Function, typename Pointer = typename Function::Pointer>
struct Wrapper;

template <typename Layer, typename Function, typename... Rest>
struct Wrapper<Layer, Function, nxs_status (*)(nxs_id, Rest...)> {
  static nxs_status call(nxs_id first, Rest... rest) noexcept {
    const uint32_t tag = NXS_ID_TAG(first);
    const nxs_functions *next = nextTable<Layer>(tag).load(std::memory_order_acquire);
    if (next == nullptr) {
      makeErrorRecord(tag, 0, "The first argument is not an id of a plug-in that is loaded.");
      return NXS_InvalidObject;
    }
    return Layer::template call<Function>(tag, *next, first, rest...);
  }
};

/// Puts the layer between the core and next, for the plug-in with that tag. The returned table is
/// never freed; nor may next be.
template <typename Layer>
const nxs_functions *wrap(uint32_t tag, const nxs_functions *next) {
  // The functions are the same for every plug-in, so one table serves all.
  static const nxs_functions &table = *[] {
    auto *made = new nxs_functions{};
    made->struct_size = sizeof(nxs_functions);
    functions::forEach([&](auto function) {
      using Function = decltype(function);
      made->*Function::member = &Wrapper<Layer, Function>::call;
    });
    return made;
  }();
  nextTable<Layer>(tag).store(next, std::memory_order_release);
  return &table;
}

}  // namespace nexus::core::layers
