// SPDX-License-Identifier: Apache-2.0
//
// One call of a plug-in through the layer `validate`, and the checks of it.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <nexus-plugin/base/error.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "layers/calls_text.hpp"
#include "layers/validate/objects.hpp"
#include "layers/validate/report.hpp"

namespace nexus::core::layers::validation {

using nexus_plugin::join;

/// The arguments of a call under the names that they have in nxs_functions.def, so that one check
/// serves all functions with such a parameter. 0 and NULL if a function has no such parameter.
struct Given {
  nxs_id runtime = 0, device = 0, buffer = 0, library = 0, kernel = 0, stream = 0, event = 0,
         end_event = 0, schedule = 0, nested = 0, command = 0;
  uint64_t size = 0, offset = 0, handle = 0, pattern_size = 0, settings = 0, access = 0, ticket = 0,
           timeout = 0, body_count = 0;
  uint32_t index = 0;
  int32_t priority = 0;
  const void *host_ptr = nullptr, *data = nullptr, *pointer = nullptr, *pattern = nullptr;
  const nxs_string *name = nullptr;  // or a path
  const nxs_buffer_range *range = nullptr, *destination = nullptr, *source = nullptr;
  const nxs_id *bodies = nullptr;
  const nxs_argument *argument = nullptr;
  const nxs_launch *launch = nullptr;
  const nxs_rows *rows = nullptr;

  // Results.
  nxs_object_type makes = 0;  // the type of the object that the call makes; 0: none
  const nxs_id *made = nullptr;
  const nxs_ticket *out_ticket = nullptr;
  const nxs_completion *completion = nullptr;
  const double *nanoseconds = nullptr;
  void *const *mapped = nullptr;
};

class Call {
 public:
  Call(uint32_t tag, const nxs_functions &next, std::string_view function) noexcept;
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  uint32_t tag() const noexcept { return tag_; }
  const nxs_functions &next() const noexcept { return next_; }
  std::string_view function() const noexcept { return function_; }
  /// Returns whether the function has that name, such as "CreateBuffer".
  bool is(std::string_view name) const noexcept { return function_.substr(3) == name; }

  /// Notes a mistake of the caller. status: what the plug-in should answer. parts: of the text.
  template <typename... Parts>
  void find(Message message, nxs_status status, const Parts &...parts) {
    findings_.push_back({message, status, join(parts...)});
  }
  /// Notes a mistake that could end the process, so that the call is not made.
  template <typename... Parts>
  void stop(Message message, nxs_status status, const Parts &...parts) {
    stopped_ = true;
    find(message, status, parts...);
  }
  bool stopped() const noexcept { return stopped_; }
  bool found() const noexcept { return !findings_.empty(); }
  /// Notes what a check of libnexus or of the kit throws, as the message, unless the thrown status
  /// has a message of its own.
  template <typename Check>
  void check(Message message, Check &&check) {
    try {
      check();
    } catch (const Failure &failure) {
      take(message, failure.status(), failure.what());
    } catch (const nexus_plugin::Error &error) {
      take(message, error.status(), error.what());
    }
  }
  /// Notes a wrong answer of the plug-in.
  template <typename... Parts>
  void blame(Message message, const Parts &...parts) {
    find(message, NXS_InternalError, parts...);
  }

  /// Returns whether the call must not be made.
  bool refuses() const noexcept;
  /// Reports the findings of a call that is not made. Returns the status for the caller.
  nxs_status refuse() noexcept;
  /// Reports the findings after the call. Returns the status for the caller.
  nxs_status finish(nxs_status status) noexcept;

  Given given;

  // State that the checks before the call pass to those after it.
  nxs_ticket newest_before = 0;     // the stream's newest ticket
  nxs_ticket completed_before = 0;  // the stream's newest completed ticket
  std::vector<Use> uses;            // of the work that is submitted or recorded
  nxs_id schedule = 0;              // the schedule that is run
  EventFacts event;
  std::shared_ptr<StreamFacts> submitting;   // the stream to which work is submitted
  std::shared_ptr<ScheduleFacts> recording;  // the schedule that is being recorded
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

 private:
  void take(Message message, nxs_status status, std::string text);

  const uint32_t tag_;
  const nxs_functions &next_;
  const std::string_view function_;
  const uint64_t error_before_;
  std::vector<Finding> findings_;
  bool stopped_ = false;
};

/// Checks that a call writes a result on success, and only then: puts a mark in the result before
/// the call, and looks whether it is still there afterwards.
class OutCheck {
 public:
  template <typename Argument>
  explicit OutCheck(Argument argument) noexcept {
    if constexpr (std::is_same_v<Argument, nxs_value *>) {
      mark(argument->type);
    } else if constexpr (std::is_same_v<Argument, nxs_completion *>) {
      mark(argument->state);
    } else if constexpr (std::is_same_v<Argument, nxs_argument_info *>) {
      mark(argument->kind);
    } else if constexpr (std::is_same_v<Argument, nxs_id *> ||
                         std::is_same_v<Argument, nxs_ticket *> ||
                         std::is_same_v<Argument, double *> || std::is_same_v<Argument, void **>) {
      mark(*argument);
    }
  }
  void finish(Call &call, nxs_status status);

 private:
  template <typename Result>
  void mark(Result &result) noexcept {
    static_assert(sizeof(result) <= sizeof(before_));
    mark(&result, sizeof(result));
  }
  void mark(void *result, std::size_t size) noexcept;

  static constexpr unsigned char kMark = 0xB5;
  void *result_ = nullptr;  // NULL: the argument is not a result
  std::size_t size_ = 0;
  unsigned char before_[8];
};

/// Returns whether the call's plug-in can have given the id to an object of that type.
bool isIdOf(const Call &call, nxs_id id, nxs_object_type type) noexcept;

/// Reports that work used memory outside its buffer. error: the record that says which.
void reportOutOfBounds(const Call &call, nxs_status status, uint64_t error);

/// Reads a property of an object.
using Getter = nxs_status (*nxs_functions::*)(nxs_id, nxs_property, nxs_value *);

/// Checks a call before it is made, unless it could end the process.
void before(Call &call);
/// Checks the answers of a call that succeeded, and notes what it changed.
void after(Call &call);
/// Checks a call that failed.
void refused(Call &call, nxs_status status);

// ---- memory_checks.cpp ----
/// Checks ranges, buffers and host memory; notes what memory the work uses.
void checkMemory(Call &call, const Objects &objects);
/// Notes that the work uses a part of a buffer.
void noteUse(Call &call, const Objects &objects, const nxs_buffer_range &range, Access access);
inline nxs_buffer_range rangeOf(const nxs_argument &argument) noexcept {
  return {sizeof(nxs_buffer_range), argument.buffer, argument.offset, argument.size};
}

// ---- command_checks.cpp ----
/// Checks a call that records, or runs a schedule.
void checkRecording(Call &call, Objects &objects);

// ---- order_checks.cpp: streams and events ----
void checkStreams(Call &call, Objects &objects);
/// Before a stream is released: asks how far it is, which nobody can do later. Calls the plug-in.
void askLast(Call &call);
/// Notes work that was submitted.
void noteSubmission(Call &call, Objects &objects, const Place &place);
/// Checks what the call answered about a ticket or an event.
void checkAnswers(Call &call);

// ---- capability_checks.cpp ----
/// Checks that the plug-in does not refuse what it claims to support.
void checkClaims(Call &call, nxs_status status);
/// Notes the capabilities that a plug-in claims, and checks that its table has their functions.
/// table: not yet filled with stubs.
void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table);

// ---- property_checks.cpp ----
/// Returns the whole numbers that an object states; none if it states none. Calls the plug-in.
std::vector<int64_t> statedNumbers(const Call &call, Getter getter, nxs_id object,
                                   nxs_property property);
void afterProperty(Call &call, Getter getter, nxs_id object, nxs_property property,
                   const nxs_value &value);
void refusedProperty(Call &call, nxs_status status, nxs_id object, nxs_property property);

}  // namespace nexus::core::layers::validation
