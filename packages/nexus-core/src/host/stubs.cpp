// SPDX-License-Identifier: Apache-2.0
#include "host/stubs.hpp"

#include <new>

#include "base/error_record.hpp"
#include "host/function_list.hpp"
#include "host/host.hpp"
#include "host/memory_check.hpp"

namespace nexus::core {
namespace {

nxs_status refuse(nxs_id id, std::string_view function) noexcept {
  const uint32_t tag = NXS_ID_TAG(id);
  try {
    const std::string_view backend = backendOfTag(tag);
    const std::string who =
        backend.empty() ? "The plug-in" : "The plug-in '" + std::string(backend) + "'";
    makeErrorRecord(tag, 0,
                    who + " has no " + std::string(function) + ", which is an optional function.");
  } catch (const std::bad_alloc &) {
    makeErrorRecord(tag, 0, function);  // with a shorter text, or the record for no memory
  }
  return NXS_NotSupported;
}

template <typename Function, typename Pointer = typename Function::Pointer>
struct Stub;

template <typename Function, typename... Rest>
struct Stub<Function, nxs_status (*)(nxs_id, Rest...)> {
  static nxs_status call(nxs_id first, Rest...) noexcept { return refuse(first, Function::name); }
};

}  // namespace

std::vector<std::string> missingFunctions(const nxs_functions &table) {
  std::vector<std::string> missing;
  functions::forEach([&](auto function) {
    using Function = decltype(function);
    if (Function::required && table.*Function::member == nullptr) {
      missing.emplace_back(Function::name);
    }
  });
  return missing;
}

std::vector<std::string> functionsWithoutCode(const nxs_functions &table) {
  std::vector<std::string> odd;
  functions::forEach([&](auto function) {
    using Function = decltype(function);
    const auto address = table.*Function::member;
    if (address != nullptr && !isCode(reinterpret_cast<const void *>(address))) {
      odd.emplace_back(Function::name);
    }
  });
  return odd;
}

void fillStubs(nxs_functions &table) {
  table.struct_size = sizeof(nxs_functions);
  functions::forEach([&](auto function) {
    using Function = decltype(function);
    if (table.*Function::member == nullptr) {
      table.*Function::member = &Stub<Function>::call;
    }
  });
}

}  // namespace nexus::core
