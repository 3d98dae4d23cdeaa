// SPDX-License-Identifier: Apache-2.0
//
// Whether a call writes its results on success, and only then: what they hold before the call is
// replaced by a mark, which has to be gone, or there still, afterwards.
#pragma once

#include <cstring>
#include <tuple>
#include <type_traits>

#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {

/// The part of a result that every plug-in writes.
template <typename Result>
auto &markedPart(Result &result) noexcept {
  if constexpr (std::is_same_v<Result, nxs_value>) {
    return result.type;
  } else if constexpr (std::is_same_v<Result, nxs_completion>) {
    return result.state;
  } else if constexpr (std::is_same_v<Result, nxs_argument_info>) {
    return result.kind;
  } else {
    return result;
  }
}

template <typename Argument>
inline constexpr bool kIsResult =
    std::is_same_v<Argument, nxs_id *> || std::is_same_v<Argument, nxs_ticket *> ||
    std::is_same_v<Argument, double *> || std::is_same_v<Argument, void **> ||
    std::is_same_v<Argument, nxs_value *> || std::is_same_v<Argument, nxs_completion *> ||
    std::is_same_v<Argument, nxs_argument_info *>;

template <typename Argument, bool = kIsResult<Argument>>
class OutCheck {  // of a parameter that goes in
 public:
  explicit OutCheck(Argument) noexcept {}
  void finish(Call &, nxs_status) {}
};

template <typename Argument>
class OutCheck<Argument, true> {
  using Part = std::remove_reference_t<decltype(markedPart(*std::declval<Argument>()))>;

 public:
  explicit OutCheck(Argument out) noexcept
      : part_(markedPart(*out)), before_(part_), mark_(makeMark()) {
    std::memcpy(&part_, &mark_, sizeof(Part));
  }

  void finish(Call &call, nxs_status status) {
    const bool kept = std::memcmp(&part_, &mark_, sizeof(Part)) == 0;
    if (status == NXS_Success) {
      if (!kept) return;
      part_ = before_;
      call.blame(Message::NotWritten, "it succeeded, and its result is as it was");
      return;
    }
    part_ = before_;
    if (!kept) {
      call.blame(Message::WrittenOnFailure, join("it returned ", status, " and wrote a result"));
    }
  }

 private:
  static Part makeMark() noexcept {
    Part mark;
    std::memset(&mark, 0xB5, sizeof(mark));
    return mark;
  }

  Part &part_;
  const Part before_;
  const Part mark_;
};

/// One for each argument of a call.
template <typename... Arguments>
class OutChecks {
 public:
  explicit OutChecks(Arguments... arguments) noexcept : checks_(arguments...) {}
  void finish(Call &call, nxs_status status) {
    std::apply([&](auto &...check) { (check.finish(call, status), ...); }, checks_);
  }

 private:
  std::tuple<OutCheck<Arguments>...> checks_;
};

}  // namespace nexus::core::layers::validation
